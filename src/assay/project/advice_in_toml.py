"""Advice as it is followed on the command line: settings are keys of assay.toml, and calls are commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from assay.checks import CheckReport

_Words = str | Callable[[re.Match[str]], str]

_SAID: tuple[tuple[str, _Words], ...] = (
    (r"LabelModel\(allow_unidentifiable=True\)", "allow_unidentifiable = true in [model] of assay.toml"),
    (r"with LabelModel\(dependencies=\[\.\.\.\]\)", "as dependencies = [...] in [model] of assay.toml"),
    (r"declare the dependency \('(.*?)', '(.*?)'\)", lambda found: _pair(found[1], found[2])),
    (r"see what assay\.learn_dependencies finds", "see what 'assay dependencies' finds"),
    (r"look at assay\.suggest_task_graph\(votes\), and correct", "correct"),
    (r"raise max_steps, or run assay\.check", "raise max_steps in [model] of assay.toml, or run 'assay check'"),
    (r"(set|use) method='em'", r'set method = "em" in [model] of assay.toml'),
    (r"method='(\w+)'", r'method = "\1"'),
    (r"class_balance=(\{.*?\}+)", lambda found: _balance(found[1])),
    (r"(give|set) class_balance\b(?! =)", r"\1 class_balance in [model] of assay.toml"),
    (
        r"label about (\d+) (random )?items by hand( and fit with them as gold)?",
        r"label about \1 \2items by hand with 'assay label', and run again",
    ),
    (r"annotators could read; say which one they do, as in on='(.*?)'", r"annotators could read; say --on '\1'"),
    (r"fit the label model with gold, as in LabelModel\(\)\.fit\(votes, gold\)", "label items with 'assay label'"),
)
"""What advice says for programs, and what it says for projects."""


def in_toml(advice: str) -> str:
    """Advice in the words of ``assay.toml`` and of the command line.

    >>> in_toml("drop one of them, or declare the dependency ('kb', 'kb2')")
    'drop one of them, or add ["kb", "kb2"] to dependencies in [model] of assay.toml'
    >>> in_toml("as in class_balance={'mail': {'spam': 0.15}}")
    'as in class_balance = {mail = {spam = 0.15}} in [model] of assay.toml'
    """
    for pattern, words in _SAID:
        advice = re.sub(pattern, words, advice)
    return advice


def check_in_toml(report: CheckReport) -> dict[str, Any]:
    """A check for JSON, with its advice in the same words."""
    said = report.to_dict()
    return {**said, "problems": [{**problem, "fix": in_toml(problem["fix"])} for problem in said["problems"]]}


def _pair(one: str, other: str) -> str:
    return f"add {json.dumps([one, other], ensure_ascii=False)} to dependencies in [model] of assay.toml"


def _balance(given: str) -> str:
    """A dict of shares, as TOML writes it."""
    written = re.sub(r"'((?:[^'\\]|\\.)*)': ", lambda found: f"{_key(found[1])} = ", given)
    return f"class_balance = {written} in [model] of assay.toml"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
