"""Labels as records for annotation tools; that they come back is tested with reading them."""

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
