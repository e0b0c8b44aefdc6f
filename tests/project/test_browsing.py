"""Filters: each against a loop over items, together as an intersection, and through a link and back."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.project import ANYTHING, NOT_APPLICABLE, NOTHING, ONLY, ORDERS, Filter, Workbench, item_lines, rows_found
from assay.project.runs import chosen_labels

TASKS = {"entity": ["Person", "Organization"], "person": ["Doctor", "Lawyer"], "org": ["Hospital", "Office"]}
texts = st.text(st.characters(codec="ascii"), max_size=6)
shares = st.sampled_from([0.0, 0.3, 0.5, 0.77, 0.9, 1.0])
filters = st.builds(
    Filter,
    text=st.sampled_from(["", "the", "DR.", "court", ", then", "no such text"]),
    task=st.sampled_from(["", *TASKS]),
    least=st.sampled_from([0.0, 0.5]),
    most=st.sampled_from([1.0, 0.9]),
    source=st.sampled_from(["", "tagger2", "ward"]),
    said=st.sampled_from(["", ANYTHING, NOTHING]),
    only=st.sampled_from(list(ONLY)),
    order=st.sampled_from(list(ORDERS)),
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "text": st.text(max_size=8),
            "regex": st.sampled_from(["1", "0", "on", "false", ""]),
            "task": texts,
            "label": texts,
            "least": shares.map(str),
            "most": shares.map(str),
            "source": texts,
            "said": texts,
            "only": st.sampled_from(list(ONLY)),
            "order": st.sampled_from(list(ORDERS)),
            "page": st.just("3"),
        },
    )
)
def test_a_filter_comes_back_from_its_link(query):
    found = Filter.from_query(query)
    assert Filter.from_query(found.query) == found
    assert Filter() == Filter.from_query(Filter().query)


@pytest.mark.parametrize(
    "query",
    [{"least": "x"}, {"least": "-0.1"}, {"most": "1.1"}, {"most": "nan"}, {"only": "x"}, {"order": "x"},
     {"text": "x" * 2_001}],
)  # fmt: skip
def test_what_is_no_filter_is_refused(query):
    with pytest.raises(AssayError, match=next(iter(query)).replace("text", "search")):
        Filter.from_query(query)


def by_hand(contents, wanted):
    """The rows that pass, by looking at each."""
    votes, labels = contents.votes, contents.labels
    found = []
    for row in range(len(contents)):
        record = contents.data.row(row, named=True)
        cast = votes.take([row]).cast
        said = {votes.names[at]: str(votes.values[at][code]) for at, code in zip(cast.sources, cast.codes, strict=True)}
        passes = [wanted.text.lower() in record["text"].lower()]
        if wanted.source:
            spoke = said.get(wanted.source)
            passes.append({ANYTHING: spoke is not None, "": spoke is not None, NOTHING: spoke is None}
                          .get(wanted.said, spoke == wanted.said))  # fmt: skip
        if wanted.task and wanted.label:
            best = labels.tasks.label_space.components[0].outcomes[int(labels.joint[0][row].argmax())]
            passes.append((dict(best).get(wanted.task) or NOT_APPLICABLE) == wanted.label)
        sure = labels[wanted.task][row].max() if wanted.task else labels.joint[0][row].max()
        passes.append(wanted.least <= sure <= wanted.most)
        answer = contents.hand.answers.get(contents.item(row))
        kinds = {
            "": True,
            "silent": not said,
            "labeled": answer is not None,
            "unlabeled": answer is None,
        }
        if wanted.only in kinds:
            passes.append(kinds[wanted.only])
        if all(passes):
            found.append(row)
    return found


@pytest.mark.parametrize(
    "wanted",
    [
        Filter(),
        Filter(text="THE"),
        Filter(text=", then"),
        Filter(text="dr."),
        Filter(task="person", label="Doctor"),
        Filter(task="org", label=NOT_APPLICABLE),
        Filter(task="entity", least=0.6, most=0.95),
        Filter(least=0.5, most=0.8),
        Filter(source="tagger2", said="Person"),
        Filter(source="ward"),
        Filter(source="ward", said=NOTHING, text="patient"),
        Filter(only="silent"),
        Filter(only="labeled"),
        Filter(only="unlabeled", task="person", label="Lawyer"),
    ],
    ids=lambda wanted: str(wanted.query),
)
def test_each_filter_finds_what_a_loop_over_items_finds(contents, wanted):
    assert rows_found(contents, wanted).tolist() == by_hand(contents, wanted)


@given(filters)
def test_filters_together_are_an_intersection(contents, wanted):
    alone = [
        Filter(text=wanted.text, regex=wanted.regex),
        Filter(source=wanted.source, said=wanted.said if wanted.source else ""),
        Filter(task=wanted.task, label=wanted.label),
        Filter(task=wanted.task, least=wanted.least, most=wanted.most),
        Filter(only=wanted.only),
    ]
    together = set(rows_found(contents, wanted).tolist())
    assert together == set.intersection(*(set(rows_found(contents, one).tolist()) for one in alone))


@given(filters)
def test_orders_show_the_same_items_as_sure_as_they_say(contents, wanted):
    rows = rows_found(contents, wanted)
    assert len(set(rows.tolist())) == len(rows)
    sure = contents.labels[wanted.task].max(axis=1) if wanted.task else contents.results.confidence
    steps = np.diff(rows if wanted.order == "row" else np.asarray(sure)[rows])
    assert (steps >= 0).all() if wanted.order in ("row", "unsure") else (steps <= 0).all()


@given(st.text(st.characters(codec="ascii"), min_size=1, max_size=4))
def test_plain_searches_have_no_special_characters(contents, text):
    wanted = Filter(text=text)
    expected = [row for row, one in enumerate(contents.data["text"]) if text.lower() in one.lower()]
    assert rows_found(contents, wanted).tolist() == expected


@pytest.mark.parametrize("pattern", [r"\bdr\.", "^ms", "court|jury", r"s{2}", r"[a-c]\w+ed\b"])
def test_patterns_are_those_that_python_has(contents, pattern):
    expected = [row for row, one in enumerate(contents.data["text"]) if re.search(pattern, one, re.IGNORECASE)]
    assert rows_found(contents, Filter(text=pattern, regex=True)).tolist() == expected
    assert expected


def test_items_with_conflicts_wrong_labels_and_changes(contents):
    votes, labels = contents.votes, contents.labels
    assert (
        rows_found(contents, Filter(only="conflict")).tolist() == np.flatnonzero(votes.conflicts().any(axis=1)).tolist()
    )
    wrong = rows_found(contents, Filter(only="wrong")).tolist()
    assert wrong
    assert 0 < len(wrong) < len(contents)
    gold = {one["id"]: one for one in contents_gold(contents)}
    chosen = {name: chosen_labels(labels, labels.tasks[name]) for name in TASKS}
    for row in set(range(len(contents))) - set(contents.hand_rows):
        told = gold[contents.item(row)]
        is_right = all(
            told[name] == (TASKS[name][chosen[name][row]] if chosen[name][row] < 2 else None) for name in TASKS
        )
        assert (row in wrong) == (not is_right)
    flipped = rows_found(contents, Filter(only="changed"))
    assert len(flipped) == contents.runs[-1].flipped


def contents_gold(contents):
    import json

    return [json.loads(line) for line in contents.project.gold.read_text().splitlines()]


@pytest.mark.parametrize(
    "wanted",
    [Filter(task="entitty"), Filter(label="Person"), Filter(task="entity", label="Docter"), Filter(source="taggr"),
     Filter(source="tagger2", said="Persn"), Filter(text="(", regex=True)],
    ids=lambda wanted: str(wanted.query),
)  # fmt: skip
def test_what_there_is_not_is_told(contents, wanted):
    with pytest.raises(AssayError):
        rows_found(contents, wanted)


def test_a_pattern_is_told_as_it_was_typed(contents):
    with pytest.raises(AssayError, match=r"the pattern 'late\(': unclosed group"):
        rows_found(contents, Filter(text="late(", regex=True))


def test_without_a_run_texts_can_be_searched_and_the_rest_says_what_to_do(unrun):
    bare = Workbench(unrun).contents()
    assert len(rows_found(bare, Filter(text="the", order="sure"))) > 0
    for wanted in (Filter(task="entity"), Filter(source="ward"), Filter(least=0.5)):
        with pytest.raises(AssayError, match="assay"):
            rows_found(bare, wanted)
    assert item_lines(bare, [0, 1])[0].labels == ()


def test_lines_show_items_in_the_order_asked_for(contents):
    lines = item_lines(contents, [5, 2, 9])
    assert [line.row for line in lines] == [5, 2, 9]
    assert [line.record["text"] for line in lines] == [contents.data["text"][row] for row in (5, 2, 9)]
    for line in lines:
        best = contents.labels.joint[0][line.row].argmax()
        outcome = dict(contents.labels.tasks.label_space.components[0].outcomes[int(best)])
        assert {one.task: one.label for one in line.labels} == {k: v for k, v in outcome.items() if v is not None}
    labeled = rows_found(contents, Filter(only="labeled"))
    assert {line.by_hand for line in item_lines(contents, labeled)} == {"Person, Lawyer"}
    assert item_lines(contents, []) == []


def test_no_more_than_some_filters_are_remembered(contents):
    for number in range(60):
        rows_found(contents, Filter(text=f"x{number}"))
    assert len(contents.results.memo["found"]) <= 24
