"""Pictures of task graphs."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given

from assay import Task, TaskGraph, implies
from tests.support.strategies import task_graphs


@given(task_graphs())
def test_pictures_mention_every_task_and_label(tasks):
    svg, mermaid = tasks.to_svg(), tasks.to_mermaid()
    texts = [element.text for element in ElementTree.fromstring(svg).iter() if element.text]
    for task in tasks:
        assert {task.name, *task.labels} <= set(texts)
        assert f"<b>{task.name}</b><br/>{'<br/>'.join(task.labels)}" in mermaid
    edges = sum(len(task.parents) for task in tasks)
    assert mermaid.count("-->|") == edges
    assert all(repr(task) in repr(tasks) for task in tasks)


def test_pictures_escape_markup_and_cut_long_lists():
    wild = "<script>&\"'"
    tasks = TaskGraph(
        [Task(wild, [wild, "b"]), Task("other", [str(i) for i in range(30)], parent=(wild, wild))],
        constraints=[implies((wild, "b"), ("other", None))],
    )
    svg, mermaid = tasks.to_svg(), tasks.to_mermaid()
    assert wild in [element.text for element in ElementTree.fromstring(svg).iter()]
    assert "… 19 more" in svg
    assert tasks._repr_svg_() == svg
    for picture in (svg, mermaid):
        assert "<script>" not in picture
        assert "&lt;script&gt;" in picture
    for quoted in re.findall(r'\["(.*)"\]|\|"(.*)"\|', mermaid):
        assert '"' not in "".join(quoted)
