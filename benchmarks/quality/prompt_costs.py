"""What prompts are foreseen to cost, against what they cost, asked of the real local model.

    python -m benchmarks.quality.prompt_costs

With the server's tokenizer, before anything is asked and after the first answers; without one, after these; and with
a budget of half of the cost. Needs ``make llm``. One of the prompts has its answers written as JSON, whose length no
tokenizer tells.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import assay
from assay.llm import AnswerCache, LocalModel
from assay.project.demo.local_prompts import local_prompts
from assay.project.demo.texts import make

ROWS = 100
FIRST = 30
"""Rows whose answers are there before the rest is foreseen without a tokenizer: with two prompts, sixty questions."""


def spent(cache: Path) -> tuple[int, int]:
    with AnswerCache(cache) as answers:
        kept = answers.kept()
    return sum(one.input_tokens for one in kept), sum(one.output_tokens for one in kept)


def main() -> None:
    rows = make(ROWS, 7).texts
    tasks = assay.TaskGraph(
        [
            assay.Task("entity", ["Person", "Organization"]),
            assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
            assay.Task("org", ["Hospital", "Office"], parent=("entity", "Organization")),
        ]
    )
    written = assay.prompt(
        "Is this text about a person or an organization? {text}",
        answers=["Person", "Organization"],
        soft=False,
        name="w",
    )
    sources = [local_prompts()[0], written]
    with tempfile.TemporaryDirectory() as folder, LocalModel() as model:
        cache = Path(folder) / "answers.sqlite"
        prices = {model.name: {"input": 1.0, "output": 4.0}}
        settings = replace(model.settings, cache=cache, prices=prices)
        by_tokenizer = assay.prompt_costs(sources, rows, prompts=settings)
        assay.apply(sources, rows[:FIRST], tasks, prompts=settings, progress=False)
        before = sum(spent(cache))
        by_both, by_answers = (
            assay.prompt_costs(sources, rows, prompts=settings, tokenizer=tokenizer) for tokenizer in (True, False)
        )
        assay.apply(sources, rows, tasks, prompts=settings, progress=False)
        tokens_in, tokens_out = spent(cache)
        total = tokens_in + tokens_out
        for what, foreseen, actual in (
            ("with the tokenizer, nothing asked", by_tokenizer.tokens, total),
            (f"with it, after {2 * FIRST} answers", by_both.tokens, total - before),
            (f"without, after {2 * FIRST} answers", by_answers.tokens, total - before),
        ):
            print(f"{what:34} foreseen {foreseen:,} tokens, actual {actual:,}: {foreseen / actual - 1:+.1%}")
        cost = (tokens_in + 4 * tokens_out) / 1e6
        limited = replace(settings, cache=Path(folder) / "limited.sqlite", budget=cost / 2)
        votes = assay.apply(sources, rows, tasks, prompts=limited, progress=False)
        paid_in, paid_out = spent(Path(folder) / "limited.sqlite")
        paid = (paid_in + 4 * paid_out) / 1e6
        left_out = sum(fault.count for fault in votes.faults)
        print(f"budget {cost / 2:.6f}: paid {paid:.6f}, {paid / (cost / 2):.0%}; {left_out} answers missing")


if __name__ == "__main__":
    main()
