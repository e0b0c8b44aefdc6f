"""Charts of plain tables: what they hold, and that texts from data stay texts."""

import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from assay._core.extras import how_to_install
from assay._core.palette import LIGHT, PAGE
from assay.errors import AssayError
from assay.report import charts

KINDS = ["heat_map", "intervals", "bars", "histogram", "calibration", "shrinking", "scores"]
NASTY = ["</script><script>alert(1)</script>", "a.b[0]", "'; alert(1); '", 'x" onload="y', "<img src=x onerror=y>"]


def every_chart(names, palette=LIGHT):
    count = len(names)
    shares = np.linspace(0.1, 0.9, count)
    rows = [
        {"name": name, "value": share, "low": share - 0.05, "high": share + 0.05, "gold": share}
        for name, share in zip(names, shares, strict=True)
    ]
    points = [{"confidence": 0.7, "accuracy": 0.6, "items": 10}, {"confidence": 0.9, "accuracy": 0.9, "items": 20}]
    return {
        "heat_map": charts.heat_map(np.outer(shares, -shares), names, palette=palette),
        "intervals": charts.intervals(rows, title="accuracy", reference=0.5, palette=palette),
        "bars": charts.bars(rows, title="share", palette=palette),
        "histogram": charts.histogram([0, 0.5, 1], [3, 1], title="confidence", count_title="items", palette=palette),
        "calibration": charts.calibration(dict.fromkeys(names, points), palette=palette),
        "shrinking": charts.shrinking(
            [{"name": name, "items": n, "half_width": n**-0.5} for name in names for n in (10, 100)],
            now=10,
            palette=palette,
        ),
        "scores": charts.scores([{"method": n, "figure": n, "value": 0.5} for n in names], palette=palette),
    }


def test_every_kind_is_looked_at():
    assert list(every_chart(["a", "b"])) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_texts_from_data_stay_texts(kind):
    elements = list(ElementTree.fromstring(charts.to_svg(every_chart(NASTY)[kind])).iter())
    assert {element.tag.split("}")[1] for element in elements} <= {"svg", "g", "path", "rect", "line", "text", "title"}
    assert not [name for element in elements for name in element.attrib if name.startswith("on")]
    if kind != "histogram":
        texts = [element.text or "" for element in elements]
        assert all(any(text.startswith(name[:12]) for text in texts) for name in NASTY)


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_page_every_colour_is_the_page_s(kind):
    picture = charts.to_svg(every_chart(["a", "b"], PAGE)[kind])
    assert "var(--" in picture
    assert "#" not in picture


def test_heat_map_leaves_out_what_is_not_a_number_and_shades_by_distance_from_zero():
    matrix = np.array([[0.5, np.nan], [-1.0, 0.0]])
    cells = charts.heat_map(matrix, ["a", "b"]).to_dict()["data"]["values"]
    assert {(cell["row"], cell["column"]): (cell["value"], cell["shade"], cell["below"]) for cell in cells} == {
        ("a", "a"): (0.5, 0.5, False),
        ("b", "a"): (-1.0, 1.0, True),
        ("b", "b"): (0.0, 0.0, False),
    }


def test_heat_map_wants_a_name_for_each_row():
    with pytest.raises(AssayError, match="2 × 2 for its names"):
        charts.heat_map(np.eye(3), ["a", "b"])


def test_without_altair_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['altair'] = None\n"
        "from assay.errors import AssayError\n"
        "try:\n    import assay.report.charts\nexcept AssayError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"charts need altair, which is not installed: {how_to_install('report')}"
