"""Labels of some rows of a file are those of the whole file, taken there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.labels import Labels, StoredLabels, label_parts, labels_of_rows
from tests.support.checked import any_checked_labels, same_gold
from tests.support.sameness import same_labels
from tests.support.strategies import task_graphs


@given(task_graphs(), st.lists(st.integers(0, 29), unique=True), st.integers(0, 99))
def test_some_rows_are_those_of_the_whole(tmp_path_factory, tasks, chosen, seed):
    rows = np.array(sorted(chosen), dtype=np.int64)
    path = any_checked_labels(tasks, 30, seed).to_parquet(tmp_path_factory.mktemp("labels") / "labels.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StoredLabels.parts, "__defaults__", (7,))
        found, parts = labels_of_rows(path, rows), list(label_parts(path))
    whole = Labels.from_parquet(path)
    assert [len(part) for part in parts] == [7, 7, 7, 7, 2]
    assert same_labels(Labels.concat(parts), whole)
    mask = np.zeros(30, dtype=bool)
    mask[rows] = True
    expected = whole.where(mask)
    assert same_labels(found, expected)
    if expected.gold is None:
        assert found.gold is None
    else:
        same_gold(found.gold, expected.gold)
