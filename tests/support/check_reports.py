"""A problem without problems, and how to pick one from a report."""

import numpy as np

from assay.simulate import flat_world

CLEAN = flat_world(sources=6).draw(2000).votes


def codes_of(*columns):
    """Votes of the clean problem with more columns beside them."""
    return np.column_stack([CLEAN.codes, *columns])


def only(report, code=None):
    """The one problem there is, or the one with a code."""
    (problem,) = [problem for problem in report.problems if code in (None, problem.code)]
    return problem
