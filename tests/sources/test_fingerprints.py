"""A fingerprint changes with everything that votes depend on, and with nothing else; what cannot be told has none."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import assay
from assay import TaskGraph
from assay.project.modules import sources_in
from assay.sources import fingerprint

TASKS = TaskGraph.flat("mail", ["ham", "spam"])

SOURCES = """
import functools
import re
import assay
import helpers
from helpers import is_prize

WORDS = {"win", "prize", "now"}
PATTERN = re.compile("win|lose")


class Scale:
    low = 3

    def __init__(self, high):
        self.high = high

    def holds(self, number):
        return self.low < number < self.high


SCALE = Scale(9)


@functools.lru_cache
def length(text):
    return len(text)


@assay.preprocess
def words(row):
    return row.text.split()


@assay.source(task="mail", resources={"limit": 3})
def one(row, limit=2):
    if helpers.clean(row.text) in WORDS or PATTERN.search(row.text) or is_prize(row.text):
        return "spam"
    return "ham" if SCALE.holds(length(row.text)) and len(words(row)) > limit else None
"""
HELPERS = """
LISTED = ["prize"]

def clean(text):
    return text.lower()

def is_prize(text):
    return any(word in text for word in LISTED)

def unused(text):
    return text
"""


def of(folder, sources=SOURCES, helpers=HELPERS):
    folder.mkdir(exist_ok=True)
    (folder / "sources.py").write_text(sources)
    (folder / "helpers.py").write_text(helpers)
    (source,) = sources_in(folder, [folder / "sources.py"])
    return fingerprint(source, TASKS)


CHANGES = {
    "code": ("sources", '"spam"', '"ham"'),
    "a set of words": ("sources", '"now"', '"later"'),
    "a pattern": ("sources", "win|lose", "win|loose"),
    "a class": ("sources", "low = 3", "low = 4"),
    "a method": ("sources", "self.low < number", "self.low <= number"),
    "an instance": ("sources", "Scale(9)", "Scale(10)"),
    "a cached function": ("sources", "return len(text)", "return len(text) + 1"),
    "preprocessing": ("sources", "row.text.split()", "row.text.split('.')"),
    "a resource": ("sources", '{"limit": 3}', '{"limit": 4}'),
    "a default": ("sources", "limit=2", "limit=1"),
    "a helper by its module": ("helpers", "text.lower()", "text.upper()"),
    "a helper by its name": ("helpers", "any(", "all("),
    "what a helper uses": ("helpers", '["prize"]', '["price"]'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_changes_with_what_votes_depend_on(change, tmp_path):
    where, old, new = CHANGES[change]
    texts = {"sources": SOURCES, "helpers": HELPERS}
    assert old in texts[where]
    before, after = of(tmp_path / "a"), of(tmp_path / "b", **texts | {where: texts[where].replace(old, new, 1)})
    assert before.digest
    assert after.digest
    assert before != after


def test_it_does_not_change_with_anything_else(tmp_path):
    before = of(tmp_path / "a")
    assert before.digest
    assert (
        of(tmp_path / "b", "# moved down\n\n" + SOURCES, HELPERS.replace("return text\n", "return text * 2\n"))
        == before
    )
    assert of(tmp_path / "c", SOURCES.replace('task="mail"', 'name="another", task="mail"')) == before


def test_it_is_the_same_in_every_process(tmp_path):
    expected = of(tmp_path / "p")
    told = textwrap.dedent(
        f"""
        import pathlib, assay
        from assay.project.modules import sources_in
        from assay.sources import fingerprint
        folder = pathlib.Path({str(tmp_path / "p")!r})
        (source,) = sources_in(folder, [folder / "sources.py"])
        print(fingerprint(source, assay.TaskGraph.flat("mail", ["ham", "spam"])).digest)
        """
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected.digest


def test_tasks_and_versions_count(tmp_path, monkeypatch):
    rule = assay.keywords(["win"], "spam", on="text")
    known = fingerprint(rule, TASKS)
    assert fingerprint(rule, TaskGraph.flat("mail", ["ham", "spam", "other"])) != known
    from assay.sources import fingerprints

    monkeypatch.setattr(fingerprints, "_environment", lambda: ("another version of polars",))
    assert fingerprint(rule, TASKS) != known


def test_the_version_of_a_library_counts(monkeypatch):
    @assay.source(task="mail")
    def far(row):
        return "spam" if np.linalg.norm([row.x]) > 3 else None

    before = fingerprint(far, TASKS)
    from assay.sources import used_names

    used_names.version_of.cache_clear()
    monkeypatch.setattr(used_names.metadata, "version", lambda name: "999")
    after = fingerprint(far, TASKS)
    used_names.version_of.cache_clear()
    assert before.digest
    assert after.digest
    assert before != after


class TestRules:
    def test_every_setting_counts(self, tmp_path):
        listed = tmp_path / "names.txt"
        listed.write_text("Mayo Clinic\n")

        def made():
            yield assay.keywords(["win"], "spam", on="text")
            yield assay.keywords(["win", "prize"], "spam", on="text")
            yield assay.keywords(["win"], "ham", on="text")
            yield assay.keywords(["win"], "spam", on="title")
            yield assay.keywords(["win"], "spam", on="text", case_sensitive=True)
            yield assay.regex("win", "spam", on="text")
            yield assay.threshold("x", "spam", above=1)
            yield assay.threshold("x", "spam", above=2)
            yield assay.threshold(lambda row: row.x, "spam", above=2)
            yield assay.threshold(lambda row: row.y, "spam", above=2)
            yield assay.column("x", mapping={1: "spam"})
            yield assay.column("x", mapping={2: "spam"})
            yield assay.dictionary(listed, "spam", on="text")
            listed.write_text("Mayo Clinic\nother\n")
            yield assay.dictionary(listed, "spam", on="text")
            yield from assay.crowd({"item": [1], "worker": ["a"], "label": ["ham"]}, key="id")
            yield from assay.crowd({"item": [2], "worker": ["a"], "label": ["ham"]}, key="id")

        found = [fingerprint(rule, TASKS).digest for rule in made()]
        assert None not in found
        assert len(set(found)) == len(found)

    def test_a_classifier_counts_with_what_it_has_learned(self):
        from sklearn.linear_model import LogisticRegression

        def fitted(y):
            return assay.classifier(
                LogisticRegression().fit([[0.0], [1.0], [2.0]], y), on=["x"], labels={0: "ham", 1: "spam"}
            )

        one, same, other = (fingerprint(fitted(y), TASKS) for y in ([0, 0, 1], [0, 0, 1], [0, 1, 1]))
        assert one.digest
        assert one == same != other

    def test_prompts_have_their_own_cache(self):
        prompt = assay.prompt(
            "Spam? {text}", answers={"yes": "spam", "no": None}, model="m", base_url="http://127.0.0.1:1/v1"
        )
        assert fingerprint(prompt, TASKS).digest is None


def counts_up(row):
    global CALLS
    CALLS += 1


CALLS = 0

UNSTABLE = {
    "open": ("lambda row: open('x.txt').read()", "open"),
    "random": ("lambda row: random.choice('ab')", "random"),
    "numpy.random": ("lambda row: np.random.rand()", "random"),
    "clock": ("lambda row: time.time()", "time"),
    "today": ("lambda row: datetime.date.today()", "today"),
    "environment": ("lambda row: os.environ['X']", "environ"),
    "path": ("lambda row: pathlib.Path('x').read_text()", "read_text"),
    "table": ("lambda row: pl.read_csv('x.csv')", "read_csv"),
    "hash": ("lambda row: hash(row.text)", "hash"),
    "own module": ("lambda row: getattr(here, row.text)", "as a whole"),
}


@pytest.mark.parametrize("kind", UNSTABLE)
def test_what_may_change_has_no_fingerprint(kind):
    import datetime
    import os
    import pathlib
    import random
    import time

    import polars as pl

    text, told = UNSTABLE[kind]
    here = sys.modules[__name__]
    known = {"datetime": datetime, "os": os, "pathlib": pathlib, "random": random, "time": time, "np": np, "pl": pl}
    function = eval(text, {**known, "here": here, "__name__": "elsewhere"})
    found = fingerprint(assay.source(task="mail")(function), TASKS)
    assert found.digest is None
    assert told in found.reason
    promised = fingerprint(assay.source(task="mail", cache=True)(function), TASKS)
    assert promised.digest or kind == "own module"
    assert fingerprint(assay.source(task="mail", cache=False)(len), TASKS).reason == "it was declared with cache=False"


def test_functions_that_change_globals_or_hold_what_cannot_be_compared():
    import threading

    assert "changes the global" in fingerprint(assay.source(task="mail")(counts_up), TASKS).reason
    lock = threading.Lock()
    assert fingerprint(assay.source(task="mail")(lambda row: lock), TASKS).digest is None


def test_a_file_counts_with_what_it_holds(tmp_path):
    path = tmp_path / "model.bin"
    found = []
    for content in ("a", "b"):
        path.write_text(content)
        made = assay.source(task="mail", resources={"path": str(path)}, cache=True)(lambda row, path: "ham")
        found.append(fingerprint(made, TASKS).digest)
    assert found[0] != found[1]
