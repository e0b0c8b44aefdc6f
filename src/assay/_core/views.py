"""Pictures and tables of votes, models and labels: asked for here from below, provided from above.

``votes.plot`` is where one looks for pictures of votes; but pictures are made from counts and models, which are made
from votes. So what has pictures asks here, and ``assay/__init__`` says who draws them: :mod:`assay.report`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from assay.errors import AssayError

_providers: dict[str, Callable[[Any], Any]] = {}


def provide(*, plots: Callable[[Any], object], html: Callable[[Any], str]) -> None:
    """Say who makes the plots of a thing, and its table in a notebook."""
    _providers.update(plots=plots, html=html)


def plots_of(thing: object) -> Any:
    """What ``plot`` of a thing is: an object with a method for each picture.

    >>> import assay
    >>> plots_of(assay.Votes.from_matrix([[0, 1]]))
    VotePlots(votes=Votes(...))
    """
    return _provider("plots")(thing)


def html_of(thing: object) -> str:
    """How a notebook shows a thing. Never raises: without its table, a thing is shown as it is printed.

    >>> import assay
    >>> print(html_of(assay.Votes.from_matrix([[0, 1]]))[:5])
    <div>
    >>> print(html_of(3))
    <pre>3</pre><p>No table: TypeError: there is no table of int.</p>
    """
    try:
        return str(_provider("html")(thing))
    except Exception as error:
        said = Markup("<pre>{}</pre><p>No table: {}: {}.</p>")
        return str(said.format(_printed(thing), type(error).__name__, str(error)))


def _provider(what: str) -> Callable[[Any], Any]:
    if what not in _providers:
        raise AssayError(f"nobody provides {what}: import assay, which says who does")
    return _providers[what]


def _printed(thing: object) -> str:
    try:
        return repr(thing)
    except Exception:
        return object.__repr__(thing)
