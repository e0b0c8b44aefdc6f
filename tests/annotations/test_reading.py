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


TWO_LEVELS = assay.TaskGraph(
    [
        assay.Task("kind", ["Delivery", "Praise"]),
        assay.Task("delivery", ["Late", "Lost"], parent=("kind", "Delivery")),
    ]
)
TABLE = "\ufeffTicket,Kind,Subkind,Note\nT1,Delivery,Late,hm\nT2,Praise,,\n,,,\nT3,, LOST,\nT4,,,\n"


def table(folder, text=TABLE, name="colleague.csv"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_a_plain_table_says_labels_of_all_levels(tmp_path):
    found = assay.read_annotations(table(tmp_path), item="Ticket", tasks=TWO_LEVELS)
    assert found.tool == "table"
    assert (found.columns.taken, dict(found.columns.ignored)) == (("Kind", "Subkind"), {"Note": "'hm' is no label"})
    assert found.hand_labels(TWO_LEVELS).answers == {
        "T1": {"kind": "Delivery", "delivery": "Late"},
        "T2": {"kind": "Praise"},
        "T3": {"delivery": "Lost"},
    }
    assert [one.place for one in found.said] == ["line 2", "line 2", "line 3", "line 5"]


def test_columns_of_labels_can_be_told(tmp_path):
    found = assay.read_annotations(table(tmp_path), item="Ticket", labels=["Subkind"], tasks=TWO_LEVELS)
    assert found.columns.taken == ("Subkind",)
    assert [one.labels for one in found.said] == [("Late",), ("Lost",)]
    assert [one.labels for one in assay.read_annotations(table(tmp_path), item="Ticket", labels=["Note"]).said] == [
        ("hm",)
    ]


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"tasks": TWO_LEVELS}, "which column names the items"),
        ({"item": "Ticket"}, "which columns hold labels"),
        ({"item": "Tickt", "tasks": TWO_LEVELS}, "no column 'Tickt'. Did you mean 'Ticket'"),
        ({"item": "Ticket", "labels": ["Knd"]}, "no column 'Knd'. Did you mean 'Kind'"),
        ({"item": "Ticket", "labels": ["Note"], "tasks": TWO_LEVELS}, "line 2: column 'Note': no task has the label"),
        ({"item": "Ticket", "tasks": TASKS}, "no column holds labels alone.*'Kind': 'Delivery', 'Praise' are no lab"),
        ({"item": "Ticket", "labels": ["Kind"], "tool": "doccano"}, "names columns of a plain table"),
    ],
)
def test_what_a_table_does_not_tell_is_asked_for(tmp_path, told, says):
    with pytest.raises(assay.DataError, match=says):
        assay.read_annotations(table(tmp_path), **told)


def test_a_column_called_label_does_not_make_a_table_doccanos(tmp_path):
    path = table(tmp_path, "Ticket,label\nT1,Late\n")
    assert assay.read_annotations(path, item="Ticket", tasks=TWO_LEVELS).tool == "table"
    assert assay.read_annotations(table(tmp_path, "id,text,label\n1,Hi,ham\n")).tool == "doccano"


def test_two_labels_of_a_task_in_a_table_are_refused_with_their_line(tmp_path):
    path = table(tmp_path, "item,Kind\nT1,Late\nT1,Lost\n")
    with pytest.raises(assay.DataError, match="line 3: colleague gave item 'T1' two labels"):
        assay.read_annotations(path, tasks=TWO_LEVELS).answers(TWO_LEVELS)


def test_several_labels_of_a_cell_have_semicolons_between(tmp_path):
    tasks = assay.TaskGraph([assay.Task("topics", ["a", "b", "c"], multiple=True)])
    found = assay.read_annotations(table(tmp_path, "item,said\n1,a; c\n2,b\n"), tasks=tasks)
    assert [one.labels for one in found.said] == [("a", "c"), ("b",)]
