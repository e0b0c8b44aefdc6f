"""What hand labels tell of all items is in the report, if there are some."""

import numpy as np
import pytest

import assay
from assay import Report
from assay.gold import outcome_numbers
from assay.report import evaluate_methods
from assay.report.hand_labels import PRECISIONS, hand_label_facts
from tests.support.checked import with_gold


@pytest.fixture(scope="module")
def told(fitted):
    """A model's labels of all items, 200 of them with gold."""
    model, votes, gold = fitted
    rows = np.random.default_rng(0).choice(len(votes), 200, replace=False)
    return with_gold(votes.tasks, model.predict_proba(votes), outcome_numbers(gold), rows)


def test_promises_that_gold_does_not_support_say_why(told):
    facts = hand_label_facts(told)
    assert (facts.items, facts.gold) == (3000, 200)
    assert [entry.precision for entry in facts.promises] == list(PRECISIONS)
    for entry in facts.promises:
        assert (entry.guarantee is None) == (entry.why_not is not None)
    assert facts.promises[-1].guarantee is not None
    assert "hand labels" in facts.promises[0].why_not
    assert facts.shares["gold"].eq(200).all()


def test_labels_without_gold_tell_nothing(fitted):
    model, votes, _ = fitted
    assert hand_label_facts(None) is None
    assert hand_label_facts(model.label(votes)) is None


def test_the_page_shows_shares_and_promises(fitted, told):
    model, votes, gold = fitted
    page = Report.of(model, votes, gold=gold, labels=told).to_html()
    assert 'id="shares"' in page
    assert 'id="auto-label"' in page
    assert "Left for people" in page
    plain = Report.of(model, votes, gold=gold).to_html()
    assert 'id="shares"' not in plain
    assert "cross-fitted" not in plain


def test_scores_on_what_taught_the_model_are_cross_fitted(fitted, told):
    model, votes, gold = fitted
    found = evaluate_methods(votes, {"label model": told})
    assert {name: score.items for name, score in found.items()} == dict.fromkeys(found, 200)
    assert found["label model"].cross_fitted == 200
    assert found["label model"].accuracy < 1  # which it would be by its gold
    majority = evaluate_methods(votes.take(told.gold.rows), {}, gold.take(told.gold.rows))
    assert found["majority vote"].accuracy == pytest.approx(majority["majority vote"].accuracy)
    page = Report.of(model, votes, gold=gold, labels=told, evaluations=found).to_html()
    assert "On 200 items with hand labels. They taught the model" in page
    with pytest.raises(assay.AssayError, match="labels of the items that were voted on"):
        Report.of(model, votes, gold=gold, labels=told.where(np.arange(3000) < 10))
