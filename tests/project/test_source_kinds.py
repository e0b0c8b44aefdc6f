"""Rules come back from the file as they were, whatever their kind."""

from __future__ import annotations

import inspect
import re
import tomllib
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import SourceError, none_of, one_of
from assay.project import Project, SourceFile, apply_sources, new_project, read_sources, source_toml
from assay.project.source_kinds import KINDS, entry_of, kind_of
from assay.project.source_text import entry_text

texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12)
names = texts
words = texts.filter(lambda word: bool(word.strip()))
labels = st.recursive(
    texts | st.lists(texts, min_size=1, max_size=3).map(lambda some: one_of(*some)) | texts.map(none_of),
    lambda plain: st.dictionaries(texts, st.none() | plain, min_size=1, max_size=2).filter(
        lambda vote: not {"one_of", "none_of"} & set(vote) and not any(isinstance(one, dict) for one in vote.values())
    ),
    max_leaves=3,
)
plain_labels = labels.filter(lambda label: not isinstance(label, dict))
tasks = st.none() | texts
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**6), 10**6)


@st.composite
def rules(draw: st.DrawFn) -> assay.sources.Source:
    common = {"task": draw(tasks), "name": draw(names)}
    match draw(st.sampled_from(["keywords", "regex", "dictionary", "threshold", "column"])):
        case "keywords":
            options = {"case_sensitive": draw(st.booleans()), "whole_words": draw(st.booleans())}
            lists = st.lists(words, min_size=1, max_size=4)
            if draw(st.booleans()):
                groups = draw(st.dictionaries(plain_labels, lists, min_size=1, max_size=3))
                return assay.keywords(groups, on=draw(names), **common, **options)
            return assay.keywords(draw(lists), draw(labels), on=draw(names), **common, **options)
        case "regex":
            patterns = st.sampled_from([r"^Dr\b", "it's", 'a "b"', r"\d+\s'x'", "(?i)é", "a\nb"])
            options = {"case_sensitive": draw(st.booleans())}
            if draw(st.booleans()):
                groups = draw(st.dictionaries(plain_labels, patterns, min_size=1, max_size=3))
                return assay.regex(groups, on=draw(names), **common, **options)
            return assay.regex(draw(patterns), draw(labels), on=draw(names), **common, **options)
        case "dictionary":
            options = {"match": draw(st.sampled_from(["inside", "equal"])), "case_sensitive": True}
            if draw(st.booleans()):
                entries = draw(st.dictionaries(words.map(str.strip), labels, min_size=1, max_size=4))
                return assay.dictionary(entries, on=draw(names), **common, **options)
            return assay.dictionary(draw(st.sets(words, min_size=1)), draw(labels), on=draw(names), **common, **options)
        case "threshold":
            bounds = draw(
                st.dictionaries(st.sampled_from(["above", "at_least", "below", "at_most"]), numbers, min_size=1)
            )
            return assay.threshold(draw(names), draw(labels), otherwise=draw(st.none() | labels), **bounds, **common)
        case _:
            keys = texts | st.integers(0, 9) | st.booleans()
            mapping = draw(st.none() | st.dictionaries(keys, st.none() | labels, max_size=3).filter(tells_apart))
            options = {"confidence": draw(st.none() | names), "at_least": draw(st.floats(0, 1))}
            return assay.column(draw(names), mapping=mapping, **common, **options)


def tells_apart(mapping):
    """Whether no two keys are the same in TOML, where every key is a text; and none is a number as a text."""
    spelled = [str(key).lower() if isinstance(key, bool) else str(key) for key in mapping]
    return len(set(spelled)) == len(spelled) and not any(isinstance(key, str) and is_number(key) for key in mapping)


def is_number(text):
    try:
        return float(text) == float(text) or True
    except ValueError:
        return text in ("true", "false")


@given(rules())
def test_a_rule_comes_back_from_its_text(rule):
    text = source_toml(rule)
    (again,) = SourceFile(Path("sources.toml"), text).sources()
    assert source_toml(again) == text
    if rule.recipe.kind != "column":  # which knows numbers as texts too
        assert again == rule
        return
    assert (again.name, again.task, again.on, again.confidence, again.at_least) == (
        rule.name, rule.task, rule.on, rule.confidence, rule.at_least,
    )  # fmt: skip
    for key, label in (rule.mapping or {}).items():
        assert again.mapping[key] == label


@pytest.mark.parametrize("kind", KINDS)
def test_the_keys_of_a_kind_are_the_arguments_of_its_function(kind):
    function = getattr(assay, kind)
    first, *others = inspect.signature(function).parameters
    keys = set(KINDS[kind].model_fields)
    renamed = {kind, *others} | {"name", "enabled"}
    if kind == "prompt":
        # A file of sources names no server and no key: it may come from elsewhere. What gold is, it can only name.
        renamed = (renamed - {"base_url", "key"}) | {"examples_from", "examples_per_answer"}
    assert keys == renamed, first
    defaults = inspect.signature(function).parameters
    for key, field in KINDS[kind].model_fields.items():
        if key in others and key not in ("label", "name") and not field.is_required():
            assert field.default == defaults[key].default, key


def test_a_mapping_reads_numbers_and_truth_values_too(tmp_path):
    text = entry_text({"name": "c", "column": "said", "mapping": {"1": "Doctor", "2.5": False, "true": "Lawyer"}})
    (tmp_path / "sources.toml").write_text(text)
    (rule,) = read_sources(tmp_path / "sources.toml")
    graph = assay.TaskGraph.flat("person", ["Doctor", "Lawyer"])
    assert assay.apply(rule, {"said": [1, 1, None]}, graph).to_pandas()["c"].tolist() == ["Doctor", "Doctor", None]
    assert assay.apply(rule, {"said": [2.5, 1.0]}, graph).to_pandas()["c"].tolist() == [None, "Doctor"]
    assert assay.apply(rule, {"said": ["1", "true"]}, graph).to_pandas()["c"].tolist() == ["Doctor", "Lawyer"]


def test_a_dictionary_in_a_file_beside_it(tmp_path):
    (tmp_path / "names.txt").write_text("Mayo\nBaker\n")
    pl.DataFrame({"who": ["Ann", "Bob"], "what": ["Doctor", "Lawyer"]}).write_csv(tmp_path / "people.csv")
    (tmp_path / "sources.toml").write_text(
        entry_text({"name": "n", "dictionary": "names.txt", "label": "Doctor", "on": "text"})
        + entry_text({"name": "p", "dictionary": "people.csv", "entry": "who", "labels": "what", "on": "text"})
    )
    made = read_sources(tmp_path / "sources.toml")
    graph = assay.TaskGraph.flat("person", ["Doctor", "Lawyer"])
    votes = assay.apply(made, {"text": ["mayo", "Bob and Eve"]}, graph)
    assert votes.to_pandas().to_numpy().tolist() == [["Doctor", None], [None, "Lawyer"]]
    assert entry_of(made[0])["dictionary"] == "names.txt"
    table = assay.dictionary(pl.DataFrame({"n": ["x"], "l": ["Doctor"]}), on="t", entry="n", labels="l", name="d")
    assert entry_of(table) == {"name": "d", "dictionary": {"x": "Doctor"}, "on": "t"}


def test_a_crowd_is_several_sources(tmp_path):
    pl.DataFrame({"item": [1, 2], "worker": ["ann", "bob"], "label": ["Doctor", "Lawyer"]}).write_csv(
        tmp_path / "c.csv"
    )
    (tmp_path / "sources.toml").write_text(entry_text({"name": "crowd", "crowd": "c.csv", "key": "id", "prefix": "w_"}))
    made = read_sources(tmp_path / "sources.toml", assay.TaskGraph.flat("person", ["Doctor", "Lawyer"]))
    assert [source.name for source in made] == ["w_ann", "w_bob"]


def test_what_cannot_be_written_says_so():
    @assay.source
    def function(row):
        return None

    @assay.preprocess
    def lowered(row):
        return row.text.lower()

    with pytest.raises(assay.ProjectError, match=r"source 'function' cannot be written to a file, only rules made by"):
        entry_of(function)
    with pytest.raises(assay.ProjectError, match=r"source 'k' looks at lowered\(\), which a file cannot name"):
        entry_of(assay.keywords(["a"], "b", on=lowered, name="k"))
    with pytest.raises(assay.ProjectError, match=r"two keys are written '1' in a file, but mean different things"):
        entry_of(assay.column("c", mapping={1: "a", "1": "b"}))
    worker = assay.crowd({"item": [1], "worker": ["ann"], "label": ["a"]}, key="id")[0]
    with pytest.raises(assay.ProjectError, match=r"source 'ann' cannot be written"):
        entry_of(worker)


def test_the_kind_is_told_by_one_key():
    assert kind_of({"name": "a", "regex": "x"}) is KINDS["regex"]
    with pytest.raises(assay.ProjectError, match="has both keywords and regex"):
        kind_of({"regex": "x", "keywords": ["y"]})
    with pytest.raises(assay.ProjectError, match=r"unknown key 'keyword'\. Did you mean 'keywords'\?"):
        kind_of({"name": "a", "keyword": "x"})
    with pytest.raises(
        assay.ProjectError, match=r"give it one of keywords, regex, dictionary, threshold, column, crowd, prompt\.$"
    ):
        kind_of({"name": "a", "label": "x"})


def test_entries_are_plain_toml():
    rule = assay.keywords({one_of("a", None): ["x"], "b": ["y"]}, on="t", name="n")
    assert tomllib.loads(source_toml(rule)) == {
        "source": [
            {
                "name": "n",
                "keywords": [{"words": ["x"], "label": {"one_of": ["a", False]}}, {"words": ["y"], "label": "b"}],
                "on": "t",
            }
        ]
    }


def test_long_values_inside_of_others_stay_on_their_line():
    long = "word " * 40
    some = [
        assay.keywords({one_of("a", "b"): [long, "x"], "c": ["y"]}, on="t", name="words"),
        assay.prompt(
            "{text}", answers={"yes": one_of("a", "b"), long: "c"}, examples=[({"text": long}, "yes")], name="p"
        ),
        assay.prompt("{text}", questions={"t": {long: "a", "no": None}, "u": {"x": "b", long: "c"}}, name="several"),
    ]
    for source in some:
        assert SourceFile(Path("sources.toml"), source_toml(source)).sources() == [source]


def test_a_crowd_that_names_items_in_another_way_is_refused_before_any_work(tmp_path):
    (tmp_path / "images.csv").write_text("image\n" + "".join(f"img_{row}.jpg\n" for row in range(20)))
    (tmp_path / "votes.csv").write_text(
        "task,worker,label\n"
        + "".join(f"img_{row},{worker},{'cat' if row % 2 else 'dog'}\n" for row in range(25) for worker in "abc")
    )
    new_project(tmp_path / "p", tmp_path / "images.csv", ["cat,dog"])
    (tmp_path / "p" / "sources.toml").write_text(
        '[[source]]\nname = "workers"\ncrowd = "../votes.csv"\nkey = "image"\n'
    )
    with pytest.raises(SourceError, match=r"e\.g\. 'img_0' there, 'img_0\.jpg' here"):
        apply_sources(Project.load(tmp_path / "p"), progress=False)
    votes = (tmp_path / "votes.csv").read_text()
    (tmp_path / "votes.csv").write_text(re.sub(r"(img_\d+)", r"\1.jpg", votes))
    with pytest.warns(UserWarning, match=r"5 of 25 items of votes\.csv are not in column 'image'"):
        made = apply_sources(Project.load(tmp_path / "p"), progress=False)
    assert made.shape == (20, 3)
