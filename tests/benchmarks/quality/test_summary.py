from benchmarks.quality import summary
from benchmarks.quality.methods import DEFAULT, MAJORITY
from benchmarks.quality.sets import KINDS


def cells(method, ahead, log_loss=0.5):
    """A cell for each of the sets of all kinds."""
    return [
        {"method": method, "set": f"{kind}{number}", "kind": kind, "score": 90.0 + ahead, "accuracy": 90.0 + ahead}
        | {"brier": 0.2, "log_loss": log_loss, "calibration_error": 0.1, "seconds": 0.1}
        | {"over_majority": ahead, "its_error": 0.3}
        for kind in KINDS
        for number in range(summary.SETS[kind])
    ]


def missed(found):
    return [target.what for target in summary.judged(summary.of(found)) if not target.reached]


def test_the_default_meets_its_targets_where_it_is_best():
    assert missed(cells(DEFAULT, 1.0, log_loss=0.4) + cells(MAJORITY, 0.0)) == []


def test_one_set_clearly_below_the_vote_is_named():
    found = cells(DEFAULT, 1.0, log_loss=0.4)
    found[3] |= {"over_majority": -1.0}
    assert missed(found + cells(MAJORITY, 0.0)) == ["sets clearly below the majority vote lf3"]


def test_only_prompts_may_be_a_little_worse_than_the_best_log_loss():
    lost = missed(cells(DEFAULT, 1.0, log_loss=0.52) + cells(MAJORITY, 0.0))
    assert [name.split(",")[1].strip() for name in lost] == ["labeling functions", "crowds"]


def test_a_part_of_the_sets_is_not_judged():
    assert summary.judged(summary.of(cells(DEFAULT, 1.0)[1:] + cells(MAJORITY, 0.0)[1:])) == []


def test_there_are_tables_of_each_kind():
    found = cells(DEFAULT, 1.0) + cells(MAJORITY, 0.0)
    titles = [str(table.title) for table in summary.tables(found, summary.of(found))]
    assert all(any(f"Means, {name}" in title for title in titles) for name in summary.KIND_NAMES.values())
