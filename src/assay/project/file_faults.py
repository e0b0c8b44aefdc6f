"""What is wrong in a TOML file, in the words of those who wrote it: a line for each place, all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_origin

from pydantic import ValidationError

from assay.errors import near_miss

Place = tuple[str | int, ...]
"""Keys and numbers that lead to a value in the file."""

_WORDS = {
    "a valid array": "a list",
    "a valid tuple": "a list",
    "a valid integer": "an integer",
    "an object": "a table",
    "a valid dictionary": "a table",
    "a valid ": "a ",
    "greater than 0": "positive",
    ", unable to parse string as a number": "",
}
"""What pydantic says, and what a writer of TOML says."""


def where(place: Place) -> str:
    """A place in a file of sections, as its writer knows it.

    >>> where(("tasks", 1, "labels", 0)), where(("model", "beliefs", "kb"))
    ('[[tasks]] number 2, labels, entry 1', '[model] beliefs, kb')
    """
    match place:
        case ():
            return "the file"
        case (section, int(at), *rest):
            start = [f"[[{section}]] number {at + 1}"]
        case (section, key, *rest):
            start = [f"[{section}] {key}"]
        case (section, *rest):
            start = [f"[{section}]"]
    return ", ".join([*start, *steps(rest)])


def steps(place: Sequence[str | int]) -> list[str]:
    """Further steps to a value.

    >>> steps(["labels", 0])
    ['labels', 'entry 1']
    """
    return [f"entry {step + 1}" if isinstance(step, int) else str(step) for step in place]


def complaints(
    error: ValidationError,
    said: Any,
    keys: Callable[[Place], Mapping[str, Any]],
    *,
    where: Callable[[Place], str] = where,
    special: Callable[[Place, str], str | None] = lambda place, kind: None,
) -> list[str]:
    """What is wrong, a line for each place in the file.

    Parameters
    ----------
    said
        What the file says, as TOML has it.
    keys
        The keys that a part of the file may have, with their types.
    where
        How a place is called.
    special
        What to say in place of the usual words, given the place and pydantic's kind of fault.
    """
    faults: dict[Place, list[Any]] = {}
    for fault in error.errors(include_url=False):
        faults.setdefault(_place(fault, said), []).append(fault)
    # Of the ways in which a value might have been meant, the one that fits furthest counts.
    deepest = [place for place in faults if not any(other[: len(place)] == place != other for other in faults)]
    # What is misspelt is often why something is missing.
    deepest.sort(key=lambda place: faults[place][0]["type"] == "missing")
    return [
        special(place, faults[place][0]["type"]) or _complaint(place, faults[place], keys, where) for place in deepest
    ]


def _place(fault: Any, said: Any) -> Place:
    found: list[str | int] = []
    for step in fault["loc"]:
        within = step in said if isinstance(said, Mapping) else isinstance(said, list) and step in range(len(said))
        if within:
            said = said[step]
            found.append(step)
        # Other steps are names of types, where a value may be of several.
    return (*found, fault["loc"][-1]) if fault["type"] == "missing" else tuple(found)


def _complaint(
    place: Place, faults: Sequence[Any], keys: Callable[[Place], Mapping[str, Any]], where: Callable[[Place], str]
) -> str:
    # Of the ways in which a value might have been meant, that which asks only for more of it fits best.
    faults = sorted(faults, key=lambda fault: fault["type"] != "too_short")
    kind, value = faults[0]["type"], faults[0]["input"]
    above, key = place[:-1], place[-1]
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"{where(above)} has the unknown key {key!r}. {near_miss(key, keys(above))}"
    if kind == "missing" and isinstance(key, int):
        return f"{where(above)} must have {key + 1} entries, but is {value!r}"
    if kind == "missing" and not above and where(()) == "the file":
        return f"the section [{key}] is missing; it holds {', '.join(keys(place))}"
    if kind == "missing":
        example = "[...]" if get_origin(keys(above).get(str(key))) is tuple else '"..."'
        return f"{where(above)} needs {key} = {example}, but it is missing"
    if kind == "too_short":
        fewest = faults[0]["ctx"]["min_length"]
        return f"{where(place)} needs {fewest} {'entry' if fewest == 1 else 'entries'} or more, but is {value!r}"
    if kind in ("dataclass_type", "model_type"):
        return f"{where(place)} must be a section, but is {value!r}"
    return wrong_value(where(place), faults)


def wrong_value(where: str, faults: Sequence[Any]) -> str:
    """What a value of the wrong type should have been."""
    expected = " or ".join(dict.fromkeys(_plainly(fault["msg"]) for fault in faults))
    return f"{where} must be {expected}, but is {faults[0]['input']!r}"


def _plainly(message: str) -> str:
    """What pydantic expected, in plain words.

    >>> _plainly("Input should be a valid array"), _plainly("Input should be a valid integer")
    ('a list', 'an integer')
    """
    expected = message.removeprefix("Input should be ").removeprefix("Value error, ")
    for theirs, ours in _WORDS.items():
        expected = expected.replace(theirs, ours)
    return expected
