"""What votes tell about the class balance: too little is reported, unless something else tells it."""

import numpy as np
import pytest

import assay
from assay.checks.class_balance import tasks_told
from assay.simulate import flat_world, task_world
from tests.checks.test_signal import crowd, knowing, one_sided
from tests.support.check_reports import only

FEW = flat_world(classes=3, sources=3, polarity="one", coverage=0.3, seed=1).draw(20_000).votes
ONE_SIDED = assay.Votes.from_matrix(one_sided(2000, 8, 0), labels=["Spam", "Ham"], task="mail")


class TestKruskal:
    def test_labels_that_fewer_than_three_sources_tell_apart(self):
        problem = only(assay.check(FEW))
        assert (problem.code, problem.severity, problem.tasks) == ("A103", "warning", ("label",))
        assert "tell apart '0', '1' and '2' of task 'label'" in problem.message
        assert problem.fix.startswith("give class_balance")

    def test_a_given_balance_is_not_asked_for(self):
        problem = only(assay.check(FEW, class_balance=[0.3, 0.3, 0.4]))
        assert problem.code == "A103"
        assert "it rests on what you give" in problem.message
        assert problem.fix == "make sure that the class_balance you give is right, or add independent sources that do"

    def test_a_fit_knows_what_it_was_given(self):
        model = assay.LabelModel(class_balance=[0.3, 0.3, 0.4]).fit(FEW)
        assert model.check_ == assay.check(FEW, class_balance=[0.3, 0.3, 0.4])

    def test_hand_labels_tell_it(self):
        truth = np.random.default_rng(0).integers(3, size=20_000)
        gold = np.where(np.arange(20_000) < 60, truth, -1)
        assert "A103" not in assay.LabelModel().check(FEW, gold).codes
        assert "A103" in assay.LabelModel().check(FEW, np.where(np.arange(20_000) < 30, truth, -1)).codes

    def test_labels_of_a_task_with_few_sources(self, entities):
        world = task_world(entities, ["entity"] * 3 + ["person"] * 3 + ["org"] * 2)
        problem = only(assay.check(world.draw(2000).votes))
        assert problem.code == "A103"
        assert problem.message.endswith(
            "fewer than three independent sources tell apart 'Hospital' and 'Office' of task 'org'"
        )


class TestVotesThatDoNotTell:
    def test_sources_that_say_one_label_each(self):
        problem = only(assay.check(ONE_SIDED))
        assert (problem.code, problem.severity, problem.tasks) == ("A107", "warning", ("mail",))
        assert "how common 'Spam' and 'Ham' of task 'mail' are" in problem.message
        assert "class_balance={'Spam': 0.15}" in problem.fix
        assert "about 50 random items by hand" in problem.fix

    @pytest.mark.parametrize("told", [[0.2, 0.8], {"Spam": 0.2}, {"mail": {"Spam": (0.1, 0.3)}}])
    def test_nothing_is_said_if_the_balance_is_given(self, told):
        assert not assay.check(ONE_SIDED, class_balance=told).problems

    def test_nothing_is_said_if_enough_items_are_labeled_by_hand(self):
        gold = np.where(np.arange(2000) < 50, np.arange(2000) % 2, -1)
        assert "A107" not in assay.LabelModel().fit(ONE_SIDED, gold).check_.codes

    def test_two_free_sources_are_not_enough_and_three_are(self):
        rest = one_sided(4000, 8, 0)
        truth = (np.random.default_rng(0).random(4000) < 0.8).astype(int)
        free = np.where(np.random.default_rng(1).random((4000, 3)) < 0.8, truth[:, None], 1 - truth[:, None])
        assert "A107" in assay.check(np.column_stack([rest, free[:, :2]])).codes
        assert "A107" not in assay.check(np.column_stack([rest, free])).codes

    def test_free_sources_of_which_two_meet_at_a_time(self):
        assert "A107" in assay.check(crowd(3000, 40, 2, 0.75, 0)).codes
        assert "A107" not in assay.check(crowd(3000, 40, 3, 0.75, 0)).codes

    def test_a_ring(self):
        votes = knowing(4000, [0.95, 0.65, 0.95, 0.65], 0)
        first = np.arange(4000)[:, None] % 4
        ring = np.where((first == np.arange(4)) | ((first + 1) % 4 == np.arange(4)), votes, -1)
        report = assay.LabelModel().fit(ring).check_
        assert report.codes == {"A101", "A107"}
        assert only(report, "A101").sources == ("0", "1", "2", "3")

    def test_sources_that_agree_too_little(self):
        # About right in 62 of 100 cases: related beyond doubt, but three of them tell the balance to ± 50 points.
        problem = only(assay.check(knowing(2000, [0.62, 0.62, 0.62], 3)))
        assert problem.code == "A107"
        assert "agree too little" in problem.message

    def test_tasks_are_told_of_one_by_one(self, entities):
        world = task_world(entities, ["person"] * 6 + ["org"] * 6, coverage=0.9, accuracy=(0.75, 0.9))
        votes = world.draw(4000).votes
        problem = only(assay.check(votes), "A107")
        assert problem.tasks == ("entity",)
        assert "class_balance={'entity': {'Person': 0.15}}" in problem.fix
        assert "A107" not in assay.check(votes, class_balance={"entity": {"Person": 0.5}}).codes
        assert "A107" in assay.check(votes, class_balance={"person": {"Doctor": 0.5}}).codes

    @pytest.mark.parametrize(
        "votes",
        [
            knowing(300, [0.75] * 6, 0),
            knowing(1000, [0.8] * 3, 0),
            knowing(2000, [0.8] * 8, 0, share=0.1),
            knowing(1000, [0.8] * 6 + [0.2] * 4, 0),
            np.where(np.random.default_rng(0).random((2000, 20)) < 0.2, knowing(2000, [0.7] * 20, 0), -1),
        ],
    )
    def test_enough_is_enough(self, votes):
        assert not assay.check(votes).problems


class TestTold:
    def test_vectors(self, pair):
        assert tasks_told(None, pair) == set()
        assert tasks_told([[0.5, 0.5], None], pair) == {"mood"}
        with pytest.raises(assay.AssayError, match="one entry for each of the 2 components"):
            tasks_told([0.5, 0.3, 0.2], pair)

    def test_names(self, entities):
        assert tasks_told({"Doctor": 0.3, "entity": {"Person": 0.6}}, entities) == {"person", "entity"}
        with pytest.raises(assay.AssayError, match=r"no label 'Docter'. Did you mean 'Doctor'"):
            tasks_told({"Docter": 0.3}, entities)
        with pytest.raises(assay.AssayError, match=r"no task 'entty'. Did you mean 'entity'"):
            tasks_told({"entty": {"Person": 0.3}}, entities)

    def test_class_numbers(self):
        assert not assay.check(one_sided(2000, 8, 0), class_balance={0: 0.2}).problems
