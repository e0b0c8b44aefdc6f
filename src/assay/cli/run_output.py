"""What commands print of a run: its sources, its scores, and what hand labels tell of its labels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from assay.cli.options import PRECISION
from assay.cli.output import print_faults
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from assay.evaluation import Evaluation
    from assay.project import Run


def print_run(made: Run) -> None:
    """What a run gave: the check, the sources with their accuracies, and the scores."""
    from assay.project import in_toml, plan_for, reuse_text
    from assay.report import asking_table, score_table, show, sources_table

    model = made.model
    print_faults(made.votes)
    for line in reuse_text(made.reuse):
        print(line)
    if made.check.problems:
        print(in_toml(f"{made.check}\n"))
    hand = made.hand_labels
    learned = "without gold" if hand is None else f"with {len(hand):,} items labeled by hand"
    show(sources_table(model.sources_, f"what the label model learned, {learned}"))
    for note in model.notes_:
        print(f"note: {in_toml(note)}")
    for sentence in model.advice_:
        print(f"- {in_toml(sentence)}")
    if made.evaluations:
        show(score_table(made.evaluations, "against gold"))
    _print_refined(made)
    plan = plan_for(made.project, made.votes, model)
    if plan is not None:
        show(asking_table(plan))
    print_told(made)
    silent = 0 if made.labels.has_votes is None else int((~made.labels.has_votes).sum())
    if silent and made.refined is None:
        print(_without_votes(silent, len(made.labels)))
    kept = made.kept
    if kept is not None and kept.flipped is not None:
        changed = f"{kept.flipped:,} of {kept.items:,} items have another label than in run {kept.previous}"
        print(f"run {kept.number}: {changed}")
    print(f"votes, labels and the model are in {made.project.output}")


def _without_votes(silent: int, items: int) -> str:
    """What labels are worth on which no source voted.

    >>> _without_votes(1, 2500)
    '1 of 2,500 items has no votes: its label is only the class balance, and has_votes is false in the file'
    """
    has = "has no votes: its label is" if silent == 1 else "have no votes: their labels are"
    return f"{silent:,} of {items:,} items {has} only the class balance, and has_votes is false in the file"


def _print_refined(made: Run) -> None:
    """What refined labels rest on, if there are some."""
    from assay.report import evidence_table, show

    facts = made.evidence
    if facts is None:
        return
    show(evidence_table(facts, "what refined labels rest on"))
    for note in facts.notes:
        print(f"note: {note}")
    print(f"refined labels are in {made.project.output / 'refined.parquet'}")


def print_told(made: Run) -> None:
    """What hand labels tell of all items, if there are some."""
    from assay.report import guarantee_text, shares_table, show

    if made.labels.gold is None:
        return
    show(shares_table(made.labels.balance(), "how common each label is, by hand labels"))
    try:
        print(guarantee_text(made.labels.guarantee(PRECISION)))
        print(f"to write these labels and a list of the rest: assay confident {made.project.folder}")
    except AssayError as error:
        print(f"labels that need no check: {error}")


def told_by_hand_labels(made: Run) -> dict[str, Any]:
    """What hand labels tell of all items, for JSON."""
    if made.labels.gold is None:
        return {}
    shares = json.loads(made.labels.balance().to_json(orient="records"))
    try:
        return {"shares": shares, "guarantee": made.labels.guarantee(PRECISION).to_dict()}
    except AssayError as error:
        return {"shares": shares, "guarantee": None, "no_guarantee": str(error)}


def comparison_of(found: Mapping[str, Evaluation]) -> Table:
    """The scores of several methods in one table, that says on which items."""
    from assay.report import comparison_table

    last = list(found.values())[-1]
    if last.cross_fitted == last.items:
        how = f"by {last.items:,} hand labels, each predicted without itself, with 95% intervals"
    elif any(name.startswith("end model") for name in found):
        how = f"against gold, on {last.items:,} items held out of training"
    else:
        how = f"against gold, on {last.items:,} items"
    return comparison_table(found, how)
