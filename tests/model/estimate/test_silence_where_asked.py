"""What is learned of sources asked later is added to what the others tell, and changes nothing of that."""

import numpy as np
import pytest

from assay.counts import Evidence, SourceGraph, Tally, layout_of
from assay.model.estimate import fit_component
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.silence_where_asked import assessed, with_answers
from assay.model.scorer import posterior
from assay.simulate import flat_world
from assay.votes import Votes

LATER = [6, 7]


@pytest.fixture(scope="module")
def fits():
    """Of six sources of which all are heard, and two that say one label each, on a third of the items."""
    drawn = flat_world(sources=8, seed=2).draw(3_000)
    codes = drawn.votes.codes.copy()
    for column, label in zip(LATER, (0, 1), strict=True):
        codes[codes[:, column] != label, column] = -1
    codes[1_000:, LATER] = -1
    silent = codes.copy()
    silent[:, LATER] = -1
    asked = (codes[:, LATER] >= 0).any(axis=1)

    def evidence(given):
        votes = Votes.from_codes(drawn.votes.tasks, given, drawn.votes.names, drawn.votes.values)
        return Evidence.of(Tally.of(votes), layout_of(votes.schema, 0, SourceGraph(votes.names)))

    whole, others, heard = (evidence(given) for given in (codes, silent, codes[asked]))
    known = Knowledge.none(whole.layout)
    first, second = fit_component(others, known), fit_component(heard, known)
    return codes, asked, first, second, with_answers(first, second, LATER, whole)


def test_what_the_others_tell_stays(fits):
    codes, asked, first, _, joined = fits
    assert joined.parameters.balance.tolist() == first.parameters.balance.tolist()
    assert posterior(joined.scoring, codes)[~asked] == pytest.approx(posterior(first.scoring, codes)[~asked], abs=1e-9)
    for source in range(6):
        assert [end.tolist() for end in joined.intervals[source]] == [end.tolist() for end in first.intervals[source]]


def test_what_is_added_is_what_the_items_asked_about_tell(fits):
    codes, asked, first, second, joined = fits
    added = sum(second.scoring.logs[source][codes[asked][:, source]] for source in LATER)
    before, after = posterior(first.scoring, codes)[asked], posterior(joined.scoring, codes)[asked]
    wanted = before * np.exp(added)
    assert joined.scoring.discount == 0
    assert after == pytest.approx(wanted / wanted.sum(axis=1, keepdims=True), abs=1e-6)


def test_tables_are_about_all_items_and_labels_are_expected_to_be_better(fits):
    codes, _, first, _, joined = fits
    for source in LATER:
        table = joined.parameters.joint[source]
        assert table.sum(axis=0) == pytest.approx(np.ones(2))
        assert 1 - table[-1] @ joined.parameters.balance == pytest.approx((codes[:, source] >= 0).mean(), abs=0.05)
    assert first.assessment.right < assessed(joined).assessment.right <= 1
