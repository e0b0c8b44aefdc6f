"""What asking a project's prompts about more items is expected to change, against what it costs."""

from __future__ import annotations

import numpy as np

from assay.model import LabelModel
from assay.project.project import Project
from assay.project.prompt_notes import PromptNotes
from assay.project.stored import MODEL_FILE, stored_votes, votes_path
from assay.project.unsure import Unsure
from assay.report import AskingPlan, CostPerItem, asking_plan, expected_gains
from assay.sources import PromptCosts, prompt_costs
from assay.votes import Votes

_SAMPLE = 200
"""Of the items that were not asked about, so many tell what an item costs."""


def cost_per_item(costs: PromptCosts, items: int) -> CostPerItem:
    """What one of some items costs, those among them that were paid for before as much as others."""
    paid = sum(one.questions for one in costs.prompts)
    asked = paid + sum(one.kept for one in costs.prompts)
    each = asked / max(paid, 1) / max(items, 1)
    return CostPerItem(asked / max(items, 1), costs.tokens * each, None if costs.cost is None else costs.cost * each)


def plan_before(project: Project, unsure: Unsure, costs: PromptCosts) -> AskingPlan:
    """What asking about some items, or more of them, may change, before it is done.

    What prompts are expected to gain is known if they were asked about some items before.
    """
    path = project.output / MODEL_FILE
    if PromptNotes.stored(project.output).asked and path.is_file() and votes_path(project).is_file():
        votes, model = stored_votes(project), LabelModel.load(path)
        known = plan_for(project, votes, model) if set(votes.names) == set(model.fitted_.names) else None
        if known is not None and known.items == unsure.items:
            return known
    return asking_plan(unsure.confidence, [], cost_per_item(costs, len(unsure.rows)))


def plan_for(project: Project, votes: Votes, model: LabelModel) -> AskingPlan | None:
    """What is left to ask after a run; None if no prompt was asked, or all items were asked about.

    No server is asked for anything: tokens are foreseen from earlier answers, or guessed.
    """
    notes = PromptNotes.stored(project.output)
    prompts = [name for name in notes.models if name in votes.names]
    if not prompts or notes.asked is None:
        return None
    left = np.setdiff1d(np.arange(len(votes)), notes.asked)
    if not len(left):
        return None
    some = np.random.default_rng(project.model.seed).permutation(left)[:_SAMPLE]
    sources = [source for source in project.sources() if source.name in prompts]
    costs = prompt_costs(sources, project.data, prompts=project.prompts, ask=some.tolist(), tokenizer=False)
    confidence = np.min([part.max(axis=1) for part in model.fitted_.posteriors(votes)], axis=0)
    gains = expected_gains(model, votes, prompts, notes.asked, seed=project.model.seed)
    return asking_plan(confidence, notes.asked, cost_per_item(costs, len(some)), gains)
