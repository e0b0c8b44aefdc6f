"""Vote patterns of independent sources, several of which are told by one number: fewer to look up in an E-step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from assay._core.threads import parallel_map, ranges, thread_count
from assay.counts.cliques import Design, Layout

IntArray = npt.NDArray[np.int64]

_WORTH = 2
"""How many times as many votes as groups a pattern must have on average."""
_NUMBERED_AT_ONCE = 2**12


@dataclass(frozen=True, eq=False)
class GroupedVotes:
    """The joint votes of groups of consecutive sources."""

    numbers: npt.NDArray[np.uint8]
    """(patterns, groups): Σ (value + 1) · the number of joint votes of the sources before it in the group."""
    values: IntArray
    """(sources,): how many values each has."""
    ends: IntArray
    """(groups,): where the sources of each group end."""

    @classmethod
    def of(cls, layout: Layout, design: Design) -> Self | None:
        """None if some sources depend on each other, or votes are so few that it would not be worth it."""
        from assay._core import two_outcome_loops

        values = np.diff(layout.value_offsets)
        if not layout.all_single or not len(design) or not len(values):
            return None
        ends, steps, joint = [], [], 1
        for source, size in enumerate((values + 1).tolist()):
            if joint * size > two_outcome_loops.JOINT_VOTES:
                ends.append(source)
                joint = 1
            steps.append(joint)
            joint *= size
        ends.append(len(values))
        if int(values.max()) >= two_outcome_loops.JOINT_VOTES or _WORTH * len(ends) * len(design) > len(design.columns):
            return None
        group = np.repeat(np.searchsorted(ends, np.arange(len(values)), side="right"), values)
        own = np.arange(design.width) - np.repeat(layout.value_offsets[:-1], values)
        step = ((own + 1) * np.repeat(steps, values)).astype(np.uint8)
        numbers = np.zeros((len(design), len(ends)), dtype=np.uint8)

        def number(rows: slice) -> None:
            starts = design.starts[rows.start : rows.stop + 1]
            two_outcome_loops.number_groups(starts, design.columns, group, step, numbers[rows])

        parallel_map(number, ranges(len(design), thread_count(), step=_NUMBERED_AT_ONCE))
        return cls(numbers, values, np.array(ends, dtype=np.int64))
