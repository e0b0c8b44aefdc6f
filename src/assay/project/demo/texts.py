"""Short texts about doctors, lawyers, hospitals and law offices, made from a seed.

The words of a text tell more about its label than any of the example sources
looks at, so that a model trained on the texts has something to find.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay._core.atomic_files import writing

OUTCOMES = {
    "Doctor": {"entity": "Person", "person": "Doctor", "org": None},
    "Lawyer": {"entity": "Person", "person": "Lawyer", "org": None},
    "Hospital": {"entity": "Organization", "person": None, "org": "Hospital"},
    "Office": {"entity": "Organization", "person": None, "org": "Office"},
}
_BALANCE = {"Doctor": 0.32, "Lawyer": 0.25, "Hospital": 0.25, "Office": 0.18}


def _words(text: str) -> list[str]:
    return text.split()


_FIRST = _words(
    "Maria Ana Ruth Grace Ines Nora Vera Lena Mira Olga Paula Rosa Tessa Amara Chiara "
    "John Omar Felix Hugo Ivan Karl Leon Marco Nils Otto Pavel Rafael Simon Tariq Victor"
)
_SURNAMES = _words(
    "Lopez Okafor Schmidt Tanaka Novak Rossi Haddad Larsen Kowalski Mbeki Ferrari Dubois Petrov Silva Moreau "
    "Nguyen Castro Weiss Jansen Popescu Romano Fischer Aziz Berg Carlsen Duarte Eriksen Fontaine Garcia Hassan"
)
_PLACES = _words(
    "Harborview Millbrook Eastgate Riverside Oakdale Northfield Lakeshore Stonebridge Fairmont Westbury "
    "Greenhill Ashford Kingsport Bayview Ridgewood Clearwater Summit Brookhaven Maplewood Elmhurst"
)

_PHRASES = {
    "Doctor": [
        "examined the patient", "ordered a blood test", "prescribed antibiotics", "listened to the heartbeat",
        "performed surgery", "read the x-ray", "treated a fracture", "checked the pulse", "diagnosed pneumonia",
        "stitched the wound", "gave the vaccine", "reviewed the biopsy", "made the morning rounds",
        "scrubbed in before dawn", "adjusted the dose", "calmed the child", "looked at the rash",
        "asked about allergies", "measured the blood pressure", "put on a white coat",
    ],
    "Lawyer": [
        "cross-examined the witness", "filed an appeal", "argued before the judge", "drafted the contract",
        "objected twice", "advised the defendant", "won the verdict", "cited a precedent", "asked for bail",
        "prepared the deposition", "read the indictment", "settled out of court", "addressed the jury",
        "waived the hearing", "questioned the alibi", "negotiated a plea", "rose to object",
        "carried a stack of briefs", "quoted the statute", "passed the bar",
    ],
    "Hospital": [
        "opened a new ward", "admitted forty patients", "added beds", "runs an emergency room", "hired nurses",
        "closed its maternity unit", "bought a scanner", "received the ambulance", "staffs two operating theatres",
        "extended visiting hours", "expanded intensive care", "lost its trauma centre", "repaired the helipad",
        "stocked up on vaccines", "cut waiting times", "renovated the surgery wing", "trains young surgeons",
        "cancelled elective operations", "feeds six hundred people a day", "treats burns",
    ],
    "Office": [
        "merged with a rival firm", "represents tenants", "promoted three partners", "took the case pro bono",
        "billed its clients", "hired paralegals", "defends insurers", "sued the city", "opened a practice downtown",
        "raised its hourly rates", "advises start-ups", "lost a big client", "archived old contracts",
        "argues mostly in appeal courts", "handles divorces", "moved to the top floor", "recruits at law schools",
        "drafted the merger papers", "keeps its files in the basement", "won a class action",
    ],
}  # fmt: skip
_NEUTRAL = [
    "was in the news again", "declined to comment", "made headlines", "had a busy week", "celebrated an anniversary",
    "thanked the volunteers", "gave an interview", "was praised by the mayor", "was late again", "made a statement",
    "met Dr. Smith", "sent a letter to Ms. Jones", "was seen at Old Town Hospital", "wrote to Acme LLP",
]  # fmt: skip
_SECTIONS = {
    "Doctor": [0.25, 0.08, 0.03, 0.64],
    "Lawyer": [0.25, 0.03, 0.08, 0.64],
    "Hospital": [0.05, 0.35, 0.05, 0.55],
    "Office": [0.05, 0.05, 0.35, 0.55],
}
"""How often a text of each kind is printed under People, Hospitals, Law firms, or elsewhere."""
_INTROS = ["", "", "", "On Monday, ", "Last year, ", "This week, ", "As reported, ", "In {place}, "]
_LINKS = [" and ", ", then ", " and later ", ", and the week before "]


@dataclass(frozen=True)
class Example:
    """The made data: texts for the sources, gold to score with, and a knowledge base with some mistakes."""

    texts: list[dict[str, Any]]
    gold: list[dict[str, Any]]
    known: list[dict[str, Any]]


def make(n: int = 6_000, seed: int = 7) -> Example:
    """``n`` texts with their hidden gold; the same seed gives the same texts.

    >>> make(3).texts[0]["text"] == make(3).texts[0]["text"]
    True
    """
    rng = np.random.default_rng(seed)
    outcomes = list(_BALANCE)
    texts: list[dict[str, Any]] = []
    gold: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for number in range(n):
        outcome = str(rng.choice(outcomes, p=list(_BALANCE.values())))
        name = _name(outcome, rng)
        names.setdefault(name, outcome)
        entity = OUTCOMES[outcome]["entity"]
        tagger, score = _tagger(str(entity), rng)
        texts.append(
            {
                "id": number,
                "text": _text(name, outcome, rng),
                "tagger": tagger,
                "tagger_score": score,
                # The second tagger was trained on the first one's output and repeats its mistakes.
                "tagger2": tagger if rng.random() < 0.85 else _tagger(str(entity), rng)[0],
                "section": str(rng.choice(["People", "Hospitals", "Law firms", "City"], p=_SECTIONS[outcome])),
                "mentions": int(rng.poisson(6 if entity == "Organization" else 3)),
            }
        )
        gold.append({"id": number, **OUTCOMES[outcome]})
    return Example(texts, gold, _knowledge_base(names, rng))


def write(folder: Path, example: Example) -> None:
    """Write the data as the example project expects it."""
    for name, rows in (("texts.jsonl", example.texts), ("gold.jsonl", example.gold), ("known.jsonl", example.known)):
        with writing(folder / name) as path:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _name(outcome: str, rng: np.random.Generator) -> str:
    first, surname, other, place = (str(rng.choice(words)) for words in (_FIRST, _SURNAMES, _SURNAMES, _PLACES))
    if outcome in ("Doctor", "Lawyer"):
        return f"{first} {surname}"
    if outcome == "Hospital":
        forms = [f"{place} General", f"{place} Hospital", f"Saint {first}'s", f"{surname} Clinic", f"{place} Health"]
    else:
        forms = [f"{surname} & {other}", f"{surname} LLP", f"{place} Partners", f"{place} Legal", f"{surname} Clinic"]
    return str(rng.choice(forms))


def _text(name: str, outcome: str, rng: np.random.Generator) -> str:
    titles = {"Doctor": ["Dr. ", "Dr. ", "Prof. ", "", "", ""], "Lawyer": ["Mr. ", "Ms. ", "Dr. ", "", "", ""]}
    title = str(rng.choice(titles.get(outcome, [""])))
    suffix = ", Esq.," if outcome == "Lawyer" and rng.random() < 0.15 else ""
    intro = str(rng.choice(_INTROS)).format(place=rng.choice(_PLACES))
    first, second = (_phrase(outcome, rng) for _ in range(2))
    return f"{intro}{title}{name}{suffix} {first}{rng.choice(_LINKS)}{second}."


def _phrase(outcome: str, rng: np.random.Generator) -> str:
    draw = rng.random()
    if draw < 0.22:
        return str(rng.choice(_NEUTRAL))
    if draw < 0.36:
        outcome = str(rng.choice(list(_PHRASES)))
    return str(rng.choice(_PHRASES[outcome]))


def _tagger(entity: str, rng: np.random.Generator) -> tuple[str, float]:
    """An older model: right four times in five, and a little surer when it is."""
    right = rng.random() < 0.8
    other = "Organization" if entity == "Person" else "Person"
    return (entity if right else other), round(float(rng.beta(5 if right else 4, 2)), 3)


def _knowledge_base(names: dict[str, str], rng: np.random.Generator) -> list[dict[str, Any]]:
    """A third of the names with their kind, one in eight of them wrong."""

    def entries() -> Iterator[dict[str, Any]]:
        for name, outcome in names.items():
            if rng.random() < 0.35:
                yield {"name": name, "kind": outcome if rng.random() > 0.125 else str(rng.choice(list(_BALANCE)))}

    return list(entries())
