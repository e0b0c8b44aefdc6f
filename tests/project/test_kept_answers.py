"""Prompts in a project: declared in a file, asked by the settings of assay.toml, told of before, and kept."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.errors import ProjectError
from assay.project import (
    Project,
    SourceFile,
    answers_kept,
    apply_sources,
    costs_of,
    forget_answers,
    read_sources,
    run,
    source_toml,
)
from tests.support.model_server import ModelServer

SOURCES = '''
[[source]]
name = "is_spam"
prompt = """Is this comment spam? Answer yes or no.

{text}"""
answers = { yes = "Spam", no = false }

[[source]]
name = "what"
prompt = "What is {text}?"
questions = { mail = ["Ham", "Spam"] }
system = "Be brief."
examples = [{ row = { text = "win" }, answer = { mail = "Spam" } }]
enabled = false

[[source]]
name = "prize"
keywords = ["7"]
label = "Spam"
on = "text"
'''


@pytest.fixture
def server():
    with ModelServer() as running:
        yield running


@pytest.fixture
def project(tmp_path, server):
    pl.DataFrame({"text": [f"comment number {number}" for number in range(30)]}).write_csv(tmp_path / "rows.csv")
    (tmp_path / "sources.toml").write_text(SOURCES)
    (tmp_path / "assay.toml").write_text(
        f"""
[data]
path = "rows.csv"

[[tasks]]
name = "mail"
labels = ["Ham", "Spam"]

[prompts]
base_url = "{server.base_url}"
model = "m"
first_pause = 0.01

[prompts.prices]
m = {{ input = 1000, output = 1000.0 }}
"""
    )
    return Project.load(tmp_path)


def test_prompts_of_a_file_come_back_as_they_were(project):
    (soft, free) = project.sources()
    assert soft == assay.prompt(
        "Is this comment spam? Answer yes or no.\n\n{text}", answers={"yes": "Spam", "no": None}, name="is_spam"
    )
    file = SourceFile.read(project.sources_file).switch("what", on=True)
    whole = file.sources(project.tasks)[1]
    assert whole == assay.prompt(
        "What is {text}?",
        questions={"mail": ["Ham", "Spam"]},
        system="Be brief.",
        examples=[({"text": "win"}, {"mail": "Spam"})],
        name="what",
    )
    for source in (soft, whole):
        assert SourceFile(project.sources_file, source_toml(source)).sources() == [source]
    assert free.name == "prize"


def test_answers_are_asked_once_and_forgotten_when_told(project, server):
    assert answers_kept(project).models == []
    assert forget_answers(project) == 0
    votes = apply_sources(project)
    again = apply_sources(project)
    assert sum(server.asked.values()) == 30
    assert votes.to_pandas().equals(again.to_pandas())
    kept = answers_kept(project)
    assert kept.path == project.folder / "answers.sqlite"
    (one,) = kept.models
    assert (one["model"], one["answers"], one["output_tokens"]) == ("m", 30, 30)
    assert one["cost"] == pytest.approx((one["input_tokens"] + 30) / 1000)
    with pytest.raises(ProjectError, match="holds no answers of 'n'"):
        forget_answers(project, "n")
    assert forget_answers(project, "m") == 30
    apply_sources(project)
    assert sum(server.asked.values()) == 60


def test_a_budget_leaves_a_vote_file_that_can_be_used(project, server):
    votes = apply_sources(project, budget=1.0)
    assert 0 < len(server.answered) < 30
    assert votes.faults[0].count == 30 - len(server.answered)
    assert assay.Votes.from_parquet(project.output / "votes.parquet").to_pandas().equals(votes.to_pandas())
    costs = costs_of(project, budget=1.0)
    assert costs.prompts[0].kept == len(server.answered)
    assert costs.budget == 1.0


def test_the_whole_way_with_prompts(project):
    texts = ("Spam? {text}", "Bad? {text}", "Advertising? {text}")
    project.sources_file.write_text(
        "".join(
            source_toml(assay.prompt(text, answers={"yes": "Spam", "no": "Ham"}, name=text.split("?")[0]))
            for text in texts
        )
    )
    made = run(project, progress=False)
    assert list(made.votes.to_pandas()) == ["Spam", "Bad", "Advertising"]
    assert len(made.labels) == 30


def test_the_commands(project, server):
    def said(*words):
        result = CliRunner().invoke(app, [*words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    folder = str(project.folder)
    told = json.loads(said("apply", folder, "--dry-run", "--json"))
    assert (told["questions"], told["prompts"][0]["basis"]) == (30, "guess")
    assert "30 questions, about" in said("apply", folder, "--dry-run", "--budget", "0.5")
    assert not server.asked
    assert "holds no answers" in said("cache", folder)
    assert "the budget of 0.6 has no room" in said("apply", folder, "--budget", "0.6")
    said("apply", folder)
    assert "30" in said("cache", folder)
    assert json.loads(said("cache", folder, "--json"))["models"][0]["answers"] == 30
    assert "forgot 30 answers" in said("cache", folder, "--clear", "--model", "m")
    project.sources_file.write_text(SOURCES[SOURCES.index('[[source]]\nname = "prize"') :])
    assert "no source is a prompt" in said("apply", folder, "--dry-run")


def test_a_file_of_sources_names_no_server(tmp_path):
    path = tmp_path / "sources.toml"
    for line in ('base_url = "http://evil/v1"', 'key = "HOME"'):
        path.write_text(f'[[source]]\nname = "p"\nprompt = "{{text}}"\nanswers = ["a", "b"]\n{line}\n')
        with pytest.raises(ProjectError, match=f"unknown key '{line.split()[0]}'"):
            read_sources(path)
    source = assay.prompt("{text}", answers=["a", "b"], base_url="http://here/v1", name="p")
    with pytest.raises(ProjectError, match="a prompt with a base_url of its own cannot be written"):
        source_toml(source)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("answers = 3", "answers must be a list of labels, or a table of answer = label"),
        ('answers = ["a"]', "at least two"),
        ("", "needs answers="),
        ('answers = ["Ham", "Spam"]\nsamples = "3"', "samples must be an integer"),
        ('answers = ["Ham", "Spma"]', "Did you mean 'Spam'"),
        ('answers = ["Ham", "Spam"]\nexamples = [{ text = "a" }]', "examples"),
    ],
)
def test_what_cannot_be_understood_is_told_with_its_place(project, said, what):
    project.sources_file.write_text(f'[[source]]\nname = "p"\nprompt = "Spam? {{text}}"\n{said}\n')
    with pytest.raises(ProjectError, match=r"\[\[source\]\] number 1 \('p', line 1\)") as caught:
        project.sources()
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ('key = "sk-secret-thing"', "name of an environment variable"),
        ('base_url = "nowhere"', "base_url must be the URL"),
        ("budget = -1", "budget must be"),
        ('prices = { m = { input = "a", output = 1 } }', "prices"),
        ("bugdet = 1", "Did you mean 'budget'"),
    ],
)
def test_settings_that_cannot_be_are_refused(project, said, what):
    path = project.folder / "assay.toml"
    path.write_text(path.read_text().split("[prompts]")[0] + f"[prompts]\n{said}\n")
    with pytest.raises(ProjectError, match="prompts") as caught:
        Project.load(project.folder)
    assert what in str(caught.value)
    assert "sk-secret" not in str(caught.value)
