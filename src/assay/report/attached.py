"""What is attached to the objects of other rooms: their ``plot``, and the table that a notebook shows.

``assay/__init__`` hands these two functions to :mod:`assay._core.views`, where votes, labels, models, checks and
evaluations ask for them. A new kind of object with pictures needs a line here, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.checks import CheckReport
from assay.evaluation import Evaluation
from assay.labels import Labels
from assay.model import LabelModel
from assay.model.dependencies import LearnedDependencies
from assay.report import notebook
from assay.votes import Votes

if TYPE_CHECKING:
    from assay.report.plots import DependencyPlots, EvaluationPlots, LabelPlots, ModelPlots, VotePlots


def plots_of(thing: object) -> VotePlots | LabelPlots | ModelPlots | DependencyPlots | EvaluationPlots:
    """The pictures of a thing.

    >>> plots_of(Votes.from_matrix([[0, 1]]))
    VotePlots(votes=Votes(...))
    """
    # Not at the top of the file: pictures need altair, tables do not.
    from assay.report import plots

    match thing:
        case Votes():
            return plots.VotePlots(thing)
        case Labels():
            return plots.LabelPlots(thing)
        case LabelModel():
            return plots.ModelPlots(thing)
        case LearnedDependencies():
            return plots.DependencyPlots(thing)
        case Evaluation():
            return plots.EvaluationPlots(thing)
    raise TypeError(f"there are no pictures of {type(thing).__name__}")


def html_of(thing: object) -> str:
    """The table that a notebook shows of a thing.

    >>> print(html_of(CheckReport()))
    <p>no problems found</p>
    """
    match thing:
        case Votes():
            return notebook.votes_html(thing)
        case Labels():
            return notebook.labels_html(thing)
        case LabelModel():
            return notebook.model_html(thing)
        case Evaluation():
            return notebook.evaluation_html(thing)
        case CheckReport():
            return notebook.check_html(thing)
    raise TypeError(f"there is no table of {type(thing).__name__}")
