"""A file of suggested sources is a sources.toml, whatever a model said; it is written once, and asked for once."""

import json
import tomllib

import pytest
from typer.testing import CliRunner

from assay.cli import app
from assay.errors import ProjectError
from assay.project import Project, SourceFile, suggest, suggestion_toml, write_suggestion
from tests.support.model_server import ModelServer, completion

NASTY = 'x"\n[[source]]\nname = "evil"\r\u2028\x00\x85'
RULES = [
    {"label": "Spam", "kind": "keywords", "patterns": ["prize", 'say "win"', "c:\\temp", NASTY]},
    {"label": "Ham", "kind": "regex", "patterns": [r"\blunch\b", "it's (?:me|you)"]},
    {"label": NASTY, "kind": "keywords", "patterns": ["prize"]},
]


@pytest.fixture
def server():
    with ModelServer(lambda body, before: completion(json.dumps({"rules": RULES}), asked=body)) as running:
        yield running


@pytest.fixture
def project(tmp_path, server):
    texts = ['a prize, say "win"', "lunch, it's me", r"in c:\temp there is a prize", "nothing"] * 10
    lines = [json.dumps({"id": number, "text": text, "note": "x"}) for number, text in enumerate(texts)]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    (tmp_path / "assay.toml").write_text(
        '[data]\npath = "rows.jsonl"\n[[tasks]]\nname = "mail"\nlabels = ["Ham", "Spam"]\n'
        f'[prompts]\nbase_url = "{server.base_url}"\nmodel = "m"\n'
    )
    return Project.load(tmp_path)


def called(*words):
    return CliRunner().invoke(app, [*words], catch_exceptions=False)


def test_the_file_is_a_file_of_sources(project):
    found = suggest(project, progress=False)
    path = write_suggestion(found, project.folder / "suggested.toml")
    read = SourceFile.read(path)
    assert read.names == ("spam_words", "ham_pattern") == tuple(one.name for one in found.sources)
    assert [source.recipe for source in read.sources(project.tasks)] == [one.source.recipe for one in found.sources]
    text = path.read_text(encoding="utf-8")
    assert "# coverage 50.0% (20 items); meets no vote of sources that are there; meets no vote of the other" in text
    assert f"# {len(found.refused)} refused:" in text
    assert text.count("\n# - ") == len(found.refused) == 2
    assert set(tomllib.loads(text)) == {"source"}


def test_reviewed_sources_are_appended_to_those_there_are(project):
    found = suggest(project, progress=False)
    sources = project.folder / "sources.toml"
    sources.write_text('[[source]]\nname = "mine"\nkeywords = ["win"]\nlabel = "Spam"\non = "text"\n')
    sources.write_text(sources.read_text() + suggestion_toml(found))
    assert [source.name for source in project.sources()] == ["mine", "spam_words", "ham_pattern"]
    again = suggest(project, progress=False)
    assert [one.name for one in again.sources] == ["spam_words_2", "ham_pattern_2"]
    assert (again.sources[0].met, again.sources[0].agreement) == (30, 1.0)


def test_the_command(project, server):
    folder = str(project.folder)
    assert "1 questions, about " in called("suggest", folder, "--dry-run").output
    assert not server.asked
    shown = called("suggest", folder).output
    assert "2 rules to review, and 2 refused with the reasons" in shown
    assert "spam_words" in shown
    with pytest.raises(ProjectError, match="may have been reviewed"):
        called("suggest", folder)
    told = json.loads(called("suggest", folder, "--out", f"{folder}/other.toml", "--json").output)
    assert [one["name"] for one in told["sources"]] == ["spam_words", "ham_pattern"]
    assert sum(server.asked.values()) == 1  # the answer was kept
    assert (project.folder / "other.toml").read_bytes() == (project.folder / "suggested.toml").read_bytes()


def test_the_column_of_texts_is_found_or_asked_for(project):
    path = project.folder / "assay.toml"
    whole = path.read_text()
    path.write_text(whole.replace('path = "rows.jsonl"', 'path = "rows.jsonl"\nshow = ["note"]'))
    assert suggest(Project.load(project.folder), progress=False).sources == ()
    path.write_text(whole)
    rows = project.folder / "rows.jsonl"
    rows.write_text(rows.read_text().replace('"text"', '"words"'))
    with pytest.raises(ProjectError, match="several columns of texts: words, note"):
        suggest(project, progress=False)
    assert suggest(project, on="words", progress=False).sources
