"""Which labels are not what they were."""

from __future__ import annotations

import numpy as np
import pytest

import assay


def test_changes_name_items_and_components() -> None:
    tasks = assay.TaskGraph([assay.Task("mail", ["ham", "spam"]), assay.Task("tone", ["kind", "rude"])])
    items = np.array(["x", "y"])
    before = assay.Labels(tasks, (np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([[0.9, 0.1], [0.6, 0.4]])), items)
    after = assay.Labels(tasks, (np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.3, 0.7], [0.6, 0.4]])), items)
    found = after.changes(before)
    assert found[["item", "before", "after"]].to_numpy().tolist() == [["y", "ham", "spam"], ["x", "kind", "rude"]]
    assert found["was"].tolist() == [0.6, 0.9]
    assert found["is"].tolist() == [0.8, 0.7]
    assert not len(after.changes(after))
    with pytest.raises(assay.AssayError, match="labels of the same 2 items"):
        after.changes(before.where([True, False]))
