"""Dawid and Skene's model does what it is known for, on votes made for it."""

from __future__ import annotations

import assay
from assay.simulate import flat_world


def test_dawid_skene_learns_confusions():
    simulation = flat_world(classes=3, sources=10, accuracy=(0.4, 0.8), seed=3).draw(4000, 3)
    best = (simulation.world.posterior(simulation.votes.codes).argmax(axis=1) == simulation.gold).mean()
    found = (assay.dawid_skene(simulation.votes).argmax(axis=1) == simulation.gold).mean()
    assert found > best - 0.01
