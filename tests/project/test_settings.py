"""What ``assay.toml`` may say is what the estimators take, and what is wrong in it is told with its place."""

import dataclasses
import inspect
import subprocess
import sys

import pytest

import assay
from assay.endmodel import NetworkSettings
from assay.project import Project
from assay.project.pipeline import label_model
from assay.project.settings import ModelSettings, changed, checked
from tests.support.project_files import GOOD


def load(folder, text):
    (folder / "assay.toml").write_text(text)
    (folder / "sources.py").write_text("")
    return Project.load(folder)


def test_every_setting_of_the_label_model_can_be_given():
    known = inspect.signature(assay.LabelModel).parameters
    assert {field.name for field in dataclasses.fields(ModelSettings)} == set(known) - {"cardinality"}
    assert all(field.default == known[field.name].default for field in dataclasses.fields(ModelSettings))


def test_a_new_setting_of_an_estimator_is_at_once_one_of_the_file():
    from assay.project.settings import _settings_of

    class Newer:
        def __init__(self, *, brightness: float = 0.5, names: "tuple[str, ...]" = ()) -> None: ...

    made = _settings_of(Newer, "NewerSettings", ())
    assert dataclasses.asdict(made(brightness=0.7)) == {"brightness": 0.7, "names": ()}


def test_settings_of_the_end_model_are_those_of_the_class():
    pytest.importorskip("torch")
    known = inspect.signature(assay.EndModel).parameters
    mine = {field.name: field.default for field in dataclasses.fields(NetworkSettings)}
    assert mine == {name: one.default for name, one in known.items() if name not in ("tasks", "encoder")}


def test_the_label_model_gets_its_settings(tmp_path):
    project = load(
        tmp_path,
        GOOD
        + "[model]\nmax_steps = 7\nbeliefs = {kb = [0.8, 50], crowd = 0.7}\ndependencies = [['kb', 'crowd']]\n"
        + "class_balance = [0.2, 0.3, 0.5]\n",
    )
    model = label_model(project)
    assert model.max_steps == 7
    assert model.beliefs == {"kb": (0.8, 50.0), "crowd": 0.7}
    assert model.dependencies == (("kb", "crowd"),)
    assert model.class_balance == [0.2, 0.3, 0.5]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("class_balance = {Person = 0.15}", {"Person": 0.15}),
        ("class_balance.entity.Person = [0.5, 0.7]", {"entity": {"Person": [0.5, 0.7]}}),
        ("[model.class_balance.entity]\nPerson = [0.5, 0.7]", {"entity": {"Person": [0.5, 0.7]}}),
    ],
)
def test_a_class_balance_by_label(tmp_path, written, meant):
    model = label_model(load(tmp_path, f"{GOOD}[model]\nbalance_strength = 200\nbalance_of = 'voted'\n{written}\n"))
    assert model.class_balance == meant
    assert (model.balance_strength, model.balance_of) == (200, "voted")


def test_settings_can_be_changed():
    assert changed(ModelSettings(), {"balance_strength": "exact", "seed": 3}) == ModelSettings(
        balance_strength="exact", seed=3
    )
    assert changed(ModelSettings(), {"balance_strength": "2e3"}).balance_strength == 2000
    with pytest.raises(assay.ProjectError) as caught:
        changed(ModelSettings(), {"balance_strength": "strong", "balance_of": "some"})
    assert str(caught.value).splitlines() == [
        "balance_strength must be a number or 'exact', but is 'strong'",
        "balance_of must be 'all' or 'voted', but is 'some'",
    ]


def test_the_end_model_gets_its_settings(tmp_path):
    project = load(tmp_path, GOOD + "[endmodel]\nlayers = [20, 5]\nepochs = 3\ndevice = 'cpu'\nheld_out = 0\n")
    network = project.endmodel.network
    assert (network["layers"], network["epochs"], network["device"]) == ((20, 5), 3, "cpu")
    assert "held_out" not in network
    assert project.endmodel.held_out == 0


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("[settings]\nworkers = true", "[settings] workers must be an integer or 'auto', but is True"),
        ("[settings]\nworkers = '3'", "[settings] workers must be an integer or 'auto', but is '3'"),
        ("[model]\nmethod = 'me'", "[model] method must be 'auto', 'robust', 'em', 'completion' or 'covariance'"),
        ("[model]\nmax_step = 3", "[model] has the unknown key 'max_step'. Did you mean 'max_steps'?"),
        ("[model]\nseed = 'x'", "[model] seed must be an integer, but is 'x'"),
        (
            "[model]\ndependencies = [['a', 1.5]]",
            "[model] dependencies, entry 1, entry 2 must be a string or an integer, but is 1.5",
        ),
        ("[model]\nbeliefs = {kb = 'high'}", "[model] beliefs, kb must be a number or a list, but is 'high'"),
        (
            "[model]\nclass_balance = {Docter = 0.3}",
            "[model] class_balance: no task has the label 'Docter'. Did you mean 'Doctor'?",
        ),
        ("[model.class_balance.entity]\nPerson = 60", "[model] class_balance: the share of 'Person' must be between 0"),
        ("[model]\nclass_balance = [0.5, 0.5]", "[model] class_balance must have 3 probabilities, one per outcome"),
        (
            "[model]\nbalance_strength = 'strong'",
            "[model] balance_strength must be a number or 'exact', but is 'strong'",
        ),
        ("[model]\nbalance_of = 'some'", "[model] balance_of must be 'all' or 'voted', but is 'some'"),
        (
            "[model]\nclass_balance = {Doctor = 0.3}\nbalance_strength = -1",
            "[model] balance_strength must be a positive number of items",
        ),
        ("[model]\nmax_steps = 0", "[model] max_steps must be a positive integer, but is 0"),
        ("[endmodel]\nepochs = 'ten'", "[endmodel] epochs must be an integer, but is 'ten'"),
        ("[endmodel]\nepoch = 3", "[endmodel] has the unknown key 'epoch'. Did you mean 'epochs'?"),
        ("[endmodel]\nheld_out = 1", "[endmodel] held_out must be less than 1, but is 1"),
        ("[[tasks]]\nname = 'x'\nlabels = 'y'", "[[tasks]] number 3, labels must be a list, but is 'y'"),
        ("[[tasks]]\nname = 'x'\nlabel = ['y']", "[[tasks]] number 3 has the unknown key 'label'. Did you mean"),
        ("[[tasks]]\nname = 'x'", "[[tasks]] number 3 needs labels = [...], but it is missing"),
        (
            "[[tasks]]\nname = 'x'\nlabels = ['a', 'b']\nparent = ['entity']",
            "[[tasks]] number 3, parent, entry 1 must be a list, but is 'entity'",
        ),
        ("[[constraints]]\nimplies = [['entity', 'Person']]", "implies needs 2 entries or more"),
        ("[[constraints]]\n", "each of [[constraints]] holds one of"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, more, says):
    with pytest.raises(assay.ProjectError) as caught:
        load(tmp_path, f"{GOOD}\n{more}\n")
    assert says in str(caught.value)
    assert str(tmp_path / "assay.toml") in str(caught.value)


def test_all_mistakes_are_told_at_once():
    with pytest.raises(assay.ProjectError) as caught:
        checked({"data": {"path": 3}, "source": {}, "settings": 3})
    assert str(caught.value).splitlines() == [
        "[data] path must be a string, but is 3",
        "[settings] must be a section, but is 3",
        "the file has the unknown key 'source'. Did you mean 'sources'?",
        'there are no tasks: add [[tasks]] with name = "..." and labels = ["...", "..."]',
    ]


def test_reading_needs_no_torch(tmp_path):
    load(tmp_path, GOOD + "[endmodel]\nepochs = 3\n")
    program = "import sys; from assay.project import Project; Project.load('.'); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"
