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
        "choice",
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


def item_column(names: Sequence[str], usual: str) -> str | None:
    """The column that names items: the usual one, or the only one that is called as such columns are.

    >>> item_column(["image_id", "task", "truth"], "image_id"), item_column(["task", "truth"], "image_id")
    ('image_id', 'task')
    """
    if usual in names:
        return usual
    found = _candidates("item", names) or [name for name in names if _role_of(name) == "id"]
    return found[0] if len(found) == 1 else None


def long_columns(names: Sequence[str], given: Mapping[str, str | None]) -> dict[str, str]:
    """The column of each role, as given or else by its name; an error says what could not be told.

    >>> long_columns(["task", "worker", "label", "time"], {"item": None, "source": None, "label": None})
    {'item': 'task', 'source': 'worker', 'label': 'label'}
    """
    if not names:
        raise VoteError("expected a long table, with an item, a worker and a label in each row, but it has no columns")
    free = [name for name in names if name not in given.values()]
    found = {role: _candidates(role, free) if name is None else [name] for role, name in given.items()}
    absent = [name for name in given.values() if name is not None and name not in names]
    untold = [role for role, columns in found.items() if len(columns) != 1]
    problems = []
    if absent:
        hints = dict.fromkeys(near_miss(name, names) for name in absent)
        problems += [f"the table has no column{'s' if len(absent) > 1 else ''} {listing(absent)}.", *hints]
    if untold:
        problems.append(_untold({role: found[role] for role in untold}, free))
    if problems:  # all of them at once, or else each try would tell of one more
        raise VoteError(" ".join(problems[:1] + [f"{part[0].upper()}{part[1:]}" for part in problems[1:]]))
    return {role: columns[0] for role, columns in found.items()}


def _candidates(role: str, names: Sequence[str]) -> list[str]:
    """The columns that could have a role: one, if there is one whose name is the most usual."""
    found = sorted((name for name in names if _role_of(name) == role), key=lambda name: _rank(role, name))
    return found[:1] if len(found) > 1 and _rank(role, found[0]) < _rank(role, found[1]) else found


def _untold(candidates: Mapping[str, Sequence[str]], names: Sequence[str]) -> str:
    """Which roles have no column, or several, and how to say which it is."""
    unknown = [name for name in names if _role_of(name) in (None, "id")]
    problems, without, example = [], [], []
    for role, columns in candidates.items():
        word = "worker" if role == "source" else role
        if columns:
            problems.append(f"{listing(columns)} could all hold the {word}s")
        else:
            without.append(f"{word}s")
        likely = columns[0] if columns else unknown.pop(0) if unknown else next(iter(names), "...")
        example.append(f"{word}={likely!r}")
    if without:
        problems.append(f"none is known to hold the {' or '.join(without)}")
    return (
        f"expected a long table, with an item, a worker and a label in each row, but of its columns {listing(names)} "
        f"{' and '.join(problems)}; say which do, as in {', '.join(example)}"
    )


def _word(name: str) -> str:
    return name.lower().strip().removesuffix("_id").removesuffix("id").rstrip("_ ") or "id"


def _role_of(name: str) -> str | None:
    word = _word(str(name))
    return "id" if word == "id" else next((role for role, words in _CALLED.items() if word in words), None)


def _rank(role: str, name: str) -> int:
    return _CALLED[role].index(_word(name))
