"""A run whose names and texts try to be more than texts."""

from __future__ import annotations

import numpy as np

import assay
from assay.simulate import flat_world

NAMES = [
    "<script>window.pwned=1</script>",
    "</script><script>window.pwned=2</script>",
    '"><img src=x onerror="window.pwned=3">',
    "'; window.pwned=4; '",
    "datum.pwned['x']",
    "<b>bold</b> & co",
]
LABELS = ["</style><script>window.pwned=5</script>", "<!-- no"]
TASK = "<iframe src=javascript:window.pwned=6>"
TITLE = "</title><script>window.pwned=7</script>"


def nasty_report() -> tuple[assay.Report, list[str]]:
    """The report, and texts that must be readable on its page."""
    drawn = flat_world(sources=6, seed=3).draw(600)
    votes = assay.Votes.from_matrix(drawn.votes.codes, labels=LABELS, names=NAMES, task=TASK)
    model = assay.LabelModel(dependencies=[(NAMES[0], NAMES[1])]).fit(votes)
    data = [{"<i>text</i>": f"<svg onload=window.pwned=8>{row}</svg>"} for row in range(len(votes))]
    gold = np.array(drawn.gold)
    return assay.Report.of(model, votes, gold=gold, data=data, title=TITLE), [*NAMES, TITLE, TASK, *LABELS]
