"""Which labels are not what they were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import AssayError

if TYPE_CHECKING:
    import pandas as pd

    from assay.labels.labels import Labels


def changes_between(before: Labels, after: Labels) -> pd.DataFrame:
    """A row for each item and component with another most probable outcome; see :meth:`assay.Labels.changes`."""
    import pandas as pd

    if before.tasks != after.tasks or len(before) != len(after):
        raise AssayError(
            f"expected labels of the same {len(after):,} items and tasks to compare with, "
            f"but got labels of {len(before):,} items"
        )
    parts = []
    evidence = after.evidence
    for component, was, now in zip(after.tasks.label_space.components, before.joint, after.joint, strict=True):
        names = np.array([_text(outcome) for outcome in component.outcomes], dtype=object)
        old, new = was.argmax(axis=1), now.argmax(axis=1)
        rows = np.flatnonzero(old != new)
        columns: dict[str, Any] = {"row": rows}
        if after.items is not None:
            columns["item"] = after.items[rows]
        columns |= {"before": names[old[rows]], "after": names[new[rows]]}
        columns |= {"was": was[rows, old[rows]], "is": now[rows, new[rows]]}
        if evidence is not None:
            columns["evidence"] = evidence[rows]
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def _text(outcome: Any) -> str:
    return ", ".join(label for label in outcome.values() if label is not None)
