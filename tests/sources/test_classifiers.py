"""Classifiers as sources."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import assay
from assay import SourceError, TaskGraph

TASKS = TaskGraph.flat("mail", ["ham", "spam"])


class Counts:
    """Spam is as probable as a text is long; what it was asked is kept."""

    classes_ = np.array(["spam", "ham"])

    def __init__(self):
        self.asked = []

    def predict_proba(self, texts):
        self.asked.append(texts)
        share = np.array([len(text) / 10 for text in texts])
        return np.column_stack([share, 1 - share])


def said(source, data, tasks=TASKS, **options):
    return assay.apply(source, data, tasks, **options).to_pandas().iloc[:, 0].tolist()


def test_the_most_probable_label_at_a_level():
    source = assay.classifier(Counts(), on=["text"], levels=[0.5, 0.8])
    texts = ["a" * 9, "a" * 6, "a" * 5, "a", None]
    assert said(source, {"text": texts}) == [
        "spam, 0.8 to 1",
        "spam, 0.5 to 0.8",
        "ham, 0.5 to 0.8",  # of two that are equally probable, the first of the task
        "ham, 0.8 to 1",
        None,
    ]


def test_texts_are_a_list_numbers_an_array_and_others_a_table():
    asked = []

    class Asked:
        classes_ = ("ham", "spam")

        def predict_proba(self, data):
            asked.append(data)
            return np.full((len(data), 2), 0.5)

    table = {"text": ["x", "y"], "length": [1, 2], "share": [0.5, None]}
    for on in ("text", ["length"], ["length", "share"], ["text", "length"]):
        assay.apply(assay.classifier(Asked(), on=on), table, TASKS)
    assert asked[0] == ["x", "y"]
    assert asked[1].tolist() == [[1.0], [2.0]]
    assert asked[2].tolist() == [[1.0, 0.5]]  # a row of which something is missing is not asked about
    assert asked[3].to_dict("list") == {"text": ["x", "y"], "length": [1, 2]}


def test_one_that_was_fitted_on_a_table_reads_a_table():
    table = pd.DataFrame({"length": [0.0, 1.0, 0.1, 0.9], "words": [1.0, 0.0, 1.0, 0.0]})
    fitted = LogisticRegression(C=100).fit(table, ["ham", "spam", "ham", "spam"])
    assert [text.split(",")[0] for text in said(assay.classifier(fitted, on=list(table)), table)] == [
        "ham",
        "spam",
        "ham",
        "spam",
    ]


class TestLabels:
    def test_in_the_order_of_classes_or_by_class(self):
        texts = {"text": ["a" * 9, "a"]}
        for labels in (["ham", "spam"], {"spam": "ham", "ham": "spam"}):
            source = assay.classifier(Counts(), on="text", labels=labels, levels=[])
            assert said(source, texts) == ["ham", "spam"]
        source = assay.classifier(Counts(), on="text", labels={"spam": "spam", "ham": None}, levels=[])
        # What says nothing is something else.
        assert said(source, texts) == ["spam", "spam"]

    def test_several_classes_of_one_label_are_added(self):
        class Three(Counts):
            classes_ = (1, 2, 3)

            def predict_proba(self, texts):
                return np.tile([0.4, 0.3, 0.3], (len(texts), 1))

        source = assay.classifier(Three(), on="text", labels={1: "ham", 2: "spam", 3: "spam"}, levels=[])
        assert said(source, {"text": ["x"]}) == ["spam"]

    def test_labels_of_several_tasks(self, entities):
        fitted = Counts()
        labels = {"spam": "Doctor", "ham": ("org", "Hospital")}
        source = assay.classifier(fitted, on="text", labels=labels, levels=[])
        votes = assay.apply(source, {"text": ["a" * 9, "a"]}, entities)
        assert votes.tasks_of(0) == ("person", "org")

    @pytest.mark.parametrize(
        ("given", "what"),
        [
            ({"labels": ["ham"]}, "has 2 classes, but labels= has 1"),
            ({"labels": {"spam": "spam"}}, "has a class 'ham', which labels= lacks"),
            ({"on": []}, "needs the names of the columns"),
            ({"fitted": 3}, "needs something with predict_proba"),
            ({"fitted": len}, "does not say what its classes are"),
            ({"levels": [0.9, 0.5]}, "levels must be where"),
        ],
    )
    def test_what_cannot_be(self, given, what):
        fitted = given.pop("fitted", Counts())
        with pytest.raises(SourceError, match=what):
            assay.classifier(fitted, **{"on": "text", **given})

    def test_a_label_that_no_task_has_is_refused_before_any_row(self):
        fitted = Counts()
        with pytest.raises(SourceError, match="no task has the label 'eggs'"):
            assay.apply(assay.classifier(fitted, on="text", labels=["eggs", "ham"]), {"text": ["x"]}, TASKS)
        assert not fitted.asked


class TestPipelines:
    """Functions that answer with labels and scores."""

    @pytest.mark.parametrize("every", [True, False])
    def test_one_answer_or_all(self, every):
        def pipeline(texts):
            answers = [[{"label": "P", "score": len(t) / 10}, {"label": "N", "score": 1 - len(t) / 10}] for t in texts]
            return answers if every else [max(answer, key=lambda one: one["score"]) for answer in answers]

        source = assay.classifier(pipeline, on="text", labels={"P": "spam", "N": "ham"}, levels=[0.5, 0.8])
        assert said(source, {"text": ["a" * 9, "a" * 4]}) == ["spam, 0.8 to 1", "ham, 0.5 to 0.8"]

    @pytest.mark.parametrize(
        ("answer", "what"),
        [
            ([{"label": "Q", "score": 1.0}], "has a class 'Q'"),
            ([{"name": "P"}], "expected answers like"),
            ([], "expected an answer for each of 1 rows, but got 0"),
        ],
    )
    def test_answers_that_are_none(self, answer, what):
        source = assay.classifier(lambda texts: answer, on="text", labels={"P": "spam"}, name="clf")
        with pytest.raises(SourceError, match=f"source 'clf' failed on row 0: .*{what}"):
            assay.apply(source, {"text": ["x"]}, TASKS)


def test_an_end_model_is_asked_about_its_task():
    texts = ["win a prize", "see you for lunch"] * 30
    labels = assay.Labels(TASKS, (np.array([[0.1, 0.9], [0.9, 0.1]] * 30),))
    end = assay.SklearnEndModel(_counting(), tasks=TASKS).fit(texts, labels)
    source = assay.classifier(end, on="text", levels=[])
    assert source.task == "mail"
    assert said(source, {"text": texts[:2]}) == ["spam", "ham"]


def _counting():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(CountVectorizer(), LogisticRegression())


class TestFaults:
    class Fragile(Counts):
        def predict_proba(self, texts):
            if any("!" in text for text in texts):
                raise ValueError("no!")
            found = super().predict_proba(texts)
            found[[text == "?" for text in texts]] = [0.9, 0.9]
            return found

    TEXTS = ("aa", "a!", "aaa", "?", "!!", "a" * 8)

    def test_an_error_names_source_and_row(self):
        source = assay.classifier(self.Fragile(), on="text", name="clf")
        with pytest.raises(SourceError, match="source 'clf' failed on row 1: ValueError: no!"):
            assay.apply(source, {"text": self.TEXTS}, TASKS)
        with pytest.raises(SourceError, match="source 'clf' failed on row 0: its probabilities add up to more than 1"):
            assay.apply(source, {"text": self.TEXTS[3:4]}, TASKS)

    @pytest.mark.parametrize("size", [1, 2, 9])
    def test_or_rows_are_abstentions_whatever_the_batches(self, size):
        source = assay.classifier(self.Fragile(), on="text", levels=[])
        votes = assay.apply(source, {"text": self.TEXTS}, TASKS, on_error="abstain", batch_size=size)
        assert votes.codes[:, 0].tolist() == [0, -1, 0, -1, -1, 1]
        assert [(fault.count, fault.row) for fault in votes.faults] == [(3, 1)]

    def test_a_column_that_is_not_there(self):
        with pytest.raises(assay.DataError, match=r"source 'classifier\(words\)': the data has no column 'words'"):
            assay.apply(assay.classifier(Counts(), on="words"), {"text": ["x"]}, TASKS)
