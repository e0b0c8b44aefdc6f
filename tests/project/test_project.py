"""What ``assay.toml`` may say, and what it is told when it says something else."""

import os
import sys

import pytest

import assay
from assay.project.project import Project
from tests.support.project_files import GOOD

SOURCES = """
import assay

title = assay.regex("^Dr", "Doctor", on="text")
several = [assay.keywords(["court"], "Lawyer", on="text", name="court")]

@assay.source(task="entity")
def capital(row):
    return "Person" if row.text[:1].isupper() else None
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data.jsonl").write_text('{"text": "Dr. Who"}\n{"text": "the court"}\n')
    (tmp_path / "sources.py").write_text(SOURCES)
    return tmp_path


def load(folder, text=GOOD):
    (folder / "assay.toml").write_text(text)
    return Project.load(folder)


def test_a_project_is_what_it_says(folder):
    project = load(folder)
    assert project.tasks.names == ("entity", "person")
    assert project.tasks["person"].parents == (("entity", "Person"),)
    assert project.data == folder / "data.jsonl"
    assert project.output == folder / "out"
    assert project.gold is None


def test_sources_are_called_as_their_variables_unless_they_have_a_name(folder):
    assert [source.name for source in load(folder).sources()] == ["title", "court", "capital"]


def test_edits_of_a_module_count(folder):
    project = load(folder)
    project.sources()
    (folder / "sources.py").write_text(SOURCES.replace("title =", "doctor ="))
    assert project.sources()[0].name == "doctor"


def test_edits_within_a_second_count(folder, monkeypatch):
    """Python's bytecode does not tell them apart if the file keeps its length; so none is kept in the folder."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    project = load(folder, GOOD)
    for name in ("title", "other"):
        (folder / "sources.py").write_text(SOURCES.replace("title =", f"{name} ="))
        os.utime(folder / "sources.py", (1e9, 1e9))
        assert project.sources()[0].name == name
    assert not (folder / "__pycache__").exists()
    assert not sys.dont_write_bytecode


def test_settings_constraints_and_feasible(folder):
    project = load(
        folder,
        GOOD.replace(
            "[sources]", '[[constraints]]\nexcludes = [["entity", "Organization"], ["person", "Doctor"]]\n[sources]'
        )
        + '\n[settings]\nworkers = 2\n[model]\nmethod = "covariance"\ndependencies = [["title", "court"]]\n',
    )
    assert project.settings.workers == 2
    assert project.model.dependencies == (("title", "court"),)
    assert project.model.method == "covariance"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[data\n", "not a valid TOML file"),
        ("", r"\[data\] is missing"),
        (GOOD.replace('path = "data.jsonl"', ""), r'needs path = "\.\.\.", but it is missing'),
        (GOOD.replace('path = "data.jsonl"', "path = 3"), "path must be a string, but is 3"),
        (GOOD.replace("[sources]", "[source]"), "Did you mean 'sources'"),
        (GOOD.replace('"sources.py"', '"other.py"'), "there is no such file"),
        (GOOD.replace('modules = ["sources.py"]', 'modules = "sources.py"'), "modules must be a list, but is"),
        (
            GOOD.replace('modules = ["sources.py"]', 'file = "rules.toml"'),
            "file names 'rules.toml', but there is no such",
        ),
        (GOOD + "[settings]\nworker = 2\n", "Did you mean 'workers'"),
        (GOOD + "[settings]\nworkers = 0\n", "must be positive or 'auto', but is 0"),
        (GOOD + "[settings]\non_error = 'ignore'\n", "'raise' or 'abstain'"),
        (GOOD + "[model]\ndependencies = 'title'\n", "must be a list or 'auto' or 'learn', but is 'title'"),
        (GOOD.replace('"Person"]\n', '"Persn"]\n'), "Did you mean 'Person'"),
        (GOOD.replace('labels = ["Doctor", "Lawyer"]', "labels = []"), "number 2"),
        ("[data]\npath='x.csv'\n[sources]\nmodules=['sources.py']\n", "no tasks"),
    ],
)
def test_what_it_does_not_understand_it_says(folder, text, says):
    with pytest.raises(assay.ProjectError, match=says):
        load(folder, text)


def test_no_file(tmp_path):
    with pytest.raises(assay.ProjectError, match="assay init"):
        Project.load(tmp_path)


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("x = 1", "no sources in"),
        ("import assay\nx = assay.regex('(', 'Doctor', on='text')", "cannot use the pattern"),
        ("1 / 0", "ZeroDivisionError"),
        ("def f(:", "SyntaxError"),
    ],
)
def test_modules_that_do_not_work(folder, module, says):
    (folder / "sources.py").write_text(module)
    with pytest.raises(assay.ProjectError, match=says):
        load(folder).sources()


def test_other_settings_of_the_label_model(folder):
    project = load(folder, GOOD + "[model]\nseed = 3\n")
    other = project.with_model(class_balance={"Person": 0.6}, balance_strength="50")
    assert (other.model.class_balance, other.model.balance_strength, other.model.seed) == ({"Person": 0.6}, 50, 3)
    assert project.model.class_balance is None
    with pytest.raises(assay.AssayError, match="Did you mean 'Person'"):
        project.with_model(class_balance={"Persn": 0.6})


def test_gold_needs_a_column_of_a_task(folder):
    (folder / "gold.csv").write_text("id,answer\n1,x\n")
    project = load(folder, GOOD + '[gold]\npath = "gold.csv"\n')
    with pytest.raises(assay.ProjectError, match="no column named after a task"):
        project.gold_columns()


def test_modules_may_import_each_other(folder):
    """In either order, with edits counted, in worker processes too, and without leaving names behind."""
    (folder / "helping_words.py").write_text("DOCTOR = 'Doctor'\n")
    (folder / "rules.py").write_text(
        "import assay\nimport helping_words\n\n\n@assay.source(task='person')\n"
        "def title(row):\n    return helping_words.DOCTOR if 'Dr.' in row.text else None\n"
    )
    (folder / "sources.py").write_text(
        "import assay\nfrom rules import title\n\ncourt = assay.keywords(['court'], 'Lawyer', on='text')\n"
    )
    names = {"rules", "sources", "helping_words"}
    before = names & set(sys.modules)  # the tests have a folder that is called sources
    for modules in ('["sources.py", "rules.py"]', '["rules.py", "sources.py"]'):
        project = load(folder, GOOD.replace('["sources.py"]', modules))
        assert sorted(source.name for source in project.sources()) == ["court", "title"]
        assert names & set(sys.modules) == before
    rows = [{"text": "Dr. Wu"}, {"text": "the court"}] * 4
    alone, shared = (
        assay.apply(project.sources(), rows, project.tasks, workers=workers, batch_size=2) for workers in (1, 2)
    )
    assert alone == shared
    assert alone.names == ("title", "court")
    (folder / "helping_words.py").write_text("DOCTOR = 'Lawyer'\n# edited\n")
    again = assay.apply(project.sources(), rows, project.tasks)
    assert again.codes[0, 0] != alone.codes[0, 0]


DECLARED = """
[[source]]
name = "clinic"
keywords = ["clinic"]
label = {none_of = ["Lawyer"]}
on = "text"
"""
WITHOUT_MODULES = GOOD.replace('[sources]\nmodules = ["sources.py"]\n', "")


def test_declared_sources_come_after_those_of_modules(folder):
    (folder / "sources.toml").write_text(DECLARED)
    assert [source.name for source in load(folder).sources()] == ["title", "court", "capital", "clinic"]
    assert [source.name for source in load(folder, WITHOUT_MODULES).sources()] == ["clinic"]
    (folder / "sources.toml").rename(folder / "rules.toml")
    named = load(folder, WITHOUT_MODULES + '[sources]\nfile = "rules.toml"\n')
    assert [source.name for source in named.sources()] == ["clinic"]


def test_edits_of_declared_sources_count(folder):
    project = load(folder, WITHOUT_MODULES)
    (folder / "sources.toml").write_text(DECLARED)
    assert len(project.sources()) == 1
    (folder / "sources.toml").write_text(DECLARED + DECLARED.replace('"clinic"\n', '"clinic2"\n'))
    assert len(project.sources()) == 2


def test_a_name_stands_for_one_source(folder):
    (folder / "sources.toml").write_text(DECLARED.replace('name = "clinic"', 'name = "court"'))
    with pytest.raises(assay.ProjectError, match=r"sources.toml and a Python module both have a source called 'court'"):
        load(folder).sources()


def test_declared_labels_are_checked_against_the_tasks(folder):
    (folder / "sources.toml").write_text(DECLARED.replace("Lawyer", "Lawyr"))
    with pytest.raises(assay.ProjectError, match=r"number 1 \('clinic', line 2\): no task has the label 'Lawyr'"):
        load(folder).sources()


def test_a_project_without_sources_says_what_to_do_next(folder):
    project = load(folder, WITHOUT_MODULES)
    with pytest.raises(assay.ProjectError, match=r"has no sources yet\. Declare some in .*sources.toml, for example"):
        project.sources()
    (folder / "sources.toml").write_text("# soon\n")
    with pytest.raises(assay.ProjectError, match=r"no sources in .*sources.toml\. Declare some"):
        project.sources()
    (folder / "sources.toml").write_text(DECLARED + "enabled = false\n")
    with pytest.raises(assay.ProjectError, match=r"all sources in .*sources.toml are switched off"):
        project.sources()
    (folder / "sources.py").write_text("")
    (folder / "sources.toml").unlink()
    with pytest.raises(assay.ProjectError, match=r"no sources in .*sources.py\. Declare some"):
        load(folder).sources()


def test_the_example_in_the_advice_is_a_source(folder):
    project = load(folder, WITHOUT_MODULES)
    with pytest.raises(assay.ProjectError) as caught:
        project.sources()
    advice = str(caught.value)
    (folder / "sources.toml").write_text(advice[advice.index("[[source]]") : advice.index("or write them in Python")])
    assert [source.name for source in project.sources()] == ["some_words"]
