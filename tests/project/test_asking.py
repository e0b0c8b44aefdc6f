"""What a project's prompts would cost and gain, after a run that asked about some items, and before one."""

import json

import pytest
from typer.testing import CliRunner

from assay.cli import app
from assay.project import Project, costs_of, plan_before, plan_for, run, unsure_items
from assay.project.asking import cost_per_item
from assay.sources import PromptCost, PromptCosts
from tests.project.test_unsure import project, server  # noqa: F401  a project with four columns and two prompts


def test_an_item_costs_what_was_paid_for_others():
    paid = PromptCost("p", "m", 10, 10, 1000, 100, 4.0, "guess")
    found = cost_per_item(PromptCosts((paid,)), 10)
    assert (found.questions, found.tokens, found.cost) == (2.0, 220.0, 0.8)


def test_after_a_run_the_rest_is_planned(project, server):  # noqa: F811
    path = project.folder / "assay.toml"
    path.write_text(
        path.read_text() + 'where = "unsure"\nshare = 0.1\nprices = { m = { input = 1.0, output = 1.0 } }\n'
    )
    loaded = Project.load(project.folder)
    unsure = unsure_items(loaded, 0.1, progress=False)
    before = plan_before(loaded, unsure, costs_of(loaded, ask=unsure.rows))
    assert (before.asked, before.steps[0].expected_gain) == (0, None)
    made = run(loaded, progress=False)
    asked = sum(server.asked.values())
    plan = plan_for(loaded, made.votes, made.model)
    assert (plan.items, plan.asked, plan.steps[-1].items) == (400, 40, 360)
    assert plan.steps[-1].questions == 720
    assert plan.steps[-1].cost > 0
    assert all(step.expected_gain <= step.expected_errors for step in plan.steps)
    assert plan_before(loaded, unsure, costs_of(loaded, ask=unsure.rows)) == plan
    assert sum(server.asked.values()) == asked
    result = CliRunner().invoke(app, ["apply", str(project.folder), "--dry-run", "--json"], catch_exceptions=False)
    assert json.loads(result.output)["asking"][0]["items"] == 20
    shown = CliRunner().invoke(app, ["run", str(project.folder)], catch_exceptions=False).output
    assert "what asking about more items is expected to change" in shown


def test_where_all_were_asked_nothing_is_planned(project, server):  # noqa: F811
    made = run(project, progress=False)
    assert plan_for(project, made.votes, made.model) is None
    assert "A307" in made.check.codes


@pytest.mark.parametrize("declared", ['dependencies = [["p", "q"]]', 'dependencies = "learn"'])
def test_prompts_of_one_model_are_pointed_out_unless_it_is_known(project, server, declared):  # noqa: F811
    path = project.folder / "assay.toml"
    path.write_text(path.read_text() + f"[model]\n{declared}\n")
    assert "A307" not in run(Project.load(project.folder), progress=False).check.codes
