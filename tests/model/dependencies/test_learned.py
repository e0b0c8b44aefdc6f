"""What was learned: through JSON and back, and why something was not kept."""

import assay
from assay.model.dependencies.learned import LearnedDependencies
from assay.simulate import flat_world
from tests.support.dependent_worlds import world_of


class TestResults:
    def test_goes_through_json(self):
        learned = assay.learn_dependencies(world_of({}).draw(1_000, 1).votes, resamples=2)
        again = LearnedDependencies.from_dict(learned.to_dict())
        assert again.edges == learned.edges
        assert (again.residuals == learned.residuals).all()
        assert len(learned.to_pandas()) == len(learned.edges)
        assert str(again) == str(learned)

    def test_too_large_groups_are_told_but_not_kept(self):
        votes = world_of({}).draw(5_000, 1).votes
        learned = assay.learn_dependencies(votes, max_joint_votes=9, resamples=0)
        left = [edge for edge in learned.edges if not edge.kept]
        assert left
        assert "joint votes" in left[0].why_not
        assert max(len(clique) for clique in learned.graph.cliques) == 2

    def test_the_weak_are_told_but_not_kept(self):
        votes = world_of({}).draw(5_000, 1).votes
        learned = assay.learn_dependencies(votes, min_strength=0.95, resamples=0)
        assert not learned.pairs
        assert {edge.why_not for edge in learned.edges} == {"too weak to matter"}
        assert len(learned.edges) == 4

    def test_what_cannot_be_told_is_said(self):
        codes = flat_world(sources=6, coverage=0.5, seed=1).draw(2_000).votes.codes.copy()
        codes[:1_990, 5] = -1
        learned = assay.learn_dependencies(codes, resamples=0)
        assert "5 of 15 pairs of sources overlap too little to be tested" in learned.notes[0]
