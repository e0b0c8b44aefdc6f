"""Exports of annotation tools, as the tools write them: who said what about which item."""

import json

import pandas as pd
import pytest

import assay

LABEL_STUDIO = [
    {
        "id": 11,
        "data": {"text": "Dr. Lee", "item": "a"},
        "annotations": [
            {
                "id": 1001,
                "completed_by": {"id": 3, "email": "ann@example.com"},
                "was_cancelled": False,
                "ground_truth": False,
                "updated_at": "2024-03-09T22:16:08.728378Z",
                "result": [
                    {
                        "id": "Dx_aB91ISN",
                        "from_name": "entity",
                        "to_name": "text",
                        "type": "choices",
                        "value": {"choices": ["Person"]},
                    },
                    {
                        "id": "x",
                        "from_name": "person",
                        "to_name": "text",
                        "type": "taxonomy",
                        "value": {"taxonomy": [["Person", "Doctor"]]},
                    },
                    {"from_name": "box", "to_name": "text", "type": "labels", "value": {"labels": ["X"], "start": 0}},
                ],
            },
            {"id": 1002, "completed_by": 4, "was_cancelled": True, "result": []},
        ],
        "predictions": [],
    },
    {"id": 12, "data": {"text": "Lee & Co", "item": "b"}, "annotations": []},
]
LABEL_STUDIO_MIN = [
    {"text": "Win", "id": 4, "mail": "spam", "annotator": 1, "annotation_id": 9, "lead_time": 1.2},
    {"text": "Hi", "id": 5, "mail": {"choices": ["ham"]}, "annotator": 1, "annotation_id": 10, "lead_time": 2.0},
]
DOCCANO = [{"id": 4, "text": "Win", "label": ["spam"]}, {"id": 5, "text": "Hi", "label": [], "Comments": []}]
OLD_DOCCANO = [{"id": 4, "text": "Win", "annotations": [{"label": "spam", "user": 2}, {"label": "ham", "user": 3}]}]
PRODIGY = [
    {"text": "Win", "meta": {"id": "m1"}, "label": "spam", "answer": "accept", "_input_hash": 1, "_task_hash": 2},
    {"text": "Hi", "meta": {"id": "m2"}, "label": "spam", "answer": "reject", "_input_hash": 3, "_task_hash": 4},
    {"text": "??", "meta": {"id": "m3"}, "label": "spam", "answer": "ignore", "_input_hash": 5, "_task_hash": 6},
]
PRODIGY_CHOICES = [
    {
        "text": "Win",
        "id": "m1",
        "options": [{"id": "spam", "text": "Spam!"}, {"id": "ham", "text": "Ham"}],
        "accept": ["spam"],
        "answer": "accept",
        "_annotator_id": "mails-ann",
        "_session_id": "mails-ann",
        "_timestamp": 1700000000,
        "_task_hash": 9,
    }
]
ARGILLA = [
    {
        "id": "m1",
        "fields": {"text": "Win"},
        "metadata": {},
        "suggestions": {"mail": {"value": "spam", "score": 0.9, "agent": "assay"}},
        "responses": {"mail": [{"value": "ham", "user_id": "u1"}, {"value": "spam", "user_id": "u2"}]},
        "vectors": {},
        "status": "completed",
        "_server_id": "s",
    },
    {"id": "m2", "fields": {"text": "Hi"}, "metadata": {}, "suggestions": {}, "responses": {}, "vectors": {}},
]
FLAT_ARGILLA = [
    {
        "id": "m1",
        "text": "Win",
        "mail.responses": ["ham", "spam"],
        "mail.responses.users": ["u1", "u2"],
        "mail.responses.status": ["submitted", "discarded"],
        "mail.suggestion": "spam",
    }
]
MTURK = """HITId,HITTypeId,AssignmentId,WorkerId,AssignmentStatus,SubmitTime,Input.text,Input.item,Answer.mail.label
H1,T,A1,W1,Approved,2024-03-09,Win,7,spam
H1,T,A2,W2,Rejected,2024-03-09,Win,7,ham
H2,T,A3,W2,Submitted,2024-03-09,Hi,8,ham
"""
MTURK_OPTIONS = """HITId,WorkerId,AssignmentStatus,Input.text,Answer.mail.spam,Answer.mail.ham
H1,W1,Approved,Win,true,false
H2,W1,Approved,Hi,false,true
"""


def said(path, **told):
    return [(one.item, one.by, one.task, one.labels, one.rejected) for one in assay.read_annotations(path, **told).said]


def written(folder, records, name="ann.json"):
    path = folder / name
    lines = "\n".join(json.dumps(record) for record in records)
    path.write_text(lines if name.endswith("l") else json.dumps(records))
    return path


def test_label_studio(tmp_path):
    assert said(written(tmp_path, LABEL_STUDIO)) == [
        ("a", "ann@example.com", "entity", ("Person",), None),
        ("a", "ann@example.com", "person", ("Doctor",), None),
        ("a", "4", None, (), None),
    ]


def test_label_studio_in_short(tmp_path):
    assert said(written(tmp_path, LABEL_STUDIO_MIN)) == [
        (4, "1", "mail", ("spam",), None),
        (5, "1", "mail", ("ham",), None),
    ]


def test_doccano_names_the_person_by_the_file(tmp_path):
    assert said(written(tmp_path, DOCCANO, "ann.jsonl")) == [
        (4, "ann", None, ("spam",), None),
        (5, "ann", None, (), None),
    ]
    assert said(written(tmp_path, OLD_DOCCANO)) == [(4, "2", None, ("spam",), None), (4, "3", None, ("ham",), None)]


def test_doccano_in_csv(tmp_path):
    path = tmp_path / "bob.csv"
    path.write_text("id,text,label\n1,Win,spam#ad\n2,Hi,\n")
    assert said(path, tool="doccano") == [(1, "bob", None, ("spam", "ad"), None), (2, "bob", None, (), None)]


def test_prodigy_knows_yes_no_and_neither(tmp_path):
    path = written(tmp_path, PRODIGY, "set.jsonl")
    assert said(path, item="id") == [
        ("m1", "set", None, ("spam",), None),
        ("m2", "set", None, (), "spam"),
        ("m3", "set", None, (), None),
    ]
    found = assay.read_annotations(path, item="id").hand_labels(assay.TaskGraph.flat("mail", ["ham", "spam"]))
    assert found.answers == {"m1": {"mail": "spam"}, "m2": {"mail": "ham"}}
    assert found.skipped == ("m3",)
    assert said(written(tmp_path, PRODIGY_CHOICES, "c.jsonl")) == [("m1", "mails-ann", None, ("spam",), None)]


def test_argilla_nested_and_flat(tmp_path):
    assert said(written(tmp_path, ARGILLA)) == [
        ("m1", "u1", "mail", ("ham",), None),
        ("m1", "u2", "mail", ("spam",), None),
    ]
    assert said(written(tmp_path, FLAT_ARGILLA)) == [("m1", "u1", "mail", ("ham",), None)]


def test_mechanical_turk(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text(MTURK)
    assert said(path) == [(7, "W1", "mail", ("spam",), None), (8, "W2", "mail", ("ham",), None)]
    path.write_text(MTURK_OPTIONS)
    assert said(path) == [("H1", "W1", "mail", ("spam",), None), ("H2", "W1", "mail", ("ham",), None)]


def test_an_item_is_named_by_the_field_that_is_told(tmp_path):
    assert said(written(tmp_path, DOCCANO), item="text")[0][0] == "Win"
    with pytest.raises(assay.DataError, match=r"no field 'txt'.*'text'"):
        assay.read_annotations(written(tmp_path, DOCCANO), item="txt")


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.json", "[1]", "must be an object"),
        ("a.json", "[]", "no records"),
        ("a.json", '[{"x": 1}]', "looks like no export"),
        ("a.jsonl", "{", "not a valid export"),
        ("a.xml", "", "ends in"),
        ("a.json", '[{"data": {}, "annotations": 5}]', "not a valid export of label-studio"),
        ("a.json", '[{"text": "x", "label": [[0, 2, "ORG"]], "id": 1}]', "only those of whole texts"),
        ("a.json", '[{"text": "x", "label": ["a"], "id": [1]}]', "named by a number or a text"),
    ],
)
def test_what_is_no_export_is_refused(tmp_path, name, text, why):
    (tmp_path / name).write_text(text)
    with pytest.raises(assay.DataError, match=why):
        assay.read_annotations(tmp_path / name)


@pytest.mark.parametrize(
    ("columns", "task"),
    [
        ({"Answer.spam.on": [True, False], "Answer.ham.on": [False, True]}, None),
        ({"Answer.taskAnswers": ['[{"mail":{"label":"spam"}}]', '[{"mail":{"label":"ham"}}]']}, "mail"),
        (
            {"Answer.taskAnswers": ['[{"mail":{"spam":true,"ham":false}}]', '[{"mail":{"spam":false,"ham":true}}]']},
            "mail",
        ),
        ({"Answer.taskAnswers": ['[{"mail":"spam"}]', '[{"mail":"ham"}]']}, "mail"),
        (
            {
                "Answer.taskAnswers": [
                    '[{"spam":{"on":true},"ham":{"on":false}}]',
                    '[{"spam":{"on":false},"ham":{"on":true}}]',
                ]
            },
            None,
        ),
        ({"Answer.taskAnswers": ['[{"mail":{"labels":["spam"]}}]', '[{"mail":{"labels":["ham"]}}]']}, "mail"),
    ],
)
def test_mechanical_turk_in_its_other_forms(tmp_path, columns, task):
    batch = {"HITId": ["H1", "H2"], "WorkerId": ["W1", "W1"], "Input.url": ["a", "b"], **columns}
    pd.DataFrame(batch).to_csv(tmp_path / "batch.csv", index=False)
    expected = [("a", "W1", task, ("spam",), None), ("b", "W1", task, ("ham",), None)]
    assert said(tmp_path / "batch.csv", item="Input.url") == expected
    assert said(tmp_path / "batch.csv", item="url") == expected


def test_a_broken_answer_of_mechanical_turk_is_told(tmp_path):
    batch = pd.DataFrame({"HITId": ["H1"], "WorkerId": ["W1"], "Answer.taskAnswers": ["[{"]})
    batch.to_csv(tmp_path / "batch.csv", index=False)
    with pytest.raises(assay.DataError, match="mturk"):
        assay.read_annotations(tmp_path / "batch.csv")
