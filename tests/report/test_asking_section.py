"""The plan on the page and in the terminal."""

import numpy as np

from assay import LabelModel, Report
from assay.report import CostPerItem, asking_plan, asking_table
from assay.simulate import flat_world


def test_the_page_and_the_table_show_each_step():
    simulation = flat_world(sources=5, seed=3).draw(500)
    model = LabelModel().fit(simulation.votes)
    confidence = model.predict_proba(simulation.votes).max(axis=1)
    plan = asking_plan(confidence, [0, 1], CostPerItem(2, 100, None), gains=np.full(500, 0.01))
    page = Report.of(model, simulation.votes, asking=plan).to_html()
    assert "Asking prompts about more items" in page
    assert "Prompts were asked about 2 of 500 items" in page
    assert page.count("no price") == len(plan.steps) == asking_table(plan).row_count
    without = Report.of(model, simulation.votes).to_html()
    assert "Asking prompts" not in without
