"""Documentation that cannot drift: what exists is told of, and what is told of exists and runs.

The Python examples of README.md and docs/ run as doctests.
"""

import csv
import dataclasses
import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import Project
from assay.project.settings import EndModelSettings, ModelSettings, Settings

ROOT = Path(__file__).parents[2]
PAGES = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")}
COMMAND_LINE = PAGES["docs/how-to/command-line.md"]
COMMANDS = get_command(app).commands


def fenced(text: str, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def typed(text: str) -> list[str]:
    """The commands that a page shows after a prompt, without comments."""
    return [
        line[2:].split("  #")[0] for block in fenced(text, "console") for line in block.splitlines() if line[:2] == "$ "
    ]


@pytest.mark.parametrize("name", assay.__all__)
def test_every_public_name_is_in_the_reference(name):
    reference = "\n".join(text for page, text in PAGES.items() if page.startswith("docs/reference"))
    assert re.search(rf"(\.\. auto\w+:: assay\.{name}$|`assay\.{name}`)", reference, flags=re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in assay.__all__ if not name.startswith("_")])
def test_every_public_name_has_a_docstring(name):
    assert getattr(assay, name).__doc__


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_section_with_an_example_and_every_option(name):
    section = re.search(rf"^### assay {name}$(.*?)(?=^##)", COMMAND_LINE, flags=re.DOTALL | re.MULTILINE)
    assert section, f"command-line.md has no section '### assay {name}'"
    assert any(line.startswith(f"assay {name}") for line in typed(section[1]))
    common = ("--json", "--debug", "--help")
    options = [option for parameter in COMMANDS[name].params for option in parameter.opts + parameter.secondary_opts]
    missing = [o for o in options if o.startswith("--") and o not in common and f"`{o}`" not in section[1]]
    assert not missing


def test_no_command_is_told_of_that_does_not_exist():
    told = {
        line.split()[1]
        for text in [*PAGES.values(), (ROOT / "README.md").read_text()]
        for line in typed(text)
        if line.startswith("assay ")
    }
    assert told == set(COMMANDS)


NEEDS_A_TERMINAL = ("assay label ",)
"""Commands that take keys; tests/project/test_labeling_terminal.py runs them in one."""
NEEDS_AN_EXPORT = ("assay import ",)
"""Commands that read what another tool has written; tests/project/test_exchange.py runs them."""
NEEDS_A_CROWD = ("assay aggregate ",)
"""Commands that read a crowd's votes; tests/cli/test_crowd.py runs them."""
NEEDS_HAND_LABELS = ("assay confident ", "assay train my-project --compare")
"""Commands after those; tests/project/test_confident.py and test_training_comparison.py run them."""

NEEDS_A_BROWSER = ("assay studio ",)
"""Commands that go on until they are stopped; tests/studio runs them."""
NEEDS_A_MODEL = ("assay suggest ",)
"""Commands that ask a language model; tests/project/test_suggested_file.py runs them."""


def with_few_texts(words: list[str]) -> list[str]:
    """A command as typed; but where the page does not say how many texts to generate, few are enough to see it run."""
    generates = words[0] in ("init", "demo") and not {"--texts", "--data"} & set(words)
    return [*words, "--texts", "400"] if generates else words


def test_the_commands_of_the_page_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in typed(COMMAND_LINE):
        absent = NEEDS_AN_EXPORT + NEEDS_A_CROWD + NEEDS_HAND_LABELS
        if line.startswith(NEEDS_A_TERMINAL + absent + NEEDS_A_BROWSER + NEEDS_A_MODEL):
            continue
        result = CliRunner().invoke(app, with_few_texts(shlex.split(line)[1:]))
        assert result.exit_code == 0, (line, result.output, result.exception)


def test_the_page_without_python_goes_from_a_table_to_the_labels_that_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = PAGES["docs/how-to/csv-without-python.md"]
    (table, shown), (sources,) = fenced(page, "text"), fenced(page, "toml")
    Path("mails.csv").write_text(table)
    for block in fenced(page, "console"):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, printed = session.partition("\n")
            result = CliRunner().invoke(app, shlex.split(line)[1:])
            assert result.exit_code == 0, (line, result.output, result.exception)
            assert printed in result.stdout
        file = Path("shop/sources.toml")
        if sources not in file.read_text():
            file.write_text(f"{file.read_text()}\n{sources}")
    with Path("labels.csv").open() as file:
        found = [f"{row['id']},{row['label']},{row['complaint']}" for row in csv.DictReader(file)]
    assert len(found) == 16
    assert set(shown.splitlines()) <= set(found)


@pytest.mark.parametrize(
    "setting",
    [*dataclasses.fields(Settings), *dataclasses.fields(ModelSettings), *dataclasses.fields(EndModelSettings)],
    ids=lambda field: field.name,
)
def test_every_setting_is_listed_with_its_default(setting):
    """TOML has no null, so a default of None is told of in words."""
    words = {"class_balance": "learned", "balance_strength": "weighed", "layers": "by encoder"}
    default = words.get(setting.name, "none") if setting.default is None else f"`{json.dumps(setting.default)}`"
    assert f"| `{setting.name}` | {default} |" in COMMAND_LINE


def test_the_example_of_assay_toml_is_a_project_with_every_setting(tmp_path):
    (example,) = fenced(COMMAND_LINE, "toml")
    (tmp_path / "assay.toml").write_text(example)
    (tmp_path / "sources.py").write_text("")
    project = Project.load(tmp_path)
    assert project.settings == Settings()
    assert project.model == ModelSettings()
    assert project.endmodel == EndModelSettings()
    commented = r"^# (class_balance|balance_strength|layers|beliefs|embeddings|class_weights)"
    shown = tomllib.loads(re.sub(commented, r"\1", example, flags=re.MULTILINE))
    for section, settings in (("settings", Settings), ("model", ModelSettings), ("endmodel", EndModelSettings)):
        assert set(shown[section]) == {field.name for field in dataclasses.fields(settings)}


@pytest.mark.parametrize("page", ["README.md", *PAGES])
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (ROOT / page).read_text(encoding="utf-8")):
        assert "://" in target or (ROOT / page).parent.joinpath(target).is_file(), target
