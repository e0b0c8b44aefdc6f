"""What the columns of a long table are called: which holds the items, which the workers, and which their labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.errors import VoteError, listing, near_miss

_CALLED: dict[str, tuple[str, ...]] = {
    "item": ("item", "task", "example", "question", "object", "unit", "row", "document", "doc", "sentence", "text"),
    "source": (
        *("source", "worker", "annotator", "rater", "labeler", "labeller", "coder", "user", "person", "performer"),
        "judge",
    ),
    "label": (
        *("label", "answer", "vote", "class", "category", "response", "judgment", "judgement", "annotation", "value"),
        "result",
    ),
}
"""The words of crowds for each role, the usual ones first."""


def looks_long(names: Iterable[str]) -> bool:
    """Whether columns are called as those of a long table: items, workers and labels all have one.

    >>> looks_long(["task", "worker_id", "label"]), looks_long(["spam_words", "label"])
    (True, False)
    """
    roles = [_role_of(name) for name in names]
    return all(role in roles or (role == "item" and "id" in roles) for role in _CALLED)


def long_columns(names: Sequence[str], given: Mapping[str, str | None]) -> dict[str, str]:
    """The column of each role, as given or else by its name; an error says what could not be told.

    >>> long_columns(["task", "worker", "label", "time"], {"item": None, "source": None, "label": None})
    {'item': 'task', 'source': 'worker', 'label': 'label'}
    """
    for name in given.values():
        if name is not None and name not in names:
            raise VoteError(f"the table has no column {name!r}. {near_miss(name, names)}")
    free = [name for name in names if name not in given.values()]
    return {role: _column(role, free) if name is None else name for role, name in given.items()}


def _column(role: str, names: Sequence[str]) -> str:
    found = sorted((name for name in names if _role_of(name) == role), key=lambda name: _rank(role, name))
    if found and (len(found) == 1 or _rank(role, found[0]) < _rank(role, found[1])):
        return found[0]
    if not names:
        raise VoteError("expected a long table, with an item, a worker and a label in each row, but it has no columns")
    problem = f"{listing(found)} could all hold the" if found else "none is known to hold the"
    likely = next(iter(found or [name for name in names if _role_of(name) is None] or names))
    raise VoteError(
        f"expected a long table, with an item, a worker and a label in each row, but of its columns {listing(names)} "
        f"{problem} {role if role != 'source' else 'worker'}s; say which one does, as in "
        f"{role if role != 'source' else 'worker'}={likely!r}"
    )


def _word(name: str) -> str:
    return name.lower().strip().removesuffix("_id").removesuffix("id").rstrip("_ ") or "id"


def _role_of(name: str) -> str | None:
    word = _word(str(name))
    return "id" if word == "id" else next((role for role, words in _CALLED.items() if word in words), None)


def _rank(role: str, name: str) -> int:
    return _CALLED[role].index(_word(name))
