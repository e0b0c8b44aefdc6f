"""Sources whose votes look copied."""

import numpy as np

import assay
from assay.sources.hints import dependency_hints


class TestVotes:
    def crowd(self, copied=0.9):
        rng = np.random.default_rng(1)
        truth = rng.integers(3, size=300)
        votes = np.where(rng.random((300, 8)) < 0.7, truth[:, None], rng.integers(3, size=(300, 8)))
        votes[:, 5] = np.where(rng.random(300) < copied, votes[:, 2], votes[:, 5])
        votes[rng.random((300, 8)) < 0.3] = -1
        return votes

    def test_workers_who_copy(self):
        hints = dependency_hints(votes=assay.Votes.from_matrix(self.crowd(0.97)))
        assert [(hint.sources, hint.kind) for hint in hints] == [(("2", "5"), "copied votes")]
        assert "against most others" in str(hints[0])

    def test_to_be_right_together_is_no_sign(self):
        rng = np.random.default_rng(2)
        truth = rng.integers(2, size=400)
        votes = np.where(rng.random((400, 6)) < 0.97, truth[:, None], 1 - truth[:, None])
        assert not dependency_hints(votes=assay.Votes.from_matrix(votes))
        assert not dependency_hints(votes=assay.Votes.from_matrix(self.crowd(0.0)))

    def test_the_same_and_nested(self):
        votes = self.crowd(0.0)
        votes[:, 1] = votes[:, 0]
        votes[:, 4] = np.where(np.arange(300) % 2 == 0, votes[:, 3], -1)
        votes[150:, 3:5] = -1
        hints = dependency_hints(votes=assay.Votes.from_matrix(votes))
        assert {(hint.sources, hint.kind) for hint in hints} == {
            (("0", "1"), "same votes"),
            (("4", "3"), "nested votes"),
        }
        said = sorted(map(str, hints))
        assert said[0] == f"0 – 1: the same votes on the same {(votes[:, 0] >= 0).sum()} items"
        assert said[1] == f"4 – 3: all {(votes[:, 4] >= 0).sum()} votes of 4 are also cast by 3"

    def test_copies_of_copies_among_few_items(self):
        assert not dependency_hints(votes=assay.Votes.from_matrix(self.crowd(1.0)[:15]))
