"""Round trips: what Assay exports to a tool and a person confirms there comes back as hand labels of the same items."""

import json

import numpy as np
import pytest

import assay

TASKS = assay.TaskGraph([assay.Task("entity", ["Person", "Organization"]), assay.Task("tone", ["kind", "rude"])])
DATA = [{"text": f"text {number}"} for number in range(4)]


def labels(named):
    rng = np.random.default_rng(0)
    joint = tuple(rng.dirichlet([1, 1], 4) for _ in range(2))
    return assay.Labels(TASKS, joint, np.array(["p", "q", "r", "s"]) if named else None)


def confirmed_in_label_studio(path):
    """What Label Studio exports after somebody has submitted the predictions as they are."""
    tasks = json.loads(path.read_text())
    for number, task in enumerate(tasks):
        results = [
            {key: value for key, value in one.items() if key != "score"} for one in task["predictions"][0]["result"]
        ]
        task |= {"id": number + 100, "annotations": [{"completed_by": 1, "result": results, "was_cancelled": False}]}
    path.write_text(json.dumps(tasks))


def confirmed_in_argilla(path):
    records = json.loads(path.read_text())
    for record in records:
        record["responses"] = {
            task: [{"value": suggestion["value"], "user_id": "u"}] for task, suggestion in record["suggestions"].items()
        }
    path.write_text(json.dumps(records))


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    ("export", "confirm"),
    [("to_label_studio", confirmed_in_label_studio), ("to_argilla", confirmed_in_argilla)],
)
def test_what_goes_out_comes_back(tmp_path, named, export, confirm):
    given = labels(named)
    path = tmp_path / "records.json"
    getattr(given, export)(DATA, path)
    confirm(path)
    found = assay.read_annotations(path)
    assert found.tool == ("label-studio" if export == "to_label_studio" else "argilla")
    items = given.items.tolist() if named else [0, 1, 2, 3]
    expected = {item: {task: given.names(task)[row] for task in ("entity", "tone")} for row, item in enumerate(items)}
    assert found.hand_labels(TASKS).answers == expected


def test_the_tool_can_be_told():
    with pytest.raises(assay.DataError, match="'label-studio'"):
        assay.read_annotations("x.json", tool="labelstudio")
