"""What speed/apply.py measures: texts, and ten sources as rules and as Python functions.

Uses the standard library only, since the peers' environment imports it too. The
texts hold no keyword as a piece of a longer word or in another case, so that
plain substrings, whole words and words in any case are the same question and all
contenders must cast the same votes.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

SEED = 20_251
LABELS = ("Medicine", "Law", "Music", "Business")

KEYWORDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "doctors": ("Medicine", ("surgeon", "physician")),
    "wards": ("Medicine", ("clinic", "hospital")),
    "lawyers": ("Law", ("attorney",)),
    "courts": ("Law", ("verdict", "lawsuit")),
    "players": ("Music", ("violinist", "drummer")),
    "records": ("Music", ("album",)),
    "companies": ("Business", ("merger", "shareholder")),
}
PATTERNS: dict[str, tuple[str, str]] = {
    "titles": ("Medicine", r"^Dr\. [A-Z]"),
    "versus": ("Law", r" v\. [A-Z][a-z]+"),
    "money": ("Business", r"\$\d+ million"),
}
NAMES = (*KEYWORDS, *PATTERNS)

_PEOPLE = "Dr. Okafor|Dr. Lindqvist|Maria Santos|the surgeon|a physician|the attorney|Judge Whitfield|the violinist|"
_PEOPLE += "a drummer|the young reporter|one shareholder|her brother|the mayor|a retired teacher|the committee"
_VERBS = "spoke about|returned to|was asked about|praised|left|described|had doubts about|wrote about|walked past"
_THINGS = "the clinic|a new album|the merger|the verdict|the old hospital|a lawsuit|Harmon v. Delacroix|the garden|"
_THINGS += "a $40 million offer|the long report|the evening train|a small bakery|the northern road|the spring festival"
_ENDINGS = "early on Monday|late last night|in front of the station|after the rain had stopped|before the holidays|"
_ENDINGS += "with hardly a word|to everyone's surprise|for the second time this year|near the river|as expected"


def texts(count: int) -> list[str]:
    """Sentences of about 60 to 100 characters; the same ones for the same count."""
    draw = random.Random(SEED)
    people, verbs, things, endings = (part.split("|") for part in (_PEOPLE, _VERBS, _THINGS, _ENDINGS))
    made = []
    for _ in range(count):
        text = f"{draw.choice(people)} {draw.choice(verbs)} {draw.choice(things)} {draw.choice(endings)}"
        while len(text) < 60:
            text += f", {draw.choice(endings)}"
        made.append(f"{text[0].upper()}{text[1:]}.")
    return made


def rows(of: Iterable[str]) -> list[SimpleNamespace]:
    """The texts as the objects that functions look at."""
    return [SimpleNamespace(text=text) for text in of]


def functions(medicine: Any, law: Any, music: Any, business: Any, abstain: Any) -> list[Callable[[Any], Any]]:
    """The ten sources as people write them, in the order of NAMES, answering with what is given for each label."""
    title, versus, million = (re.compile(pattern) for _, pattern in PATTERNS.values())

    def doctors(row: Any) -> Any:
        return medicine if "surgeon" in row.text or "physician" in row.text else abstain

    def wards(row: Any) -> Any:
        return medicine if "clinic" in row.text or "hospital" in row.text else abstain

    def lawyers(row: Any) -> Any:
        return law if "attorney" in row.text else abstain

    def courts(row: Any) -> Any:
        return law if "verdict" in row.text or "lawsuit" in row.text else abstain

    def players(row: Any) -> Any:
        return music if "violinist" in row.text or "drummer" in row.text else abstain

    def records(row: Any) -> Any:
        return music if "album" in row.text else abstain

    def companies(row: Any) -> Any:
        return business if "merger" in row.text or "shareholder" in row.text else abstain

    def titles(row: Any) -> Any:
        return medicine if title.match(row.text) else abstain

    def versus_(row: Any) -> Any:
        return law if versus.search(row.text) else abstain

    def money(row: Any) -> Any:
        return business if million.search(row.text) else abstain

    return [doctors, wards, lawyers, courts, players, records, companies, titles, versus_, money]


def checksums(columns: Iterable[Sequence[int]]) -> dict[str, str]:
    """A digest of each source's votes, given as positions in LABELS with −1 for an abstention."""
    return {
        name: hashlib.sha256(bytes(code + 1 for code in column)).hexdigest()[:16]
        for name, column in zip(NAMES, columns, strict=True)
    }
