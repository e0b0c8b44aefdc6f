"""The command line as a stranger meets it: real processes for exit codes and streams, the rest in this one."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.project import Project
from assay.project.demo.simulated_answers import simulate_answers

runner = CliRunner()
COMMANDS = [
    "aggregate",
    "annotate",
    "apply",
    "cache",
    "check",
    "compare",
    "confident",
    "demo",
    "dependencies",
    "evaluate",
    "export",
    "import",
    "init",
    "label",
    "next",
    "predict",
    "report",
    "run",
    "runs",
    "studio",
    "suggest",
    "summary",
    "train",
]


def call(*words, **kwargs):
    """``assay`` in a process of its own, as its console script runs it."""
    # Shells that run tests in the background have them ignore SIGINT, and all that they start.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from assay.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, **kwargs)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project") / "p"
    assert runner.invoke(app, ["init", str(folder), "--texts", "400"]).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def finished(project):
    result = runner.invoke(app, ["run", str(project), "--json"])
    assert result.exit_code == 0, result.output
    return project, json.loads(result.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    result = runner.invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert f"Example: assay {command}" in result.stdout


def test_dependencies_are_shown_and_learned(project):
    result = runner.invoke(app, ["dependencies", str(project), "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert set(told) == {"names", "edges", "residuals", "notes", "strong", "hints", "stale"}
    shown = runner.invoke(app, ["dependencies", str(project)])
    assert shown.exit_code == 0
    assert all(edge["sources"][0] in shown.stdout for edge in told["edges"])


def test_a_run_says_which_dependencies_it_learned(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=(600, 1))
    said = np.where(rng.random((600, 5)) < 0.8, truth, 1 - truth)
    said = np.column_stack([said, np.where(rng.random(600) < 0.9, said[:, 4], said[:, 3])])
    names = [f"tagger{number}" for number in range(6)]
    pd.DataFrame(np.array(["Ham", "Spam"])[said], columns=names).to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "assay.toml").write_text(
        "[data]\npath = 'data.csv'\n[[tasks]]\nname = 'mail'\nlabels = ['Ham', 'Spam']\n"
        "[model]\ndependencies = 'learn'\n"
    )
    (tmp_path / "sources.toml").write_text("".join(f"[[source]]\nname = '{one}'\ncolumn = '{one}'\n" for one in names))
    told = json.loads(runner.invoke(app, ["run", str(tmp_path), "--json"]).stdout)
    assert ["tagger4", "tagger5"] in [edge["sources"] for edge in told["learned_dependencies"] if edge["kept"]]
    assert any("tagger5" in note for note in told["notes"])
    assert runner.invoke(app, ["check", str(tmp_path)]).exit_code == 0


def test_all_commands_are_listed_here():
    assert sorted(COMMANDS) == sorted(command.name or command.callback.__name__ for command in app.registered_commands)


def test_version():
    assert call("--version").stdout.strip() == f"assay {assay.__version__}"


class TestInit:
    def test_writes_a_project_that_loads(self, project):
        assert {"assay.toml", "sources.py", "texts.jsonl", "gold.jsonl", "known.jsonl"} <= {
            path.name for path in project.iterdir()
        }

    def test_does_not_overwrite(self, project):
        before = (project / "sources.py").read_text()
        result = call("init", project)
        assert (result.returncode, result.stdout) == (2, "")
        assert "already has" in result.stderr
        assert (project / "sources.py").read_text() == before

    def test_same_seed_same_texts(self, project, tmp_path):
        runner.invoke(app, ["init", str(tmp_path / "q"), "--texts", "400"])
        assert (tmp_path / "q" / "texts.jsonl").read_bytes() == (project / "texts.jsonl").read_bytes()


class TestRun:
    def test_tells_everything_as_json(self, finished):
        _, said = finished
        assert said["items"] == 400
        assert said["check"]["ok"]
        assert set(said["accuracy"]) == {"majority vote", "hierarchical majority vote", "label model"}
        assert all(row["low"] <= row["accuracy"] <= row["high"] for row in said["sources"] if row["votes"])

    def test_keeps_votes_labels_and_the_model(self, finished):
        project, said = finished
        votes = assay.Votes.from_parquet(project / "out" / "votes.parquet")
        labels = assay.Labels.from_parquet(project / "out" / "labels.parquet")
        model = assay.LabelModel.load(project / "out" / "model.npz")
        np.testing.assert_allclose(labels.joint[0], model.predict_proba(votes), atol=1e-7)
        assert json.loads(model.sources_.to_json(orient="records")) == said["sources"]

    def test_tables(self, finished):
        result = runner.invoke(app, ["run", str(finished[0])])
        assert result.exit_code == 0
        assert "95% interval" in result.stdout
        assert "against gold" in result.stdout

    def test_what_is_known_of_the_class_balance_can_be_told(self, project):
        said = ["--class-balance", "entity.Person=0.6", "--class-balance", "Doctor=0.2..0.5"]
        how = ["--balance-strength", "250", "--balance-of", "voted"]
        result = runner.invoke(app, ["run", str(project), *said, *how, "--json"])
        assert result.exit_code == 0, result.output
        model = assay.LabelModel.load(project / "out" / "model.npz")
        assert model.class_balance == {"entity": {"Person": 0.6}, "person": {"Doctor": [0.2, 0.5]}}
        assert (model.balance_strength, model.balance_of) == (250, "voted")

    def test_apply_with_workers_gives_the_same_votes(self, finished):
        project, _ = finished
        before = assay.Votes.from_parquet(project / "out" / "votes.parquet")
        result = call("apply", project, "--workers", "2", "--json")
        assert result.returncode == 0, result.stderr
        assert assay.Votes.from_parquet(project / "out" / "votes.parquet") == before

    @pytest.mark.parametrize("by", ["source", "task", "overall"])
    def test_summary(self, finished, by):
        project, _ = finished
        rows = json.loads(runner.invoke(app, ["summary", str(project), "--by", by, "--json"]).stdout)
        assert len(rows) == {"source": 12, "task": 3, "overall": 1}[by]
        shown = runner.invoke(app, ["summary", str(project), "--by", by])
        assert shown.exit_code == 0
        assert "%" in shown.stdout


class TestReport:
    def test_is_one_file_in_the_output_folder(self, finished):
        project, _ = finished
        said = json.loads(runner.invoke(app, ["report", str(project), "--json"]).stdout)
        page = project / "out" / "report.html"
        assert said == {"report": str(page), "bytes": page.stat().st_size}
        assert "<title>p · Assay</title>" in page.read_text()

    def test_goes_where_it_is_told_without_the_texts(self, finished, tmp_path):
        project, _ = finished
        page = tmp_path / "page.html"
        result = runner.invoke(app, ["report", str(project), "--out", str(page), "--no-texts", "--items", "3"])
        assert result.exit_code == 0
        assert str(page) in result.stdout
        text = page.read_text()
        assert text.count("<details>") == 3
        first = json.loads((project / "texts.jsonl").read_text().splitlines()[0])["text"]
        assert "dl class=" not in text.split('id="contested"')[1]
        assert first not in text


class TestCompare:
    def test_tells_what_an_edit_changed(self, tmp_path):
        folder = tmp_path / "p"
        runner.invoke(app, ["init", str(folder), "--texts", "1500"])
        runner.invoke(app, ["run", str(folder)])
        (folder / "out").rename(tmp_path / "before")
        sources = (folder / "sources.py").read_text()
        (folder / "sources.py").write_text(sources.replace('assay.keywords(["ward", ', "assay.keywords(["))
        runner.invoke(app, ["run", str(folder)])
        result = runner.invoke(app, ["compare", str(tmp_path / "before"), str(folder)])
        assert result.exit_code == 0, result.output
        assert "ward" in result.stdout
        said = json.loads(runner.invoke(app, ["compare", str(tmp_path / "before"), str(folder), "--json"]).stdout)
        assert [source["name"] for source in said["edited"]] == ["ward"]
        assert len(said["examples"]) == min(said["flipped"], 10) > 0


class TestBadInput:
    def complaint(self, *words):
        result = call(*words)
        assert result.returncode == 2, result
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        return result.stderr

    def test_no_project(self, tmp_path):
        assert "there is no assay.toml" in self.complaint("run", tmp_path)

    def test_no_votes_yet(self, tmp_path):
        runner.invoke(app, ["init", str(tmp_path / "p"), "--texts", "10"])
        assert "run 'assay apply" in self.complaint("summary", tmp_path / "p")

    def test_no_run_yet(self, tmp_path):
        runner.invoke(app, ["init", str(tmp_path / "p"), "--texts", "10"])
        runner.invoke(app, ["apply", str(tmp_path / "p")])
        assert "run 'assay run" in self.complaint("report", tmp_path / "p")
        assert "holds no finished run" in self.complaint("compare", tmp_path / "p", tmp_path / "p")

    def test_unknown_option_value(self, finished):
        assert "'source', 'task' or 'overall'" in self.complaint("summary", finished[0], "--by", "tsk")

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (["--class-balance", "Docter=0.2"], "no task has the label 'Docter'. Did you mean 'Doctor'?"),
            (["--class-balance", "Doctor"], "--class-balance takes LABEL=SHARE"),
            (
                ["--class-balance", "Doctor=0.2", "--balance-strength", "much"],
                "balance_strength must be a number or 'exact'",
            ),
            (["--balance-of", "voted"], "balance_of is about class_balance, which is not given"),
        ],
    )
    def test_a_class_balance_that_cannot_be(self, project, words, says):
        assert says in self.complaint("run", project, *words)

    def test_unknown_setting_of_apply(self, project):
        assert "on_error must be 'raise' or 'abstain'" in self.complaint("apply", project, "--on-error", "ignore")

    def test_debug_shows_the_traceback(self, tmp_path):
        result = call("run", tmp_path, "--debug")
        assert result.returncode != 0
        assert "Traceback" in result.stderr

    def test_a_failing_source_is_named_and_nothing_is_written(self, tmp_path):
        folder = tmp_path / "p"
        runner.invoke(app, ["init", str(folder), "--texts", "10"])
        with (folder / "sources.py").open("a") as file:
            file.write("\n\n@assay.source(task='entity')\ndef broken(row):\n    return row.nothing\n")
        assert "source 'broken' failed on row 0" in self.complaint("run", folder)
        assert [path.name for path in (folder / "out").iterdir()] == ["kept_votes"]


class TestDemo:
    def test_the_label_model_beats_majority_vote(self, tmp_path):
        result = runner.invoke(app, ["demo", "--folder", str(tmp_path / "demo"), "--texts", "3000", "--json"])
        assert result.exit_code == 0, result.output
        said = json.loads(result.stdout)
        accuracy = said["accuracy"]
        assert accuracy["label model"] > accuracy["hierarchical majority vote"] + 0.03
        assert said["held_out"]["end model"] > accuracy["label model"] + 0.005
        *majority, label, refined = accuracy
        learned = (label, refined, "end model")
        # The end model learns from the refined labels, and knows as much of these texts.
        assert min(said["held_out"][refined], said["held_out"]["end model"]) > said["held_out"][label] + 0.05
        pairs = [(name, f"{name} with 100 hand labels") for name in learned]
        with_hand = [pairs[0][1], pairs[2][1]]
        assert list(said["held_out"]) == [*majority, *(name for pair in pairs for name in pair)]
        assert said["held_out"][with_hand[0]] > said["held_out"][label] - 0.01
        assert said["hand_labels"] == 0
        assert said["with_hand_labels"]["hand_labels"] == 100
        page = (tmp_path / "demo" / "out" / "report.html").read_text()
        assert said["report"] == str(tmp_path / "demo" / "out" / "report.html")
        assert f"{100 * said['held_out'][with_hand[1]]:.1f}%" in page

    def test_keeps_what_was_edited(self, tmp_path, monkeypatch):
        # As where PyTorch is not installed: end models take time, and edit nothing.
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        folder = tmp_path / "demo"
        runner.invoke(app, ["init", str(folder), "--texts", "200"])
        with (folder / "sources.py").open("a") as file:
            file.write("\n# my own\n")
        result = runner.invoke(app, ["demo", "--folder", str(folder), "--texts", "200"])
        assert "your own sources.py there was kept" in result.stdout
        assert (folder / "sources.py").read_text().endswith("# my own\n")
        assert "simulated answers, from gold" in result.stdout
        answers = folder / "hand_labels.jsonl"
        answers.write_text(answers.read_text().replace("simulated", "ann"))
        again = runner.invoke(app, ["demo", "--folder", str(folder), "--texts", "200"])
        assert "your own sources.py, hand_labels.jsonl there was kept" in again.stdout
        assert "simulated answers" not in again.stdout


class TestHandLabelsAlone:
    """A project without gold, whose hand labels say how good its labels are."""

    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, tmp_path_factory):
        home = tmp_path_factory.mktemp("project") / "p"
        runner.invoke(app, ["init", str(home), "--texts", "600"])
        gold = [json.loads(line) for line in (home / "gold.jsonl").read_text().splitlines()]
        assert simulate_answers(Project.load(home), gold, np.ones(600, dtype=bool), seed=7) == 100
        said = (home / "assay.toml").read_text()
        (home / "assay.toml").write_text(said.replace('[gold]\npath = "gold.jsonl"\n', ""))
        assert "[gold]" not in (home / "assay.toml").read_text()
        return home

    def test_the_run_tells_shares_and_what_needs_no_check(self, folder):
        shown = runner.invoke(app, ["run", str(folder)])
        assert "how common each label is, by hand labels" in shown.stdout
        assert "labels that need no check" in shown.stdout or "to write these labels" in shown.stdout
        assert "with 100 items labeled by hand" in shown.stdout
        said = json.loads(runner.invoke(app, ["run", str(folder), "--json"]).stdout)
        assert [row["label"] for row in said["shares"][:2]] == ["Person", "Organization"]
        assert (said["guarantee"] is None) == ("no_guarantee" in said)

    def test_evaluation_is_cross_fitted_with_intervals(self, folder):
        said = json.loads(runner.invoke(app, ["evaluate", str(folder), "--json"]).stdout)
        assert said["items"] == 100
        majority = ["majority vote", "hierarchical majority vote"]
        assert list(said["methods"]) == [*majority, "label model without hand labels", "label model"]
        found = said["methods"]["label model"]
        assert found["interval"][0] < found["accuracy"] < found["interval"][1]
        shown = runner.invoke(app, ["evaluate", str(folder), "--slice", "section"])
        assert "by 100 hand labels, each predicted without itself, with 95% intervals" in shown.stdout
        assert f"assay train {folder} --compare" in shown.stdout

    def test_the_report_says_first_what_hand_labels_say(self, folder):
        assert runner.invoke(app, ["report", str(folder)]).exit_code == 0
        page = (folder / "out" / "report.html").read_text()
        assert "By 100 hand labels," in page
        assert "Accuracy by hand labels" in page
        assert "Against hand labels" in page
        assert "On 100 items with hand labels. They taught the model" in page
        assert "without gold labels" not in page

    def test_without_gold_or_hand_labels_there_is_nothing_to_evaluate(self, folder, tmp_path):
        assert runner.invoke(app, ["run", str(folder), "--no-hand-labels"]).exit_code == 0
        result = call("evaluate", folder)
        assert result.returncode == 2
        assert "assay label" in result.stderr


class TestCheck:
    def run(self, *arguments):
        return CliRunner().invoke(app, ["check", *map(str, arguments)])

    @pytest.fixture
    def project(self, tmp_path):
        CliRunner().invoke(app, ["init", str(tmp_path / "p"), "--texts", "300"])
        return tmp_path / "p"

    def test_applies_the_sources_if_there_are_no_votes(self, project):
        result = self.run(project)
        assert result.exit_code == 0, result.output
        assert list(project.rglob("votes.parquet"))

    def test_json(self, project):
        report = json.loads(self.run(project, "--json").stdout)
        assert report["ok"]
        assert report["errors"] == 0

    def test_errors_give_exit_code_1(self, project):
        sources = (project / "sources.py").read_text()
        settings = (project / "assay.toml").read_text()
        (project / "assay.toml").write_text(settings.replace('dependencies = [["tagger", "tagger2"]]', ""))
        (project / "sources.py").write_text(
            "import assay\n\n@assay.source(task='entity')\ndef one(row):\n    return 'Person'\n"
        )
        result = self.run(project)
        assert result.exit_code == 1
        assert "error[A002]" in result.stdout
        (project / "sources.py").write_text(sources)
        assert self.run(project).exit_code == 1, "the stored votes are looked at"


DECLARED = """
# Everything that Python modules can do with words and numbers, without Python.
[[source]]
name = "titles"
regex = {Person = '^(Dr|Mr|Ms)\\b', Organization = '(Clinic|LLP)$'}
on = "text"

[[source]]
name = "medicine"
keywords = ["patient", "surgeon"]
label = "Doctor"
on = "text"

[[source]]
name = "no_medicine"
keywords = ["court"]
label = {none_of = ["Doctor"]}
on = "text"

[[source]]
name = "known"
dictionary = "known.txt"
label = {entity = "Person", person = {one_of = ["Doctor", "Lawyer"]}}
on = "text"

[[source]]
name = "tagger"
column = "tag"
mapping = {per = "Person", org = "Organization", "?" = false}

[[source]]
name = "young"
threshold = "age"
below = 200
label = "Person"
otherwise = "Organization"
"""


def test_a_project_of_declared_sources_runs_without_python(tmp_path):
    """From a folder with data and two TOML files to votes, labels and a report; first without any source."""
    words = [
        "Dr Lee saw a patient",
        "Mr Wu in court",
        "Mayo Clinic",
        "Baker LLP",
        "Ann is a surgeon",
        "Bo went to court",
    ]
    tags, ages = ["per", "per", "org", "org", "?", "per"], [40, 50, 500, 800, 30, 60]
    rows = [{"text": words[i % 6], "tag": tags[(i + (i % 7 == 0)) % 6], "age": ages[i % 6]} for i in range(600)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "known.txt").write_text("Lee\nWu\n")
    (tmp_path / "assay.toml").write_text(
        "[data]\npath = 'data.jsonl'\n[[tasks]]\nname = 'entity'\nlabels = ['Person', 'Organization']\n"
        "[[tasks]]\nname = 'person'\nlabels = ['Doctor', 'Lawyer']\nparent = ['entity', 'Person']\n"
    )
    for command in ("run", "check", "apply"):
        done = call(command, tmp_path)
        assert done.returncode == 2
        assert "has no sources yet. Declare some in" in done.stderr
        assert "Traceback" not in done.stderr
    (tmp_path / "sources.toml").write_text(DECLARED)
    applied = runner.invoke(app, ["apply", str(tmp_path), "--json"])
    assert applied.exit_code == 0, applied.output
    assert json.loads(applied.stdout)["sources"] == 6
    summary = runner.invoke(app, ["summary", str(tmp_path), "--json"])
    by_name = {row["source"]: row for row in json.loads(summary.stdout)}
    assert by_name["no_medicine"]["labels"] == "not Doctor"
    assert by_name["known"]["labels"] == "entity=Person, person=Doctor or Lawyer"
    assert by_name["known"]["coverage"] == pytest.approx(1 / 3)
    assert "not Doctor" in runner.invoke(app, ["summary", str(tmp_path)], env={"COLUMNS": "200"}).stdout
    assert runner.invoke(app, ["check", str(tmp_path), "--json"]).exit_code in (0, 1)
    run = runner.invoke(app, ["run", str(tmp_path), "--json"])
    assert run.exit_code == 0, run.output
    assert {row["value"] for row in json.loads(run.stdout)["sources"] if row["source"] == "no_medicine"} == {
        "not Doctor"
    }
    labels = assay.Labels.from_parquet(tmp_path / "out" / "labels.parquet")
    assert len(labels) == 600
    assert runner.invoke(app, ["dependencies", str(tmp_path), "--json"]).exit_code == 0
    assert runner.invoke(app, ["report", str(tmp_path)]).exit_code == 0
    assert "not Doctor" in (tmp_path / "out" / "report.html").read_text()
    (tmp_path / "sources.toml").write_text(DECLARED.replace('keywords = ["court"]', 'keyword = ["court"]'))
    wrong = call("run", tmp_path)
    assert wrong.returncode == 2
    assert "number 3 ('no_medicine', line 14) says nothing of how it votes" in wrong.stderr
    assert "Did you mean 'keywords'?" in wrong.stderr


@pytest.mark.parametrize(("kind", "code", "word"), [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated")])
def test_whoever_stops_it_is_told_what_was_kept(tmp_path, kind, code, word):
    folder = tmp_path / "p"
    runner.invoke(app, ["init", str(folder), "--texts", "200"])
    with (folder / "sources.py").open("a") as file:
        stop = f"os.kill(os.getpid(), signal.{kind})"
        file.write(f"\n\n@assay.source(task='entity')\ndef stops(row):\n    import os, signal\n    {stop}\n")
    result = call("apply", folder)
    assert result.returncode == code
    assert f"{word}; nothing was written; nothing half-written is left behind" in " ".join(result.stderr.split())


def test_what_sources_print_is_not_part_of_the_json(tmp_path):
    folder = tmp_path / "p"
    runner.invoke(app, ["init", str(folder), "--texts", "200"])
    with (folder / "sources.py").open("a") as file:
        file.write("\n\nprint('loaded')\n\n@assay.source(task='entity')\ndef chatty(row):\n    print('hello')\n")
    result = call("apply", folder, "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)
    assert "hello" in result.stderr


def test_an_empty_data_file_is_refused(tmp_path):
    folder = tmp_path / "p"
    runner.invoke(app, ["init", str(folder), "--texts", "200"])
    (folder / "texts.jsonl").write_text("")
    result = call("apply", folder)
    assert result.returncode == 2
    assert "has no rows" in " ".join(result.stderr.split())


def test_import_says_what_it_took_and_names_its_options(project, tmp_path):
    path = tmp_path / "bob.csv"
    path.write_text("id,Kind,Note\n1,person,hm\n2,Organization,\n")
    words = ["import", str(project), str(path)]
    wrong = runner.invoke(app, [*words, "--label", "Note"])
    assert "no task has the label 'hm'" in str(wrong.exception)
    path.write_text("number,Kind,Note\n1,person,hm\n2,Organization,\n")
    asked = runner.invoke(app, words)
    assert "Say --item" in str(asked.exception)
    path.write_text("id,Kind,Note\n1,person,hm\n2,Organization,\n99999,Person,\n")
    assert "or give --skip-unknown to import" in str(runner.invoke(app, words).exception)
    done = runner.invoke(app, [*words, "--skip-unknown"])
    assert "items from the column 'id', labels from 'Kind'" in done.output
    assert "ignored: the column 'Note' ('hm' is no label)" in done.output
    assert "99999 (line 4)" in done.output
    assert "2 answers from a plain table added" in done.output
    (project / "hand_labels.jsonl").unlink()


@pytest.mark.parametrize("command", [["run"], ["annotate"]])
def test_what_a_source_fails_on_can_be_passed_over(project, command):
    words = [*command, str(project), *([str(project / "texts.jsonl")] if command == ["annotate"] else [])]
    refused = runner.invoke(app, [*words, "--on-error", "ignore"])
    assert "on_error must be 'raise' or 'abstain'" in str(refused.exception)
