"""What the columns of a data file seem to be."""

import re

import polars as pl
import pytest

import assay
from assay.project.column_guesses import guess_columns

LETTERS = {
    "id": [f"L{number}" for number in range(40)],
    "subject": ["A complaint about " + word for word in ("noise", "dogs", "cars", "rain")] * 10,
    "body": ["Dear all, the " + word + " is too much for us here" for word in ("noise", "dog", "car", "rain")] * 10,
    "channel": ["web", "web", "phone", None] * 10,
    "urgent": [True, False] * 20,
    "age": list(range(40)),
}


def guessed(folder, columns, gold=None, name="rows.csv"):
    path = folder / name
    frame = pl.DataFrame(columns)
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[name.split(".")[1]](path)
    return guess_columns(path, gold)


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.jsonl"])
def test_each_column_is_taken_for_what_it_is(tmp_path, name):
    found = guessed(tmp_path, LETTERS, name=name)
    assert (found.rows, found.id, found.texts) == (40, "id", ("body", "subject"))
    assert found.numbers == {"age": 19.5}
    assert found.categories == {"channel": ("web", "phone"), "urgent": ("true", "false")}


@pytest.mark.parametrize(
    ("columns", "id"),
    [
        ({"text": ["a b c"] * 12, "ticketId": range(12)}, "ticketId"),
        ({"text": ["a b c"] * 12, "item number": [f"n{row}" for row in range(12)]}, "item number"),
        ({"who": [f"w{row}" for row in range(12)], "text": ["a b c"] * 12}, "who"),
        ({"text": ["a b c"] * 12, "id": [0, 0, *range(10)]}, None),
        ({"text": ["a b c"] * 12, "id": [None, *range(11)]}, None),
        ({"text": [f"one text {row}" for row in range(12)], "id": [f"some text {row}" for row in range(12)]}, None),
        ({"text": [f"one text {row}" for row in range(12)], "price": [0.5 + row for row in range(12)]}, None),
        ({"text": ["a b c"] * 12, "idea": range(12)}, None),
    ],
    ids=["camel case", "words", "the first", "twice", "missing", "texts", "prices", "part of a word"],
)
def test_items_are_named_by_a_column_of_keys_only(tmp_path, columns, id):
    assert guessed(tmp_path, columns).id == id


def test_a_name_that_is_there_twice_far_down_is_found(tmp_path):
    names = [*range(60_000), 7]
    assert guessed(tmp_path, {"id": names, "text": ["some short text"] * len(names)}, name="rows.parquet").id is None


@pytest.mark.parametrize(
    ("gold", "labels"),
    [
        (["b", "a", "b", None], ("b", "a")),
        ([1, 0, 1, None], ("1", "0")),
        ([True, False, True, None], ("true", "false")),
    ],
)
def test_labels_are_the_values_of_their_column_the_most_frequent_first(tmp_path, gold, labels):
    found = guessed(tmp_path, {"text": ["some short text"] * 40, "said": gold * 10}, "said")
    assert found.labels == labels
    assert "said" not in (*found.categories, *found.texts, *found.numbers)


@pytest.mark.parametrize(
    ("text", "gold", "says"),
    [
        ("", None, "has no rows"),
        ("id,text\n", None, "has no rows"),
        ("id|text\n1|a b c\n", None, "separated by vertical bars; save it as CSV with commas"),
        ("text,said\na b c,x\nd e f,y\n", "sid", "has no column 'sid'. Did you mean 'said'?"),
        ("said\nx\ny\n", "said", "no column besides the labels"),
        ("text,said\na b c,x\nd e f,x\n", "said", "has 1 different values; labels are two or more"),
        ("text,said\na b c,\nd e f,\n", "said", "has 0 different values"),
        ("text,said\n" + "".join(f"a b c,x{row}\n" for row in range(40)), "said", "40 different values in 40 rows"),
    ],
)
def test_what_cannot_be_labeled_is_refused(tmp_path, text, gold, says):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(assay.ProjectError, match=re.escape(says)):
        guess_columns(path, gold)


def test_one_column_of_texts_is_enough(tmp_path):
    found = guessed(tmp_path, {"text": ["some short text", "another one is here"]})
    assert (found.id, found.texts) == (None, ("text",))


@pytest.mark.parametrize(
    ("name", "raw", "says"),
    [
        ("rows.xlsx", b"PK", "save it as CSV, with commas and in UTF-8"),
        ("rows.csv", "id,text\n1,caf\xe9 au lait\n".encode("latin-1"), "line 2 is not UTF-8 text .* save it as UTF-8"),
    ],
)
def test_what_cannot_be_read_says_how_to_save_it(tmp_path, name, raw, says):
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(assay.DataError, match=says):
        guess_columns(tmp_path / name)


def test_votes_are_not_taken_for_items(tmp_path):
    votes = {"task": ["a", "a", "b", "b"], "worker": [1, 2, 1, 2], "label": ["x", "y", "x", "x"]}
    with pytest.raises(
        assay.ProjectError, match=r"4 rows are about 2 items of column 'task'.*assay aggregate .*rows\.csv"
    ):
        guessed(tmp_path, votes)
    tweets = {"text": ["a b c", "b c d", "c d e", "c d e"], "user": ["u", "v", "u", "u"], "label": ["x", "y", "x", "x"]}
    assert guessed(tmp_path, tweets).rows == 4
