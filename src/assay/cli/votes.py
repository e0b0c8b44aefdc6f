"""Commands that make votes and look at them: init, apply, suggest, cache, summary, check, dependencies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.options import SEED, TEXTS, Address, Budget, Debug, DryRun, Engine, Folder, Json, OnError
from assay.cli.output import load, print_faults, print_json, records, tell_stale
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.project import Project
    from assay.report import AskingPlan
    from assay.sources import PromptCosts

commands = typer.Typer()


@commands.command(epilog="Example: [bold]assay init my-project --data my.csv --labels Spam,Ham[/]")
def init(
    folder: Annotated[Path, typer.Argument(help="The folder to write to.", show_default=False)],
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Your data, a .csv, .jsonl or .parquet file: a project for it is written instead of an example.",
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL,LABEL",
            help="With --data, the labels, as in Spam,Ham. May be given again to split a label: Spam=Advert,Fraud.",
        ),
    ] = None,
    gold: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="With --data, a column of it with true labels, to score with."),
    ] = None,
    texts: Annotated[int | None, typer.Option(min=1, help="How many texts of the example to generate.")] = None,
    seed: Annotated[int | None, typer.Option(help="The random seed of these texts.")] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a project for your own data, or an example: assay.toml, sources, and for the example texts and gold."""
    if data is not None:
        if texts is not None or seed is not None:
            raise AssayError("--texts and --seed are for the example; with --data, all rows of your data are taken")
        _init_for(folder, data, labels or [], gold, as_json)
        return
    if labels or gold is not None:
        raise AssayError("--labels and --gold are about your own data: name the file with --data too")
    from assay.project.demo import write_example

    written = write_example(folder, TEXTS if texts is None else texts, SEED if seed is None else seed)
    if as_json:
        print_json({"folder": str(folder), "files": written})
        return
    print(f"wrote {', '.join(written)} to {folder}")
    print(f"next: assay run {folder}")


def _init_for(folder: Path, data: str, labels: list[str], gold: str | None, as_json: bool) -> None:
    """Write a project for somebody's own data, and say how to go on."""
    from assay.project import new_project

    made = new_project(folder, data, labels, gold)
    if as_json:
        print_json(made.to_dict())
        return
    found = made.guesses
    print(f"wrote {' and '.join(made.files)} to {folder}")
    named = "numbered by row" if found.id is None else f"named by the column {found.id!r}"
    read = f"; texts are in {', '.join(map(repr, found.texts))}" if found.texts else "; no column of texts was found"
    print(f"guessed from {found.rows:,} rows of {data}: items are {named}{read}")
    for task in made.tasks:
        above = "".join(f", of {label}" for _, label in task.parents)
        print(f"the task {task.name!r}{above}: {', '.join(task.labels)}")
    print(f"check {folder / made.files[0]}, then write sources: {folder / made.files[1]} has examples for your columns")
    print(f"(or write them in a browser: assay studio {folder})\n\nnext:")
    print(f"  assay run {folder}                              label every row")
    print(f"  assay report {folder}                           see how good the labels are, and what to do about it")
    print(f"  assay export {folder} labels.csv --with-data    your rows, with their labels")


@commands.command(epilog="Example: [bold]assay apply my-project --workers 2[/]")
def apply(
    folder: Folder = Path("."),
    workers: Annotated[
        str | None,
        typer.Option(metavar="N|auto", help="Number of processes, in place of the setting in assay.toml."),
    ] = None,
    on_error: OnError = None,
    dry_run: DryRun = False,
    budget: Budget = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="all|unsure",
            help="Ask prompts about all items, or those that other sources leave the model unsure of.",
        ),
    ] = None,
    share: Annotated[
        float | None, typer.Option(metavar="SHARE", help="The share of items that these are, in place of the setting.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Apply all sources, even if their votes were kept from before.")
    ] = False,
    engine: Engine = None,
    address: Address = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Apply the project's sources to its data and write the votes; only what has changed is applied again."""
    from assay.project import apply_sources, costs_of, hand_labels_of, kept_votes, reuse_text, votes_path

    project = load(folder).with_engine(engine, address)
    if where not in (None, "all", "unsure"):
        raise AssayError(f"--where must be 'all' or 'unsure', but is {where!r}")
    if share is not None and (where or project.ask_where) != "unsure":
        raise AssayError("--share says about how many unsure items prompts are asked; give --where unsure too")
    told_share = project.ask_share if share is None else share
    found = None
    if (where or project.ask_where) == "unsure":
        from assay.project import unsure_items

        found = unsure_items(project, told_share, hand_labels=hand_labels_of(project))
    elif where == "all":
        project = replace(project, ask_where="all")
    told = {} if found is None else found.to_dict()
    if found is not None and not as_json:
        print(found)
    rows = None if found is None else found.rows.tolist()
    if dry_run:
        costs = costs_of(project, budget=budget, ask=rows)
        plan = None
        if found is not None:
            from assay.project import plan_before

            plan = plan_before(project, found, costs)
        _print_costs(costs, {**told, **_plan_told(plan)}, as_json)
        if plan is not None and not as_json:
            from assay.report import asking_table, show

            show(asking_table(plan))
        return
    changes: dict[str, Any] = {"workers": _workers(workers), "on_error": on_error, "budget": budget, "ask": rows}
    kept = kept_votes(project, fresh=fresh)
    votes = apply_sources(project, kept=kept, **{name: value for name, value in changes.items() if value is not None})
    reuse = () if kept is None else kept.reuse
    path = votes_path(project)
    if as_json:
        n, m = votes.shape
        faults = [vars(fault) for fault in votes.faults]
        used = [vars(one) for one in reuse]
        print_json({"items": n, "sources": m, "votes": str(path), "faults": faults, "reuse": used, **told})
        return
    print_faults(votes)
    for line in reuse_text(reuse):
        print(line)
    print(f"{votes!r} written to {path}")
    print(f"next: assay summary {folder}")


@commands.command(epilog="Example: [bold]assay suggest my-project --out suggested.toml[/]")
def suggest(
    folder: Folder = Path("."),
    out: Annotated[
        Path | None, typer.Option(help="The file to write; by default suggested.toml in the project folder.")
    ] = None,
    items: Annotated[int, typer.Option(min=1, help="How many texts the model is shown.")] = 100,
    on: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of texts; by default the one people are shown.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The random seed of the choice of texts.")] = 0,
    dry_run: DryRun = False,
    budget: Budget = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Ask a language model for words and patterns for each label, and write them to a file to review."""
    from assay.project import refuse_existing, suggest_costs, suggestion_table, write_suggestion
    from assay.project import suggest as suggest_rules
    from assay.report import show

    project = load(folder)
    path = folder / "suggested.toml" if out is None else out
    asked = project.prompts if budget is None else replace(project.prompts, budget=budget)
    how: dict[str, Any] = {"on": on, "items": items, "seed": seed, "prompts": asked}
    if dry_run:
        _print_costs(suggest_costs(project, **how), {}, as_json)
        return
    refuse_existing(path)  # before anything is paid for
    found = suggest_rules(project, **how)
    write_suggestion(found, path)
    if as_json:
        print_json({**found.to_dict(), "path": str(path)})
        return
    if found.sources:
        show(suggestion_table(found))
    print(f"{len(found.sources)} rules to review, and {len(found.refused)} refused with the reasons, in {path}")
    if found.sources:
        print(f"next: delete what is wrong, then: cat {path} >> {project.sources_file}")


@commands.command(epilog="Example: [bold]assay cache my-project --clear[/]")
def cache(
    folder: Folder = Path("."),
    clear: Annotated[
        bool, typer.Option("--clear", help="Forget the answers; they will be asked and paid anew.")
    ] = False,
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="With --clear, only the answers of this model.")
    ] = None,
    votes: Annotated[
        bool, typer.Option("--votes", help="The votes of sources that are kept, in place of answers of prompts.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the answers of prompts that are kept and what they cost, or the votes of other sources; and forget them."""
    from assay.project import answers_kept, forget_answers, kept_table
    from assay.report import show

    project = load(folder)
    if votes:
        _print_kept_votes(project, clear, as_json)
        return
    forgotten = forget_answers(project, model) if clear else None
    kept = answers_kept(project)
    if as_json:
        print_json({**kept.to_dict(), **({} if forgotten is None else {"forgotten": forgotten})})
        return
    if forgotten is not None:
        print(f"forgot {forgotten:,} answers")
    if kept.models:
        show(kept_table(kept))
    else:
        print(f"{kept.path} holds no answers")


@commands.command(epilog="Example: [bold]assay summary my-project --by task[/]")
def summary(
    folder: Folder = Path("."),
    by: Annotated[
        str, typer.Option(metavar="source|task|overall", help="One row for each source or task, or one for everything.")
    ] = "source",
    gold: Annotated[bool, typer.Option(help="Score against the project's gold labels, if it has any.")] = True,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show coverage, overlaps and conflicts of the sources, and their accuracy if there is gold."""
    from assay.project import gold_votes, stored_votes
    from assay.report import show, summary_table

    project = load(folder)
    votes = stored_votes(project)
    tell_stale(project, votes)
    table = votes.summary(gold_votes(project, votes) if gold else None, by=by)
    if as_json:
        print_json(records(table))
        return
    show(summary_table(table, f"{len(votes):,} items" + ("" if by == "overall" else f", by {by}")))
    print_faults(votes)


@commands.command(epilog="Example: [bold]assay check my-project[/]")
def check(folder: Folder = Path("."), as_json: Json = False, debug: Debug = False) -> None:
    """Check whether the accuracies of the sources can be learned from their votes; exit code 1 if not."""
    from assay.project import check_in_toml, check_votes, current_votes, in_toml

    project = load(folder)
    votes = current_votes(project)
    stale = tell_stale(project, votes)
    report = check_votes(project, votes)
    if as_json:
        print_json({**check_in_toml(report), "stale": stale})
    else:
        print(in_toml(str(report)))
    if not report.ok:
        raise typer.Exit(1)


@commands.command(epilog="Example: [bold]assay dependencies my-project[/]")
def dependencies(folder: Folder = Path("."), as_json: Json = False, debug: Debug = False) -> None:
    """Find sources that agree more often than the truth explains, from their votes alone."""
    from assay.project import current_votes, hints_of, learned_dependencies
    from assay.report import dependencies_table, show

    project = load(folder)
    votes = current_votes(project)
    stale = tell_stale(project, votes)
    learned = learned_dependencies(project, votes)
    hints = hints_of(project, votes)
    if as_json:
        print_json({**learned.to_dict(), "hints": [vars(hint) for hint in hints], "stale": stale})
        return
    if learned.edges:
        show(dependencies_table(learned.to_pandas(), "correlations between sources that the truth does not explain"))
    else:
        print(learned.summary())
    for note in learned.notes:
        print(f"note: {note}")
    for hint in hints:
        print(f"hint: {hint}")
    if learned.pairs:
        print('to use them: dependencies = "learn" in [model] of assay.toml')


def _print_costs(costs: PromptCosts, told: Mapping[str, Any], as_json: bool) -> None:
    """What prompts would cost."""
    from assay.project import costs_table
    from assay.report import show

    if as_json:
        print_json({**costs.to_dict(), **told})
        return
    if costs.prompts:
        show(costs_table(costs))
    print(costs if costs.prompts else "no source is a prompt, so nothing is asked")


def _workers(said: str | None) -> int | str | None:
    return int(said) if said is not None and said.isdigit() else said


def _print_kept_votes(project: Project, clear: bool, as_json: bool) -> None:
    """How much is kept of what sources said, after it was forgotten if that is wanted."""
    from assay.project import kept_votes

    kept = kept_votes(project)
    if kept is None:
        raise AssayError("cache = false in [settings] of assay.toml says that no votes are kept")
    forgotten = kept.clear() if clear else None
    if as_json:
        extra = {} if forgotten is None else {"forgotten": forgotten}
        print_json({"folder": str(kept.folder), "sources": kept.count, "bytes": kept.size, **extra})
        return
    if forgotten is not None:
        print(f"forgot the votes of {forgotten:,} sources")
    print(f"{kept.folder} holds the votes of {kept.count:,} sources, {kept.size / 1e6:,.1f} MB")


def _plan_told(plan: AskingPlan | None) -> dict[str, Any]:
    """What asking about more items is expected to change, for JSON."""
    return {} if plan is None else {"asking": [step.to_dict() for step in plan.steps]}
