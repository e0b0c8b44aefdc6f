"""Prompts in files that show examples from a project's gold or hand labels; scores leave these out."""

import json

import pytest

from assay.errors import AssayError, ProjectError
from assay.project import Project, SourceFile, apply_sources, costs_of, gold_votes, read_sources, source_toml
from assay.project.prompt_notes import PromptNotes
from tests.support.model_server import ModelServer, last_text

PROMPT = '[[source]]\nname = "p"\nprompt = "Spam? {text}"\nanswers = { yes = "Spam", no = "Ham" }\n'


@pytest.fixture
def server():
    with ModelServer() as running:
        yield running


def project(folder, server, sources, *, id=True):
    rows = [{"id": f"i{number}", "text": f"text {number}"} for number in range(30)]
    gold = [{"id": row["id"], "mail": "Spam" if number % 2 else "Ham"} for number, row in enumerate(rows)]
    for name, lines in (("rows", rows), ("gold", gold if id else [{"mail": one["mail"]} for one in gold])):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    named = 'id = "id"\n' if id else ""
    (folder / "assay.toml").write_text(
        f'[data]\npath = "rows.jsonl"\n{named}[gold]\npath = "gold.jsonl"\n'
        f'[[tasks]]\nname = "mail"\nlabels = ["Ham", "Spam"]\n[prompts]\nbase_url = "{server.base_url}"\nmodel = "m"\n'
    )
    (folder / "sources.toml").write_text(sources)
    return Project.load(folder)


@pytest.mark.parametrize("id", [True, False])
def test_examples_come_from_gold_and_are_left_out_of_scores(tmp_path, server, id):
    made = project(tmp_path, server, PROMPT + 'examples_from = "gold"\nexamples_per_answer = 1\n', id=id)
    (source,) = made.sources()
    assert len(source.example_items) == 4  # one of each answer, and one in its place
    assert costs_of(made).questions == 30
    votes = apply_sources(made, progress=False)
    assert sorted(len(body["messages"]) for body in server.bodies) == [5] * 30
    assert all(last_text(body) not in [m["content"] for m in body["messages"][:-1]] for body in server.bodies)
    gold = gold_votes(made, votes)
    left = [votes.row_of(item) for item in source.example_items] if id else list(source.example_items)
    assert [row for row in range(30) if not gold.voted[row]] == sorted(left)
    assert PromptNotes.stored(made.output).examples == {"p": list(source.example_items)}


def test_examples_come_from_hand_labels(tmp_path, server):
    made = project(tmp_path, server, PROMPT + 'examples_from = "hand_labels"\n')
    with pytest.raises(ProjectError, match="examples from hand labels, but there are none yet"):
        made.sources()
    said = [
        {"item": f"i{n}", "by": "ann", "at": "2026-03-01T09:30:00Z", "answer": {"mail": "Spam" if n % 2 else "Ham"}}
        for n in range(8)
    ]
    (tmp_path / "hand_labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said))
    assert set(made.sources()[0].example_items) <= {f"i{n}" for n in range(8)}


def test_without_examples_nothing_is_left_out(tmp_path, server):
    made = project(tmp_path, server, PROMPT)
    votes = apply_sources(made, progress=False)
    assert gold_votes(made, votes).voted.all()
    (tmp_path / "sources.toml").write_text('[[source]]\nname = "k"\nkeywords = ["1"]\nlabel = "Spam"\non = "text"\n')
    apply_sources(made, progress=False)
    assert not (made.output / "prompts.json").exists()


def test_it_is_written_down_as_it_was_read(tmp_path, server):
    text = PROMPT + 'examples_from = "gold"\nexamples_per_answer = 3\n'
    made = project(tmp_path, server, text)
    (source,) = made.sources()
    again = tmp_path / "again.toml"
    again.write_text(source_toml(source))
    assert SourceFile.read(again)["p"].said == SourceFile.read(tmp_path / "sources.toml")["p"].said


def test_what_cannot_be_is_refused(tmp_path, server):
    both = PROMPT + 'examples_from = "gold"\nexamples = [{ row = { text = "a" }, answer = "yes" }]\n'
    with pytest.raises(ProjectError, match="has both examples and examples_from"):
        project(tmp_path, server, both).sources()
    with pytest.raises(ProjectError, match="examples_from must be 'gold' or 'hand_labels'"):
        project(tmp_path, server, PROMPT + 'examples_from = "silver"\n').sources()
    made = project(tmp_path, server, PROMPT + 'examples_from = "gold"\n')
    (tmp_path / "assay.toml").write_text(
        (tmp_path / "assay.toml").read_text().replace('[gold]\npath = "gold.jsonl"', "")
    )
    with pytest.raises(ProjectError, match=r"assay\.toml has no \[gold\]"):
        Project.load(tmp_path).sources()
    (alone,) = read_sources(tmp_path / "sources.toml")
    with pytest.raises(AssayError, match="takes its examples from the gold of a project"):
        alone({"text": "a"}, prompts=made.prompts)


def test_a_damaged_note_is_refused(tmp_path, server):
    made = project(tmp_path, server, PROMPT + 'examples_from = "gold"\n')
    votes = apply_sources(made, progress=False)
    path = made.output / "prompts.json"
    path.write_text(path.read_text().replace('"i', '"j'))
    with pytest.raises(ProjectError, match="run 'assay apply' again"):
        gold_votes(made, votes)
