"""The most contested items: their votes, their posterior, and none more contested."""

import numpy as np
import pytest

from assay import Votes
from assay.counts.tally import Tally
from assay.gold import GoldItems
from assay.report.contested import contested_items
from assay.report.facts import vote_text
from assay.votes.summary import contradictions


class TestContested:
    def test_items_have_the_votes_and_the_posterior_that_are_told(self, fitted, counted):
        model, votes, gold = fitted
        found = contested_items(counted, votes, GoldItems.among(votes, gold), 12)
        assert len(found) == 12
        pairs = contradictions(votes)
        outcomes = ["Doctor", "Lawyer", "Hospital", "Office"]
        for item in found:
            assert item.pairs == pairs[item.row]
            row = votes.codes[item.row]
            told = {votes.names[j]: vote_text(votes.values[j][code]) for j, code in enumerate(row) if code >= 0}
            assert dict(item.votes) == told
            assert item.alike == (votes.codes == row).all(axis=1).sum()
            posterior = model.predict_proba(votes.take([item.row]))[0]
            assert dict(item.posterior) == pytest.approx(dict(zip(outcomes, posterior, strict=True)))
        assert [item.pairs for item in found] == sorted((item.pairs for item in found), reverse=True)

    def test_no_other_pattern_is_more_contested(self, fitted, counted):
        _, votes, _ = fitted
        found = contested_items(counted, votes, None, 5)
        distinct = votes.take(np.unique(votes.codes, axis=0, return_index=True)[1])
        assert [item.pairs for item in found] == np.sort(contradictions(distinct))[::-1][:5].tolist()

    def test_contributions_add_up_to_the_odds_of_the_two_best(self, fitted, counted):
        _, votes, _ = fitted
        for item in contested_items(counted, votes, None, 6):
            (_, first), (_, second), *_ = item.posterior
            assert sum(part.log_odds for part in item.contributions) == pytest.approx(np.log(first / second))

    def test_items_are_named_and_found_in_pieces_too(self, fitted, counted):
        _, votes, _ = fitted
        names = np.array([f"item {row}" for row in range(len(votes))])
        named = Votes.from_codes(votes.tasks, votes.codes, votes.names, votes.values, names)
        whole = contested_items(counted, named, None, 5)
        parts = contested_items(counted, [named.take(slice(0, 1_000)), named.take(slice(1_000, None))], None, 5)
        assert whole == parts
        assert all(item.name == f"item {item.row}" for item in whole)
        assert {item.row for item in contested_items(counted, Tally.of(votes), None, 5)} == {None}
