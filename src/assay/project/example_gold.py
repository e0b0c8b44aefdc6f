"""Prompts of a project that show examples from its gold or hand labels: chosen when the sources are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from assay.sources import PromptSource, Source, gold_examples, prompt


def with_examples(sources: Iterable[Source], gold_of: Callable[[str], Any], **about: Any) -> list[Source]:
    """Sources, in which prompts that want examples have some.

    ``gold_of`` gives the true labels of ``"gold"`` or ``"hand_labels"``; ``about`` tells ``gold_examples`` of the data.
    """
    return [
        _with_some(source, gold_of(source.examples_from), about)
        if isinstance(source, PromptSource) and source.examples_from is not None
        else source
        for source in sources
    ]


def _with_some(source: PromptSource, gold: Any, about: dict[str, Any]) -> PromptSource:
    assert source.recipe is not None
    given = dict(source.recipe.arguments)
    per_answer = given.pop("examples_per_answer")
    del given["examples_from"]
    chosen = gold_examples(gold=gold, per_answer=per_answer, **about)
    made = prompt(given.pop("prompt"), **{**given, "examples": chosen}, name=source.name)
    return replace(made, recipe=source.recipe)
