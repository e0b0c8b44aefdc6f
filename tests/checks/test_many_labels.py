"""Checks of labels of which any subset may apply: one finding for many labels."""

import numpy as np

import assay


def votes_on(labels, sources, items=300, seed=0):
    """Each of ``sources`` per label names it."""
    rng = np.random.default_rng(seed)
    truth = rng.random((items, len(labels))) < 0.3
    tasks = assay.TaskGraph([assay.Task("topics", labels, multiple=True)])
    columns = {}
    for at in range(max(sources)):
        named = [label for label, count in zip(labels, sources, strict=True) if at < count]
        where = [labels.index(label) for label in named]
        hits = np.where(truth[:, where], rng.random((items, len(where))) < 0.7, rng.random((items, len(where))) < 0.1)
        columns[f"s{at}"] = [[label for label, hit in zip(named, row, strict=True) if hit] or None for row in hits]
    return assay.Votes.from_columns(tasks, columns)


def test_enough_sources_that_name_labels_are_no_problem():
    assert assay.check(votes_on(["a", "b"], [5, 5])).codes == frozenset()


def test_labels_with_few_sources_are_one_warning_and_fit():
    votes = votes_on(["a", "b", "c", "d"], [5, 2, 1, 0])
    report = assay.check(votes)
    assert report.ok
    (problem,) = [problem for problem in report.problems if problem.code == "A108"]
    assert "3 of the 4 labels of task 'topics'" in problem.message
    assert "nobody votes on 'd'; fewer than three independent sources vote on 'b' and 'c'" in problem.message
    model = assay.LabelModel().fit(votes)
    sources = model.sources_.set_index(["source", "value"])
    assert sources.loc[("s0", "c"), ["low", "high"]].tolist() == [0.0, 1.0]
    chances = model.label(votes)["topics"]
    assert (chances[:, 3] < 0.01).all()
    named = np.array([said is not None and "c" in said for said in votes.to_pandas()["s0"]])
    assert (chances[named, 2] > 0.5).all()
    assert (chances[~named, 2] < 0.5).all()


def test_hand_labels_make_up_for_sources():
    votes = votes_on(["a", "b"], [5, 1])
    gold = [["a"] if at < 80 else None for at in range(len(votes))]
    assert "A108" not in assay.LabelModel().fit(votes, gold).check_.codes


def test_no_votes_at_all_is_an_error():
    tasks = assay.TaskGraph([assay.Task("topics", ["a", "b"], multiple=True)])
    assert not assay.check(assay.Votes.from_columns(tasks, {"s": [None, None]})).ok


def test_the_same_finding_on_several_labels_is_one():
    votes = votes_on(["a", "b", "c"], [4, 4, 4])
    columns = votes.to_pandas().to_dict(orient="list")
    copied = assay.Votes.from_columns(votes.tasks, columns | {"copy": columns["s0"]})
    found = [problem for problem in assay.check(copied).problems if problem.code == "A301"]
    assert len(found) == 1
    assert found[0].message.startswith("on 3 labels of task 'topics', such as: ")
    assert found[0].sources == ("s0", "copy")
