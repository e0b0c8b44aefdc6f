"""Sources that ask a language model about each row."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from assay._core.arguments import whole_number
from assay._core.rows import Batch
from assay.errors import SourceError
from assay.llm import Ask, BudgetSpentError, Endpoint, PromptSettings, Request, Session, UnansweredError
from assay.sources.base import Emission, Failure, Source, levels_for
from assay.sources.prompt_answers import Answers, UnreadableError
from assay.sources.prompt_examples import Examples, GoldExamples, chosen_examples
from assay.sources.prompt_questions import Choice, Conversation, FirstToken, Forced, Question, Said, Several, Written
from assay.sources.rule import Recipe
from assay.sources.templates import Template
from assay.votes import intern


@dataclass(frozen=True, kw_only=True)
class PromptSource(Source):
    """A source that asks a language model about each row."""

    template: Template
    question: Question
    conversation: Conversation
    calibrate: bool
    model: str | None
    base_url: str | None
    key: str | None
    examples_from: str | None = None
    """Where its examples are still to be taken from, as a project has it: ``"gold"`` or ``"hand_labels"``."""
    example_items: tuple[Any, ...] = ()
    """The items whose gold it shows as examples, by name or number: leave them out of scores."""
    recipe: Recipe | None = field(default=None, repr=False, compare=False)

    def default_name(self) -> str:
        text = " ".join(self.template.text.split())
        return f"prompt({text if len(text) <= 40 else f'{text[:39]}…'})"

    @property
    def declared(self) -> tuple[Any, ...] | None:
        """Several questions may be answered in any combination."""
        return tuple(self.question.answers.votes[1]) if isinstance(self.question, Choice) else None

    @property
    def mentioned(self) -> tuple[Any, ...]:
        if not isinstance(self.question, Several):
            return self.declared or ()
        answers = self.question.answers.items()
        return tuple({task: label} for task, one in answers for label in one.votes[1])

    def forgives(self, error: Exception) -> bool:
        """Models say strange things now and then; a question without an answer is another matter."""
        return not isinstance(error, UnansweredError)

    def endpoint(self, settings: PromptSettings) -> Endpoint:
        """Where it asks. A key goes to the server that it was given for, and to no other."""
        if self.examples_from is not None:
            raise SourceError(
                f"source {self.name!r} takes its examples from the {self.examples_from.replace('_', ' ')} of a "
                "project; load the project, or give prompt(..., examples=assay.gold_examples(...))"
            )
        base_url = self.base_url or settings.base_url
        model = self.model or settings.model
        missing = [name for name, value in (("base_url", base_url), ("model", model)) if not value]
        if missing or base_url is None or model is None:
            raise SourceError(
                f"source {self.name!r} needs {' and '.join(missing)}: give prompt(..., base_url='http://…/v1', "
                "model='…'), apply(..., prompts=assay.PromptSettings(...)), or [prompts] in assay.toml"
            )
        key = self.key if self.base_url is not None or self.key is not None else settings.key
        return Endpoint(base_url=base_url, model=model, key=key)

    @property
    def asks(self) -> str:
        return f"{self.model or 'the model'} at {self.base_url or 'the server'}"

    def requests(
        self, batch: Batch, settings: PromptSettings, rows: Container[int] | None = None
    ) -> Iterator[list[Request]]:
        """What is asked about each row of a batch, or some of them, that can be asked about."""
        endpoint = self.endpoint(settings)
        for number, text in enumerate(self.template.all_filled(batch), start=batch.start):
            if text is not None and (rows is None or number in rows):
                yield self.question.requests(self.conversation, endpoint, text)

    def empty_requests(self, settings: PromptSettings) -> list[Request]:
        """What is asked once, about an empty row, if the source is calibrated."""
        if not self.calibrate:
            return []
        return self.question.requests(self.conversation, self.endpoint(settings), self._empty_text)

    @property
    def _empty_text(self) -> str:
        return self.template.filled(dict.fromkeys(self.template.columns, ""))

    def __call__(self, row: Mapping[str, Any], *, prompts: PromptSettings | None = None) -> Said:
        """What the model says about one row; handy when trying a prompt out."""
        with Session(prompts or PromptSettings()) as session:
            found = _emitted([self], Batch.of_records([dict(row)]), session)[0]
        if isinstance(found[0], Exception):
            raise found[0]
        return Said(None, 0.0, "") if found[0] is None else found[0]

    def emit(self, batch: Batch) -> Emission:
        with Session(PromptSettings()) as session:
            return emit_prompts([self], batch, session)[0]


def emit_prompts(
    sources: Sequence[PromptSource], batch: Batch, session: Session, rows: Container[int] | None = None
) -> list[Emission]:
    """What each of some prompts says about a batch, or about some rows of it, all of them asked at the same time."""
    return [_emission(found, batch) for found in _emitted(sources, batch, session, rows)]


def _emission(found: Sequence[Said | Exception | None], batch: Batch) -> Emission:
    failures = [Failure(batch.start + row, one) for row, one in enumerate(found) if isinstance(one, Exception)]
    codes, values = intern([one.vote if isinstance(one, Said) else None for one in found])
    scores = np.array([one.score if isinstance(one, Said) else 0.0 for one in found])
    certain = (scores[codes >= 0] == 1).all()
    return Emission(codes, values, failures, None if certain else scores)


def _emitted(
    sources: Sequence[PromptSource], batch: Batch, session: Session, rows: Container[int] | None = None
) -> list[list[Said | Exception | None]]:
    """Per source and row what the model said, or why it said nothing; None where there was nothing to ask about."""
    found: list[list[Said | Exception | None]] = [[None] * len(batch) for _ in sources]
    questions = _calibrated(sources, session)

    def jobs() -> Iterator[Any]:
        for source, question in zip(sources, questions, strict=True):
            endpoint = source.endpoint(session.settings)
            for number, text in enumerate(source.template.all_filled(batch), start=batch.start):
                if text is None or (rows is not None and number not in rows):
                    yield _nothing
                else:
                    yield partial(_one, question, source.conversation, endpoint, text)

    def keep(number: int, said: Said | Exception | None) -> None:
        source, row = divmod(number, len(batch))
        found[source][row] = said

    session.run(jobs(), keep)
    return found


def _calibrated(sources: Iterable[PromptSource], session: Session) -> list[Question]:
    """The questions of some prompts, compared with what the model says of an empty row, if that is wanted."""
    return [
        _compared(source, session) if source.calibrate and isinstance(source.question, Choice) else source.question
        for source in sources
    ]


def _compared(source: PromptSource, session: Session) -> Question:
    known = session.memo.get(source.name)
    if known is None:
        endpoint = source.endpoint(session.settings)
        said: list[Said | Exception] = []
        job = partial(_one, source.question, source.conversation, endpoint, source._empty_text)
        session.run([job], lambda _, one: said.append(one))
        if isinstance(said[0], Exception):
            raise SourceError(f"source {source.name!r} cannot be calibrated with an empty row: {said[0]}")
        known = session.memo[source.name] = source.question.calibrated(said[0])
    question: Question = known
    return question


async def _one(
    question: Question, conversation: Conversation, endpoint: Endpoint, text: str, ask: Ask
) -> Said | Exception:
    """What a model says, or why it says nothing that can be used; what ends all questions is raised."""
    try:
        return await question.ask(conversation, endpoint, text, ask)
    except (UnansweredError, BudgetSpentError, UnreadableError) as error:
        return error


async def _nothing(ask: Ask) -> None:
    return None


def prompt(
    template: str,
    *,
    answers: Mapping[str, Any] | Sequence[str] | None = None,
    questions: Mapping[str, Mapping[str, Any] | Sequence[str]] | None = None,
    model: str | None = None,
    base_url: str | None = None,
    key: str | None = None,
    task: str | Sequence[str] | None = None,
    name: str | None = None,
    system: str | None = None,
    examples: Sequence[tuple[Mapping[str, Any], Any]] | GoldExamples = (),
    soft: bool = True,
    calibrate: bool = False,
    samples: int = 1,
    temperature: float | None = None,
    max_tokens: int | None = None,
    levels: Sequence[float] | None = None,
) -> PromptSource:
    """Ask a language model about each row.

    Parameters
    ----------
    template
        The question, with the names of columns in braces. It is sent as it is, with nothing added: say in it how to
        answer. Rows are data: braces and templates in them mean nothing. A row that lacks a value is not asked about.
    answers
        Answer -> what it means: a label, ``one_of`` or ``none_of`` of some, a dict over several tasks, or ``None`` to
        abstain. A list of labels if answers and labels are the same. Case and punctuation do not count.
    questions
        In place of ``answers``: task -> its answers, all asked for in one call as a JSON object. An answer that means
        ``None`` says nothing of its task.
    model, base_url
        A model, and the server it is asked at: any that speaks OpenAI's chat completions, such as vLLM, llama.cpp,
        Ollama, a gateway or a vendor. By default those of :class:`assay.PromptSettings`.
    key
        The *name* of the environment variable with the server's key.
    task, name
        As in :func:`assay.source`.
    system
        The system text.
    examples
        Pairs of a row and its answer, shown before the question; with ``questions`` the answer is a dict by task. Or
        :func:`assay.gold_examples`, to choose them from gold. A row is not shown where it is asked about.
    soft
        Whether to vote with the probability of the answer, by the log-probabilities of tokens: of the first token if
        answers begin differently, else of each whole answer, at a call each. Where a server tells none, and with
        several questions, the answer counts as certain.
    calibrate
        Whether to compare probabilities with those of an empty row, so that an answer the model always prefers is
        not always given (contextual calibration, Zhao et al. 2021). A call more.
    samples
        How many answers to draw by chance; the share of each is its probability. A call each.
    temperature
        How much chance there is in answers; by default none, and 1 if there are several samples.
    max_tokens
        The most tokens an answer may have; by default as many as the longest needs. Models that think aloud first
        need many more, and ``soft=False``.
    levels
        As in :func:`assay.source`.

    >>> spam = prompt("Is this comment spam? Answer yes or no.\\n\\n{text}", answers={"yes": "Spam", "no": None},
    ...     model="smollm2", base_url="http://127.0.0.1:8080/v1", name="is_spam")
    >>> spam.name
    'is_spam'
    """
    made = Template(template)
    whole_number("samples", samples, least=1, error=SourceError)
    if max_tokens is not None:
        whole_number("max_tokens", max_tokens, least=1, error=SourceError)
    question = _question(answers, questions, soft, samples)
    if calibrate and not isinstance(question, FirstToken | Forced):
        raise SourceError("calibrate compares probabilities: it needs answers= with soft=True, and no samples")
    tasks = tuple(questions) if questions is not None and task is None else task
    about = tasks if tasks is None or isinstance(tasks, str) else tuple(tasks)
    shown = _examples(examples, made, question, about)
    return PromptSource(
        given_name=name,
        task=about,
        levels=levels_for(levels),
        template=made,
        question=question,
        conversation=Conversation(system, shown.shown, shown.spares, temperature, max_tokens),
        example_items=shown.items,
        calibrate=calibrate,
        model=model,
        base_url=base_url,
        key=key,
        recipe=Recipe(
            "prompt",
            {
                "prompt": template,
                "answers": answers,
                "questions": questions,
                "model": model,
                "base_url": base_url,
                "key": key,
                "task": task,
                "system": system,
                "examples": examples if isinstance(examples, GoldExamples) else tuple(examples),
                "soft": soft,
                "calibrate": calibrate,
                "samples": samples,
                "temperature": temperature,
                "max_tokens": max_tokens,
                "levels": None if levels is None else tuple(levels),
            },
        ),
    )


def _question(answers: Any, questions: Any, soft: bool, samples: int) -> Question:
    if (answers is None) == (questions is None):
        raise SourceError("a prompt needs answers={'yes': 'Label', 'no': None}, or questions= for several tasks")
    if questions is not None:
        if not isinstance(questions, Mapping) or not questions:
            raise SourceError(f"questions must be a dict of task -> answers, but is {questions!r}")
        if samples > 1:
            raise SourceError("several questions at once are asked once: leave out samples, or ask them one by one")
        return Several({task: Answers.of(said, f"the answers for {task!r}") for task, said in questions.items()})
    read = Answers.of(answers)
    if samples > 1 or not soft:
        return Written(read, samples=samples)
    return FirstToken(read) if read.begin_apart else Forced(read)


def _examples(given: Any, template: Template, question: Question, task: str | tuple[str, ...] | None) -> Examples:
    """Examples as pairs of a filled template and the answer as the model should write it."""
    if isinstance(given, GoldExamples):
        return chosen_examples(given, template, question, task)
    shown = []
    for pair in given:
        if not isinstance(pair, Sequence) or len(pair) != 2 or not isinstance(pair[0], Mapping):
            raise SourceError(f"examples must be pairs of a row and its answer, but one is {pair!r}")
        row, answer = pair
        if isinstance(question, Several):
            if not isinstance(answer, Mapping) or set(answer) != set(question.answers):
                raise SourceError(f"an example must answer {sorted(question.answers)}, but says {answer!r}")
            text = json.dumps({task: one.texts[one.read(answer[task])] for task, one in question.answers.items()})
        else:
            assert isinstance(question, Choice)
            if not isinstance(answer, str):
                raise SourceError(f"the answer of an example must be one of the answers, but is {answer!r}")
            chosen = question.answers.texts[question.answers.read(answer)]
            text = json.dumps({"answer": chosen}) if isinstance(question, Written) else chosen
        shown.append((template.example(row), text))
    return Examples(tuple(shown))
