"""An arc diagram of a graph: node names in a column, and an arc for each edge."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import networkx as nx

from assay._core.palette import LIGHT
from assay._core.texts import escaped

Pair = tuple[int, int]

_CHARACTER, _ROW, _TOP, _GAP = 6.6, 22, 14, 8
_STEP, _SCORED_STEP = 17, 34
"""How far an arc extends for each row that it spans."""
_LONGEST = 30
_MOST_NAMES = 60
_FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"


def arcs_svg(
    names: Sequence[str],
    pairs: Collection[Pair],
    *,
    added: Collection[Pair] = (),
    scores: Mapping[Pair, float] | None = None,
    label: str = "dependencies between sources",
) -> str:
    """The names that are in some pair, and arcs between them.

    Colours follow the page: ``currentColor``, and the variables ``--estimate`` and ``--muted`` if defined.

    Parameters
    ----------
    names
        Names of all nodes; those in no pair are not drawn.
    pairs
        The edges, as positions in ``names``, the lower first.
    added
        The pairs that are drawn dashed.
    scores
        The strength of each pair: sets the width of its arc, and is printed beside it.
    label
        A text alternative for the picture.

    >>> picture = arcs_svg(["kb", "kb2", "crowd"], [(0, 1)], scores={(0, 1): 0.42})
    >>> picture.count("<path"), "0.42" in picture, "crowd" in picture
    (1, True, False)
    """
    drawn = _strongest(pairs, scores or {})
    order = _order(drawn)
    row = {node: at for at, node in enumerate(order)}
    texts = {node: _short(names[node]) for node in order}
    left = max((len(text) for text in texts.values()), default=0) * _CHARACTER + _GAP
    step = _SCORED_STEP if scores else _STEP
    reach = max((abs(row[i] - row[j]) for i, j in drawn), default=0)
    width = left + _GAP + step * (reach + 1) + (44 if scores else 10)
    height = _TOP * 2 + _ROW * max(len(order) - 1, 0)
    strongest = max((abs(score) for score in (scores or {}).values()), default=1.0) or 1.0
    arcs = [_arc(pair, row, left + _GAP, step, pair in added, scores, strongest) for pair in drawn]
    # Scores last, so that no arc runs through them.
    parts = [path for path, _ in arcs] + [score for _, score in arcs]
    for node in order:
        y = _TOP + _ROW * row[node]
        parts.append(
            f'<circle cx="{left + _GAP:.0f}" cy="{y}" r="3.5"/>'
            f'<text x="{left:.0f}" y="{y + 4}" text-anchor="end">{escaped(texts[node])}'
            f"<title>{escaped(names[node])}</title></text>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" role="img" aria-label="{escaped(label)}" font-family="{_FONT}" font-size="12" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )


def _strongest(pairs: Collection[Pair], scores: Mapping[Pair, float]) -> list[Pair]:
    """The pairs to draw: the strongest first, up to the maximum number of names."""
    chosen: list[Pair] = []
    seen: set[int] = set()
    for pair in sorted(pairs, key=lambda pair: (-abs(scores.get(pair, 0.0)), pair)):
        if len(seen | set(pair)) <= _MOST_NAMES:
            seen |= set(pair)
            chosen.append(pair)
    return chosen


def _order(pairs: Sequence[Pair]) -> list[int]:
    """The nodes, one connected component after the other, neighbours close together."""
    graph: nx.Graph[int] = nx.Graph(sorted(pairs))
    order: list[int] = []
    for part in sorted(nx.connected_components(graph), key=lambda part: (-len(part), min(part))):
        # Start from an end of the longest path, so that neighbours are seldom far apart.
        away = {node: max(nx.single_source_shortest_path_length(graph, node).values()) for node in part}
        order += nx.dfs_preorder_nodes(graph, max(sorted(part), key=away.__getitem__))
    return order


def _arc(
    pair: Pair,
    row: Mapping[int, int],
    x: float,
    step: int,
    is_added: bool,
    scores: Mapping[Pair, float] | None,
    strongest: float,
) -> tuple[str, str]:
    """The arc, and its score."""
    first, last = sorted((row[pair[0]], row[pair[1]]))
    y1, y2, out = _TOP + _ROW * first, _TOP + _ROW * last, step * (last - first)
    score = None if scores is None else scores.get(pair)
    width = 1.8 if score is None else 1 + 3 * abs(score) / strongest
    dashes = ' stroke-dasharray="4 3"' if is_added else ""
    path = (
        f'<path d="M{x:.0f},{y1} C{x + 4 * out / 3:.0f},{y1} {x + 4 * out / 3:.0f},{y2} {x:.0f},{y2}" fill="none" '
        f'style="stroke:var(--estimate, {LIGHT.estimate})" stroke-width="{width:.1f}" stroke-opacity="0.75"{dashes}/>'
    )
    if score is None:
        return path, ""
    text = f'<text x="{x + out + 4:.0f}" y="{(y1 + y2) / 2 + 4:.0f}" font-size="10" '
    halo = "stroke:var(--paper, white);stroke-width:3;paint-order:stroke"
    return path, text + f'style="fill:var(--muted, {LIGHT.muted});{halo}">{score:.2f}</text>'


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
