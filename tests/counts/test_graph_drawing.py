"""The picture of what depends on what."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import SourceGraph
from assay.counts.graph_drawing import arcs_svg


def rows_of(picture: str) -> dict[str, float]:
    return {name: float(y) for y, name in re.findall(r'<text x="\d+" y="([\d.]+)" text-anchor="end">([^<]*)<', picture)}


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: pair[0] < pair[1]), max_size=20))
def test_every_pair_has_one_arc_and_every_name_in_a_pair_one_row(pairs):
    names = [f"s{at}" for at in range(10)]
    picture = arcs_svg(names, pairs)
    assert picture.count("<path") == len(pairs)
    rows = rows_of(picture)
    assert set(rows) == {names[at] for pair in pairs for at in pair}
    assert len(set(rows.values())) == len(rows)


def test_the_order_of_pairs_does_not_matter():
    pairs = [(0, 1), (1, 2), (4, 5), (2, 3)]
    names = list("abcdef")
    assert arcs_svg(names, pairs) == arcs_svg(names, pairs[::-1])


def test_what_triangulation_added_is_dashed():
    graph = SourceGraph(list("abcd"), [(0, 1), (1, 2), (2, 3), (3, 0)])
    assert graph.to_svg().count("stroke-dasharray") == len(graph.edges - graph.declared) == 1


def test_scores_are_written_and_make_arcs_thicker():
    picture = arcs_svg(list("abcd"), [(0, 1), (2, 3)], scores={(0, 1): 0.5, (2, 3): 0.25})
    assert ">0.50<" in picture
    assert ">0.25<" in picture
    thick, thin = (float(width) for width in re.findall(r'stroke-width="([\d.]+)"', picture))
    assert thick > thin


def test_names_are_shown_as_text():
    picture = arcs_svg(["<script>alert(1)</script>", 'x" onload="y'], [(0, 1)])
    assert "<script" not in picture
    assert 'onload="' not in picture


def test_of_many_the_strongest_are_drawn():
    names = [f"s{at}" for at in range(200)]
    scores = {(2 * at, 2 * at + 1): at / 100 for at in range(1, 100)}
    rows = rows_of(arcs_svg(names, scores, scores=scores))
    assert len(rows) == 60
    assert "s199" in rows
    assert "s2" not in rows


@pytest.mark.parametrize(("dependencies", "shown"), [([], False), ([("a", "b")], True)])
def test_notebooks_show_a_graph_that_has_edges(dependencies, shown):
    assert (SourceGraph(["a", "b"], dependencies)._repr_svg_() is not None) == shown
