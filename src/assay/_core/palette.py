"""The colours of all pictures, as values or as variables of the page that shows them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, kw_only=True)
class Palette:
    """What is drawn in which colour."""

    ink: str
    """Texts that must be read."""
    muted: str
    """Texts that explain, and axes."""
    grid: str
    """Lines in the background."""
    paper: str
    """The background."""
    estimate: str
    """What was learned without gold."""
    gold: str
    """What gold says."""
    bad: str
    """What needs to be looked at: less than expected, conflicts."""
    series: tuple[str, ...]
    """Methods side by side, least important first."""


LIGHT = Palette(
    ink="#1c2430",
    muted="#5f6b7a",
    grid="#e4e7ec",
    paper="#ffffff",
    estimate="#2b62a8",
    gold="#a87414",
    bad="#b5402f",
    series=("#b3bac4", "#7d8896", "#2b62a8", "#1d8a6b"),
)
"""On white: notebooks, files, paper."""

DARK = replace(
    LIGHT,
    ink="#e7eaef",
    muted="#9aa5b4",
    grid="#2f3742",
    paper="#14181e",
    estimate="#7fb0ee",
    gold="#e0b04f",
    bad="#ee8573",
    series=("#56606d", "#8b96a5", "#7fb0ee", "#5cc9a7"),
)
"""On a dark page."""


def variables(palette: Palette) -> dict[str, str]:
    """The colours as CSS variables, by name.

    >>> variables(LIGHT)["--ink"], variables(LIGHT)["--series-1"]
    ('#1c2430', '#b3bac4')
    """
    plain = {f"--{field.name}": getattr(palette, field.name) for field in fields(palette) if field.name != "series"}
    return plain | {f"--series-{at}": colour for at, colour in enumerate(palette.series, start=1)}


def _page() -> Palette:
    named = {name.removeprefix("--"): f"var({name})" for name in variables(LIGHT)}
    series = tuple(named.pop(name) for name in list(named) if name.startswith("series-"))
    return Palette(series=series, **named)


PAGE = _page()
"""Variables in place of colours: the page that shows a picture says what they are, by day and by night."""
