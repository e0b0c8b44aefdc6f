"""A project for somebody's own data: whatever the data, it loads, and its examples of sources can be used."""

import json
import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import Project, SourceFile, new_project, run
from assay.project.source_file import read_sources

TICKETS = {
    "ticket": [f"T{number}" for number in range(30)],
    "message": ["the invoice is wrong", "no signal, see http://x.example", "please close the account now"] * 10,
    "channel": ["web", "phone", "mail"] * 10,
    "months": list(range(30)),
    "topic": ["Billing", "Outage", None] * 10,
}


@pytest.fixture
def tickets(tmp_path):
    pl.DataFrame(TICKETS).write_csv(tmp_path / "tickets.csv")
    return tmp_path / "tickets.csv"


def uncommented(folder, label="Ham"):
    """The examples of a new project, with what they leave open filled in."""
    path = folder / "sources.toml"
    _, *examples = re.split(r"\n\n# [^\n]*\n(?=# \[\[source\]\])", path.read_text())
    text = "".join(re.sub("^# ?", "", example, flags=re.MULTILINE) + "\n" for example in examples)
    text = re.sub('^# (.*) = "[?]"$', r"\1 = false", text, flags=re.MULTILINE)
    path.write_text(text.replace("keywords = []", 'keywords = ["now"]').replace('label = "?"', f'label = "{label}"'))
    return SourceFile.read(path)


values = st.one_of(st.none(), st.text(max_size=12), st.sampled_from(["yes", "no", "a few words of text"]))
columns = st.one_of(
    st.lists(values, min_size=4, max_size=4),
    st.lists(st.integers(-9, 9) | st.none(), min_size=4, max_size=4),
    st.lists(st.floats(-9, 9), min_size=4, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.text(max_size=8), columns, min_size=1, max_size=4))
def test_of_any_table_the_project_loads_and_its_examples_vote(tmp_path_factory, table):
    home = tmp_path_factory.mktemp("any")
    pl.DataFrame(table, strict=False).write_parquet(home / "rows.parquet")
    made = new_project(home / "p", home / "rows.parquet", ["Spam,Ham", 'Spam="Ad",\\Fraud'])
    project = Project.load(home / "p")
    assert project.data.samefile(home / "rows.parquet")
    assert project.tasks == assay.TaskGraph(made.tasks)
    assert read_sources(project.sources_file) == []
    if uncommented(home / "p").names:
        sources = project.sources()
        assert len(assay.apply(sources, project.data, project.tasks, id=project.id, progress=False)) == 4


def test_without_sources_it_says_that_the_examples_are_comments(tickets, tmp_path):
    new_project(tmp_path / "p", tickets, gold="topic")
    with pytest.raises(assay.ProjectError, match=r'behind # signs.*\n(.*\n)*on = "message"'):
        run(Project.load(tmp_path / "p"), progress=False)


def test_from_a_file_to_labels_without_python(tickets, tmp_path):
    new_project(tmp_path / "p", tickets, gold="topic")
    names = uncommented(tmp_path / "p", "Outage").names
    assert names == ("billing_words", "outage_words", "has_link", "high_months", "by_channel")
    made = run(Project.load(tmp_path / "p"), progress=False)
    assert made.votes.items.tolist() == TICKETS["ticket"]
    assert "majority vote" in made.evaluations
    assert made.evaluations["label model"].items == 20


def test_examples_are_no_nonsense_but_leave_open_what_nobody_can_guess(tmp_path):
    rows = {
        "id": range(40),
        "text": ["my parcel is late again", "dear team, please help me"] * 20,
        "queue": ["DELIVERY", "feedback "] * 20,
        "state": ["open", "closed"] * 20,
        "kind": ["late", "PRAISE"] * 20,
    }
    pl.DataFrame(rows).write_csv(tmp_path / "rows.csv")
    new_project(tmp_path / "p", tmp_path / "rows.csv", ["Delivery,Praise", "Delivery=Late,Lost"])
    text = (tmp_path / "p" / "sources.toml").read_text()
    assert '# keywords = ["late"]\n# label = "Late"\n' in text
    assert '# keywords = []  # fill in, as in ["late", "still waiting"]\n# label = "Lost"\n' in text
    assert '# label = "?"  # which label does it speak for?\n' in text
    mapping = '# column = "queue"\n# [source.mapping]\n# "DELIVERY" = "Delivery"\n# # "feedback " = "?"\n'
    assert mapping in text
    assert '# column = "kind"\n' in text.rstrip() + "\n"
    assert "state" not in text, "a column that says nothing of labels is no example if others do"
    assert "dear" not in text
    (tmp_path / "p" / "sources.toml").write_text('[[source]]\nname = "by_kind"\ncolumn = "kind"\n')
    project = Project.load(tmp_path / "p")
    votes = assay.apply(project.sources(), project.data, project.tasks, progress=False)
    assert votes.to_pandas()["by_kind"].tolist()[:2] == ["delivery=Late", "label=Praise"]


@pytest.mark.parametrize(("said", "labels"), [([1, 0], ("1", "0")), ([True, False], ("true", "false"))])
def test_gold_of_numbers_and_truth_values_names_labels(tmp_path, said, labels):
    pl.DataFrame({"text": ["win a prize", "see you at noon"] * 20, "spam": said * 20}).write_csv(tmp_path / "sms.csv")
    new_project(tmp_path / "p", tmp_path / "sms.csv", gold="spam")
    project = Project.load(tmp_path / "p")
    assert set(project.tasks.tasks[0].labels) == set(labels)
    assert project.gold_columns()["spam"][:2] == list(labels)


def test_taxonomies_are_labels_that_split_labels(tickets, tmp_path):
    split = ["Outage,Billing", "Billing=Refund,Price", "Refund=Full,Part"]
    made = new_project(tmp_path / "p", tickets, split, gold="topic")
    assert [(task.name, task.labels, task.parents) for task in made.tasks] == [
        ("topic", ("Outage", "Billing"), ()),
        ("billing", ("Refund", "Price"), (("topic", "Billing"),)),
        ("refund", ("Full", "Part"), (("billing", "Refund"),)),
    ]
    assert {one.said["label"] for one in uncommented(tmp_path / "p").declared if "keywords" in one.said} == {
        "Outage",
        "Price",
        "Full",
        "Part",
    }


@pytest.mark.parametrize(
    ("labels", "gold", "says"),
    [
        ([], None, "columns with few values: channel (web, phone, mail); topic (Billing, Outage)"),
        (["Spam"], None, "two or more labels with commas between, as in Spam,Ham, but got 'Spam'"),
        (["Spam,,Ham"], None, "two or more labels"),
        (["Spam,Ham", "Advert,Fraud"], None, "write LABEL=Advert,Fraud to say which label it splits"),
        (["Spam,Ham", "Spm=Advert,Fraud"], None, "splits 'Spm', which is no label. Did you mean 'Spam'?"),
        (["Spam,Spam"], None, "Spam"),
        (["Billing,Outtage"], "topic", "has 'Outage', which --labels lacks. Did you mean 'Outtage'?"),
    ],
)
def test_labels_that_cannot_be_are_refused_and_nothing_is_written(tickets, tmp_path, labels, gold, says):
    with pytest.raises(assay.AssayError, match=re.escape(says)):
        new_project(tmp_path / "p", tickets, labels, gold)
    assert not (tmp_path / "p").exists()


def test_a_project_that_is_there_is_kept(tickets, tmp_path):
    new_project(tmp_path, tickets, ["Spam,Ham"])  # beside the data
    assert Project.load(tmp_path).data == tmp_path / "tickets.csv"
    before = (tmp_path / "assay.toml").read_text()
    with pytest.raises(assay.ProjectError, match=r"already has assay\.toml, sources\.toml; choose another folder"):
        new_project(tmp_path, tickets, ["Other,Labels"])
    with pytest.raises(assay.ProjectError, match="is a file"):
        new_project(tickets, tickets, ["Spam,Ham"])
    assert (tmp_path / "assay.toml").read_text() == before


class TestCommand:
    def test_says_what_was_guessed_and_three_commands_to_go_on(self, tickets, tmp_path):
        said = CliRunner().invoke(app, ["init", str(tmp_path / "p"), "--data", str(tickets), "--gold", "topic"])
        assert said.exit_code == 0, said.output
        assert "named by the column 'ticket'; texts are in 'message'" in said.stdout
        _, _, after = said.stdout.partition("next:\n")
        assert [line.split()[:2] for line in after.splitlines()] == [
            ["assay", "run"],
            ["assay", "report"],
            ["assay", "export"],
        ]

    def test_tells_machines(self, tickets, tmp_path):
        words = ["init", str(tmp_path / "p"), "--data", str(tickets), "--labels", "Spam,Ham", "--json"]
        assert json.loads(CliRunner().invoke(app, words).stdout) == {
            "folder": str(tmp_path / "p"),
            "files": ["assay.toml", "sources.toml"],
            "rows": 30,
            "id": "ticket",
            "texts": ["message"],
            "tasks": {"label": ["Spam", "Ham"]},
            "gold": None,
        }

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (["--labels", "Spam,Ham"], "name the file with --data too"),
            (["--data", "tickets.csv", "--labels", "Spam,Ham", "--texts", "5"], "are for the example"),
            (["--data", "none.csv", "--labels", "Spam,Ham"], "there is no file none.csv"),
        ],
    )
    def test_refuses_what_does_not_go_together(self, tickets, monkeypatch, words, says):
        monkeypatch.chdir(tickets.parent)
        with pytest.raises(assay.AssayError, match=says):
            CliRunner().invoke(app, ["init", "p", *words], catch_exceptions=False)
