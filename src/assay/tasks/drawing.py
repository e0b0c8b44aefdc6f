"""Pictures drawn as text: the task graph as SVG and as Mermaid."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assay._core.texts import escaped
from assay.tasks.constraints import Assignment

TaskBox = tuple[str, Sequence[str], Sequence[tuple[str, str]]]
"""A task's name, its labels and its parents."""
Link = tuple[str, Sequence[Assignment]]
"""A constraint's text and the assignments it names."""

_CHARACTER, _LINE, _PADDING, _COLUMN_GAP, _ROW_GAP = 7.2, 20, 10, 70, 18
_MAX_LABELS = 12


def task_graph_svg(tasks: Sequence[TaskBox], links: Sequence[Link] = ()) -> str:
    """Tasks as boxes from left to right, each under the label that it refines.

    Colours follow the page: the text is drawn in ``currentColor``.
    """
    depth = _depths(tasks)
    widths: dict[int, float] = {}
    for name, labels, _ in tasks:
        longest = max([len(name) + 1, *(len(text) + 2 for text in _rows(labels))])
        widths[depth[name]] = max(widths.get(depth[name], 0), longest * _CHARACTER + 2 * _PADDING)
    left = {level: sum(widths[i] + _COLUMN_GAP for i in range(level)) + 1 for level in widths}
    filled = dict.fromkeys(widths, 1.0)
    anchors: dict[tuple[str, str], tuple[float, float, float]] = {}
    tops: dict[str, tuple[float, float]] = {}
    boxes: list[str] = []
    for name, labels, _ in tasks:
        level = depth[name]
        x, y, width, rows = left[level], filled[level], widths[level], _rows(labels)
        height = _LINE * (len(rows) + 1) + _PADDING
        filled[level] = y + height + _ROW_GAP
        tops[name] = (x, y + _LINE / 2 + 3)
        boxes.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="6" '
            'fill="none" stroke="currentColor" stroke-opacity="0.5"/>'
            f'<text x="{x + _PADDING:.0f}" y="{y + _LINE - 4:.0f}" font-weight="bold">{escaped(name)}</text>'
        )
        for row, text in enumerate(rows):
            baseline = y + _LINE * (row + 2) - 2
            boxes.append(f'<text x="{x + 2 * _PADDING:.0f}" y="{baseline:.0f}">{escaped(text)}</text>')
        for index, label in enumerate(labels):
            baseline = y + _LINE * (min(index, len(rows) - 1) + 2) - 2
            anchors[name, label] = (x, x + width, baseline - 5)
    edges = [
        _curve(anchors[parent][1], anchors[parent][2], *tops[name]) for name, _, parents in tasks for parent in parents
    ]
    edges += [edge for text, mentions in links for edge in _dashes(text, mentions, anchors)]
    full_width = max(left[level] + widths[level] for level in widths) + (60 if links else 1)
    full_height = max(filled.values()) - _ROW_GAP + 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full_width:.0f} {full_height:.0f}" '
        f'width="{full_width:.0f}" height="{full_height:.0f}" role="img" aria-label="task graph" '
        'font-family="ui-monospace, Menlo, monospace" font-size="12" fill="currentColor">'
        + "".join(edges)
        + "".join(boxes)
        + "</svg>"
    )


def task_graph_mermaid(tasks: Sequence[TaskBox], links: Sequence[Link] = ()) -> str:
    """A Mermaid flowchart: a node for each task, edges named by the label that leads on."""
    ids = {name: f"t{index}" for index, (name, _, _) in enumerate(tasks)}
    lines = ["flowchart LR"]
    for name, labels, _ in tasks:
        text = "<br/>".join([f"<b>{_mermaid(name)}</b>", *(_mermaid(label) for label in _rows(labels))])
        lines.append(f'    {ids[name]}["{text}"]')
    for name, _, parents in tasks:
        lines += [f'    {ids[parent]} -->|"{_mermaid(label)}"| {ids[name]}' for parent, label in parents]
    for text, mentions in links:
        first, *others = dict.fromkeys(task for task, _ in mentions)
        lines += [f'    {ids[first]} -.-|"{_mermaid(text)}"| {ids[other]}' for other in others]
    return "\n".join(lines)


def _depths(tasks: Sequence[TaskBox]) -> dict[str, int]:
    parents = {name: [parent for parent, _ in pairs] for name, _, pairs in tasks}
    depths: dict[str, int] = {}
    while len(depths) < len(parents):
        for name, above in parents.items():
            if name not in depths and all(parent in depths for parent in above):
                depths[name] = max((depths[parent] + 1 for parent in above), default=0)
    return depths


def _rows(labels: Sequence[str]) -> list[str]:
    if len(labels) <= _MAX_LABELS:
        return list(labels)
    return [*labels[: _MAX_LABELS - 1], f"… {len(labels) - _MAX_LABELS + 1} more"]


def _curve(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = (x1 + x2) / 2
    return (
        f'<path d="M{x1:.0f},{y1:.0f} C{middle:.0f},{y1:.0f} {middle:.0f},{y2:.0f} {x2:.0f},{y2:.0f}" '
        'fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
    )


def _dashes(
    text: str, mentions: Sequence[Assignment], anchors: dict[tuple[str, str], tuple[float, float, float]]
) -> list[str]:
    """A constraint as dashed lines between the labels it names: across the gap, or bowed beside one column."""
    known = [anchors[task, label] for task, label in mentions if label is not None and (task, label) in anchors]
    lines = []
    for first, second in pairwise(known):
        (left1, right1, y1), (left2, right2, y2) = sorted([first, second])
        across = left1 != left2
        x1, x2 = right1, left2 if across else right2
        bend = (x1 + x2) / 2 if across else max(x1, x2) + 45
        lines.append(
            f'<path d="M{x1:.0f},{y1:.0f} C{bend:.0f},{y1:.0f} {bend:.0f},{y2:.0f} {x2:.0f},{y2:.0f}" fill="none" '
            f'stroke="currentColor" stroke-opacity="0.6" stroke-dasharray="4 3"><title>{escaped(text)}</title></path>'
        )
    return lines


def _mermaid(text: str) -> str:
    """Text that is safe inside a quoted Mermaid label."""
    return escaped(text).replace("&quot;", "#quot;").replace("&#x27;", "'")
