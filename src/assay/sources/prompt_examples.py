"""Examples of a prompt that are chosen from gold: a few for each answer, the same ones each time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.arguments import whole_number
from assay._core.rows import batches, records_at
from assay.errors import SourceError, TaskError
from assay.sources.naming import NamesInPassing
from assay.sources.prompt_answers import Answers
from assay.sources.prompt_questions import Question, Several, Written
from assay.sources.templates import Template
from assay.tasks import TaskGraph, task_graph_declared_last
from assay.votes import Votes, compare_with_gold, is_missing

PER_ANSWER = 2


@dataclass(frozen=True, eq=False)
class GoldExamples:
    """Rows with gold, of which prompts choose examples. Made by :func:`assay.gold_examples`."""

    rows: Sequence[Mapping[str, Any]]
    """Those with gold."""
    items: Sequence[Any]
    """Their names, or their numbers among all rows."""
    gold: Votes
    """Their true labels, as votes of one source."""
    per_answer: int = PER_ANSWER
    seed: int = 0

    def __repr__(self) -> str:
        return f"GoldExamples({len(self.rows):,} items with gold, {self.per_answer} per answer)"


def gold_examples(
    data: Any,
    gold: Any,
    *,
    tasks: TaskGraph | None = None,
    id: str | None = None,
    per_answer: int = PER_ANSWER,
    seed: int = 0,
) -> GoldExamples:
    """Examples for :func:`assay.prompt`, chosen from items whose true labels are known.

    A prompt shows ``per_answer`` items for each of its answers, chosen by the seed and by their texts, whatever the
    order of rows. An item is never shown its own answer: where it, or another row with the same text, is asked about,
    another example takes its place. ``source.example_items`` lists the items that were chosen, so that scores on
    them can be left out.

    Parameters
    ----------
    data
        The rows, in any shape that :func:`assay.apply` takes.
    gold
        True labels of some of them, in any shape that :meth:`assay.Votes.summary` takes, hand labels among them.
    tasks
        The task graph; by default the one that was declared last.
    id
        The column with the names of items, as in :func:`assay.apply`.
    per_answer, seed
        How many examples each answer gets, and the seed of the choice.

    >>> import assay
    >>> tasks = assay.TaskGraph.flat("mail", ["Ham", "Spam"])
    >>> rows = [{"text": "win a phone"}, {"text": "lunch?"}, {"text": "a prize"}, {"text": "see you"}]
    >>> chosen = assay.gold_examples(rows, ["Spam", "Ham", None, "Ham"], tasks=tasks, per_answer=1)
    >>> spam = assay.prompt("Spam? {text}", answers={"yes": "Spam", "no": None}, examples=chosen, name="is_spam")
    >>> spam.conversation.examples
    (('Spam? win a phone', 'yes'), ('Spam? lunch?', 'no'))
    >>> spam.example_items
    (0, 1, 3)
    """
    whole_number("per_answer", per_answer, least=1, error=SourceError)
    graph = tasks if tasks is not None else task_graph_declared_last()
    if graph is None:
        raise TaskError("no task graph: declare assay.TaskGraph([...]) first, or give gold_examples(..., tasks=...)")
    every = list(data) if hasattr(data, "__next__") else data
    names = NamesInPassing(id, every)
    count = sum(len(batch) for batch in names.noted(batches(every)))
    nothing = Votes.from_columns(graph, {"nobody": [None] * count})
    called = names.all()
    truth = replace(nothing, items=called).gold(gold)
    known = np.flatnonzero(truth.voted)
    records = records_at(every, known.tolist())
    items = known if called is None else called[known]
    return GoldExamples([records[row] for row in known.tolist()], items.tolist(), truth.take(known), per_answer, seed)


@dataclass(frozen=True)
class Examples:
    """What a prompt shows before it asks."""

    shown: tuple[tuple[str, str], ...] = ()
    """Questions and their answers."""
    spares: tuple[tuple[str, str], ...] = ()
    """One more for an answer, shown in place of an example that is asked about."""
    items: tuple[Any, ...] = ()
    """The items that were chosen from gold."""


def chosen_examples(
    given: GoldExamples, template: Template, question: Question, task: str | tuple[str, ...] | None
) -> Examples:
    """A few examples for each answer, in turn; which ones, their texts decide."""
    texts = [_filled(template, row) for row in given.rows]
    by_answer: dict[str, list[tuple[bytes, int]]] = {}
    seen: set[str] = set()
    for at, answer in enumerate(_true_answers(given.gold, question, task)):
        text = texts[at]
        if answer is not None and text is not None and text not in seen:
            seen.add(text)
            by_answer.setdefault(answer, []).append((_chance(given.seed, text), at))
    if len(by_answer) < 2:
        raise SourceError(
            f"examples must be of two answers at least, or they teach a model to say one; of {len(given.rows):,} items "
            f"with gold, {'none answers' if not by_answer else f'all answer {next(iter(by_answer))!r} to'} "
            f"{template.text[:60]!r}; label more items, or write examples by hand"
        )
    ordered = {answer: [at for _, at in sorted(found)] for answer, found in by_answer.items()}
    shown: list[tuple[str, int]] = []
    for turn in range(given.per_answer):
        turns = sorted(ordered, key=lambda answer: _chance(given.seed, f"{turn} {answer}"))
        shown += [(answer, ordered[answer][turn]) for answer in turns if turn < len(ordered[answer])]
    spares = [(answer, found[given.per_answer]) for answer, found in ordered.items() if len(found) > given.per_answer]
    pairs, more = (tuple((str(texts[at]), answer) for answer, at in chosen) for chosen in (shown, spares))
    items = sorted(given.items[at] for _, at in (*shown, *spares))
    return Examples(pairs, more, tuple(items))


def _filled(template: Template, row: Mapping[str, Any]) -> str | None:
    missing = any(is_missing(row.get(column)) for column in template.columns)
    return None if missing else template.filled(row)


def _chance(seed: int, text: str) -> bytes:
    return hashlib.sha256(f"{seed} {text}".encode("utf-8", "replace")).digest()


def _true_answers(gold: Votes, question: Question, task: str | tuple[str, ...] | None) -> Iterator[str | None]:
    """For each item with gold the answer that is true, as the model should write it; None where gold does not tell."""
    if isinstance(question, Several):
        parts = {
            name: _true_of(gold, answers, name, [None if one is None else {name: one} for one in answers.meanings])
            for name, answers in question.answers.items()
        }
        for row in range(len(gold)):
            said = {name: chosen[row] for name, chosen in parts.items()}
            yield None if None in said.values() else json.dumps(said)
        return
    answers = question.answers
    assert isinstance(answers, Answers)
    for text in _true_of(gold, answers, task, answers.meanings):
        yield json.dumps({"answer": text}) if text is not None and isinstance(question, Written) else text


def _true_of(
    gold: Votes, answers: Answers, task: str | tuple[str, ...] | None, meanings: Sequence[Any]
) -> list[str | None]:
    """For each item the true answer to one question: the finest that gold entails, or to abstain if all are wrong."""
    voting = [number for number, meaning in enumerate(meanings) if meaning is not None]
    silent = [number for number, meaning in enumerate(meanings) if meaning is None]
    is_right, is_wrong, size = (np.empty((len(meanings), *shape)) for shape in ((len(gold),), (len(gold),), ()))
    for number in voting:
        votes = _saying(gold, meanings[number], task)
        is_right[number], is_wrong[number] = _right_and_wrong(votes, gold)
        size[number] = _share_of_outcomes(votes)
    found: list[str | None] = []
    for row in range(len(gold)):
        right = sorted((number for number in voting if is_right[number, row]), key=lambda number: size[number])
        if right and (len(right) == 1 or size[right[0]] < size[right[1]]):
            found.append(answers.texts[right[0]])
        elif not right and len(silent) == 1 and all(is_wrong[number, row] for number in voting):
            found.append(answers.texts[silent[0]])
        else:
            found.append(None)
    return found


def _saying(gold: Votes, meaning: Any, task: str | tuple[str, ...] | None) -> Votes:
    """Votes of one source that says the same of every item."""
    said = [meaning] * len(gold)
    column = (task, said) if isinstance(task, str) and not isinstance(meaning, Mapping) else said
    return Votes.from_columns(gold.tasks, {"answer": column})


def _right_and_wrong(votes: Votes, gold: Votes) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """(items,): whether all that is said of an item is entailed by gold, and whether some of it is ruled out."""
    right, wrong = compare_with_gold(votes, gold)
    rows = votes.cast.row
    all_right = np.bincount(rows, weights=right, minlength=len(votes)) == np.bincount(rows, minlength=len(votes))
    return all_right, np.bincount(rows, weights=wrong, minlength=len(votes)) > 0


def _share_of_outcomes(votes: Votes) -> float:
    """The share of outcomes that a vote leaves: the smaller, the finer it is."""
    share = 1.0
    for sets in votes.outcome_sets:
        for number in sets.of_code[0][:-1]:
            share *= float(sets.masks[number].mean()) if number >= 0 else 1.0
    return share
