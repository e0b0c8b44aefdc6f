"""Labels as records for annotation tools; that they come back is tested with reading them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import assay

TASKS = assay.TaskGraph(
    [assay.Task("kind", ["Person", "Place"]), assay.Task("who", ["Ann", "Bob"], parent=("kind", "Person"))]
)
JOINT = np.array([[0.7, 0.2, 0.1], [0.05, 0.05, 0.9]])
DATA = pd.DataFrame({"text": ["Ann sings", "Rome"], "year": [2020, 2021]})


def test_label_studio_gets_predictions_with_scores_and_no_choice_where_a_task_does_not_apply():
    person, place = assay.Labels(TASKS, (JOINT,)).to_label_studio(DATA)
    assert person["data"] == {"text": "Ann sings", "year": 2020, "item": 0}
    (prediction,) = person["predictions"]
    assert [one["value"]["choices"] for one in prediction["result"]] == [["Person"], ["Ann"]]
    assert prediction["result"][0] | {"value": None} == {
        "from_name": "kind",
        "to_name": "text",
        "type": "choices",
        "value": None,
        "score": pytest.approx(0.9),
    }
    assert prediction["score"] == pytest.approx(0.7)
    assert [one["from_name"] for one in place["predictions"][0]["result"]] == ["kind"]


def test_argilla_gets_suggestions_and_the_rest_as_metadata():
    person, _ = assay.Labels(TASKS, (JOINT,), np.array(["x", "y"])).to_argilla(DATA)
    assert person["id"] == "x"
    assert person["fields"] == {"text": "Ann sings"}
    assert person["metadata"] == {"year": 2020, "item": "x"}
    assert person["suggestions"]["who"] == {"value": "Ann", "score": pytest.approx(0.7), "agent": "assay"}


def test_labels_that_were_dropped_are_left_out():
    few = assay.Labels(TASKS, (JOINT,)).confident(0.8)
    (only,) = few.to_label_studio(DATA)
    assert only["data"]["item"] == 1


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (DATA[:1], "1 rows, but there are 2 labels"),
        (DATA.rename(columns={"text": "txt"}), "'txt'"),
        ([1, 2], "named columns"),
    ],
)
def test_data_that_does_not_fit_is_refused(data, why):
    with pytest.raises(assay.AssayError, match=why):
        assay.Labels(TASKS, (JOINT,)).to_label_studio(data)


# Names


NAMED = assay.Labels(assay.TaskGraph.flat("animal", ["cat", "dog"]), (np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]]),))
BY_TEXT = replace(NAMED, items=np.array(["x", "y", "z"], dtype=object))
BY_NUMBER = replace(NAMED, items=np.array([2, 0, 1]))
IMAGES = pd.DataFrame({"image": ["s3://z", "s3://x", "s3://y"]}, index=["z", "x", "y"])


def said(records):
    """What is said of each image."""
    return {one["data"]["image"]: one["predictions"][0]["result"][0]["value"]["choices"][0] for one in records}


TRUE = {"s3://x": "cat", "s3://y": "dog", "s3://z": "cat"}


@pytest.mark.parametrize(
    "data",
    [
        IMAGES,
        IMAGES.rename_axis("item").reset_index(),
        IMAGES.rename_axis("id").reset_index(),
        IMAGES.rename_axis("file").reset_index().to_dict("records"),
        pd.concat([pd.DataFrame({"image": ["s3://w"]}, index=["w"]), IMAGES]),
    ],
)
def test_rows_are_paired_by_name(data):
    found = BY_TEXT.to_label_studio(data, on="image")
    assert said(found) == TRUE
    assert [one["data"]["item"] for one in found] == ["x", "y", "z"]
    records = BY_TEXT.to_argilla(data, on="image")
    assert {one["fields"]["image"]: one["suggestions"]["animal"]["value"] for one in records} == TRUE


def test_filtered_labels_are_paired_by_name_too():
    assert said(BY_TEXT.confident(0.75).to_label_studio(IMAGES)) == {"s3://x": "cat", "s3://y": "dog"}


def test_numbers_are_names_in_a_column_that_names_items():
    data = pd.DataFrame({"page": [0, 1, 2], "image": ["s3://0", "s3://1", "s3://2"]})
    wanted = {"s3://2": "cat", "s3://0": "dog", "s3://1": "cat"}
    for named in (data.rename(columns={"page": "item"}), data.assign(item=data["page"].astype(float))):
        assert said(BY_NUMBER.to_label_studio(named, on="image")) == wanted
    assert said(BY_NUMBER.to_label_studio(data, on="image", item="page")) == wanted
    with pytest.raises(assay.AssayError, match="a column 'item'"):
        BY_NUMBER.to_label_studio(data, on="image")


def test_names_that_contradict_each_other_are_refused():
    other = IMAGES.set_axis(["z", "x", "other"])
    with pytest.raises(assay.AssayError, match=r"1 of 3 labels is of an item that is not in the index, such as 'y'"):
        BY_TEXT.to_label_studio(other, on="image")
    twice = pd.concat([IMAGES, IMAGES.iloc[:1]]).rename_axis("item").reset_index()
    with pytest.raises(assay.AssayError, match="the column 'item' has several rows of 'z'"):
        BY_TEXT.to_argilla(twice, on="image")
    with pytest.raises(assay.AssayError, match="no column 'file'"):
        BY_TEXT.to_argilla(IMAGES, on="image", item="file")


def test_without_names_in_the_data_position_pairs():
    assert said(BY_TEXT.to_label_studio(IMAGES.reset_index(drop=True))) == {
        "s3://z": "cat",
        "s3://x": "dog",
        "s3://y": "cat",
    }


def test_a_column_called_item_that_is_no_name_moves_aside():
    data = pd.DataFrame({"text": ["a", "b", "c"], "item": ["shirt", "shoe", "hat"]})
    (first, *_) = NAMED.to_label_studio(data)
    assert first["data"] == {"text": "a", "item": 0, "item_": "shirt"}
    (first, *_) = NAMED.to_argilla(data)
    assert first["metadata"] == {"item": 0, "item_": "shirt"}
    with pytest.raises(assay.AssayError, match="rename that column"):
        NAMED.to_label_studio(data, on="item")


def test_the_column_that_annotators_read_is_the_only_one_or_asked_for():
    assert said(BY_TEXT.to_label_studio(IMAGES.rename_axis("item").reset_index())) == TRUE
    two = IMAGES.assign(width=3)
    with pytest.raises(assay.AssayError, match=r"as in on='width'.*'image'"):
        BY_TEXT.to_label_studio(two)


def test_a_file_to_write_in_place_of_data_is_told():
    with pytest.raises(assay.AssayError, match=r"to_label_studio\(data, 'tasks.json'"):
        BY_TEXT.to_label_studio("tasks.json")
