"""Advice on the command line names keys of assay.toml and commands, all of which exist."""

import dataclasses
import inspect
import re
from unittest.mock import patch

import numpy as np
import pytest
from typer.main import get_command

import assay
from assay.cli import app
from assay.model.estimate.solver import ADVICE
from assay.project.advice_in_toml import in_toml
from assay.project.settings import ModelSettings
from assay.simulate import flat_world
from benchmarks.drill import problems
from tests.support.check_reports import CLEAN, codes_of

SETTINGS = {field.name for field in dataclasses.fields(ModelSettings)}
COMMANDS = set(get_command(app).commands)
PYTHON = re.compile(r"LabelModel|assay\.(?!toml)\w|votes\.|\w\(|\b\w+=[\[{'\"]|True|None")


def reports():
    """Reports with problems of most kinds: of random votes, and of some that depend on each other."""
    with patch.object(problems, "_STRANGE", ["plain"]):
        votes = [problems.problem(np.random.default_rng(seed))[0] for seed in range(150)]
    yield from map(assay.check, votes)
    some = CLEAN.codes[:, 0]
    yield assay.check(codes_of(some, some, np.zeros(2000, dtype=int)))
    yield assay.check(CLEAN, [(0, 1), (1, 2), (2, 3), (3, 0)])
    yield assay.check(CLEAN.select(["0", "1", "2"]), [(0, 1), (1, 2), (0, 2)])
    yield assay.check(CLEAN.select(["0", "1", "2"]), [(0, 1)])
    yield assay.LabelModel(method="completion").check(CLEAN.select(["0", "1", "2", "3"]), None)
    one_sided = np.where(CLEAN.codes == 0, 0, -1)
    yield assay.check(np.column_stack([one_sided[:, :3], np.where(CLEAN.codes == 1, 1, -1)[:, 3:]]))


@pytest.fixture(scope="module")
def sentences():
    """All advice that there is: of the check, of solvers, and of fits."""
    found = list(reports())
    assert len({code for report in found for code in report.codes}) > 12
    fixes = [problem.fix for report in found for problem in report.problems]
    drawn = flat_world(sources=8, seed=1).draw(2000).votes
    table = drawn.to_pandas()
    said = {name: table[name].tolist() for name in drawn.names}
    copied = assay.Votes.from_columns(drawn.tasks, {**said, "again": said["0"]})
    fitted = [*assay.LabelModel(dependencies=()).fit(copied).advice_, *assay.LabelModel().fit(drawn).advice_]
    refused = []
    try:
        assay.LabelModel().fit([[0, 1], [1, 1]])
    except assay.UnidentifiableError as error:
        refused.append(str(error))
    return sorted({*fixes, *ADVICE.values(), *fitted, *refused})


def test_there_is_enough_to_look_at(sentences):
    assert len(sentences) > 20


def test_no_python_is_left_and_what_is_named_exists(sentences):
    for said in map(in_toml, sentences):
        # Names of labels and sources are the user's own.
        plain = re.sub(r"'[^']*'(?! finds)|\{.*\}|\[\".*?\"\]", "", said)
        assert not PYTHON.search(plain), said
        assert set(re.findall(r"(\w+)(?: = \S*)? in \[model\]", plain)) <= SETTINGS, said
        assert set(re.findall(r"'assay (\w+)'", said)) <= COMMANDS, said


def test_every_setting_that_is_named_is_one_of_the_label_model(sentences):
    known = set(inspect.signature(assay.LabelModel).parameters)
    for sentence in sentences:
        assert set(re.findall(r"\b(\w+)=(?=[\w\[{'\"])", sentence)) <= known, sentence
    for word in ("max_steps", "class_balance", "beliefs", "allow_unidentifiable", "method", "dependencies"):
        assert word in known


def test_the_column_that_annotators_read_is_an_option():
    labels = assay.Labels(assay.TaskGraph.flat("a", ["x", "y"]), (np.eye(2),))
    with pytest.raises(assay.AssayError) as error:
        labels.to_label_studio([{"one": 1, "other": 2}] * 2)
    assert "say --on 'other'" in in_toml(str(error.value))
