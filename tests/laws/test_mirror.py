"""Whoever looks for the test of a module finds it by its name: ``tests`` mirrors ``src/assay``."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE, TESTS = ROOT / "src" / "assay", ROOT / "tests"

# Modules whose behaviour shows only through another one, and the test file that shows it.
TESTED_IN = {
    # The lazy names of the package, and what is loaded when.
    "_core/lazy_names.py": "laws/test_import.py",
    "_core/foreign_names.py": "core/test_foreign_settings.py",
    # Habits of scikit-learn are those of the estimators that have them.
    "_core/batch_size.py": "core/test_rows.py",
    "_core/estimator.py": "laws/test_estimators.py",
    # Who asks for pictures is tested with who makes them.
    "_core/views.py": "report/test_attached.py",
    # The sentences of problems are compared word by word where the problems are.
    "checks/wording.py": "checks/test_rules.py",
    # What a worker does, and what becomes of it, is seen in the votes that are applied.
    "sources/batch_job.py": "sources/test_applying.py",
    "sources/collected.py": "sources/test_applying.py",
    "sources/used_names.py": "sources/test_fingerprints.py",
    "project/run_tables.py": "project/test_runs.py",
    # What is read and written for people is looked at in the files that they read and get.
    "annotations/plain_tables.py": "annotations/test_reading.py",
    "labels/pairing.py": "labels/test_tool_records.py",
    "project/label_tables.py": "project/test_exchange.py",
    "votes/new_values.py": "project/test_exchange.py",
    # Clusters that settings name are connected to where clusters are.
    "engine/connecting.py": "laws/test_configured_engines.py",
    # Two of the three ways of learning dependencies, each run on the same worlds.
    "model/dependencies/low_rank.py": "model/dependencies/test_learning.py",
    "model/dependencies/pseudolikelihood.py": "model/dependencies/test_learning.py",
    # Steps of a fit, which have no meaning by themselves, and what they are told, which holds no logic.
    "model/estimate/correction_path.py": "model/estimate/test_gold_corrections.py",
    "model/estimate/fit.py": "model/test_label_model.py",
    "model/estimate/knowledge.py": "model/test_settings.py",
    "model/estimate/e_step.py": "model/estimate/test_em.py",
    "model/estimate/m_step.py": "model/estimate/test_em.py",
    "model/estimate/typical_source.py": "model/estimate/test_em.py",
    "model/estimate/solver.py": "model/estimate/test_em.py",
    "model/estimate/start.py": "model/estimate/test_em.py",
    "model/fitted.py": "model/test_label_model.py",
    "model/estimate/methods.py": "model/test_settings.py",
    # Commands are run as a user runs them, all of them through the one program.
    "cli/demo.py": "cli/test_entry.py",
    "cli/end_model.py": "project/test_end_model.py",
    "cli/exchange.py": "project/test_exchange.py",
    "cli/labeling.py": "cli/test_entry.py",
    "cli/options.py": "cli/test_entry.py",
    "cli/output.py": "cli/test_entry.py",
    "cli/results.py": "cli/test_entry.py",
    "cli/run_output.py": "cli/test_entry.py",
    "cli/session.py": "cli/test_entry.py",
    "cli/studio.py": "studio/test_server.py",
    "cli/votes.py": "cli/test_entry.py",
    # Read when the command line starts.
    "_core/project_file.py": "laws/test_cli_start.py",
    # Marginals and confidences are those that labels have.
    "labels/probabilities.py": "labels/test_labels.py",
    # What refined labels rest on is told where they are made.
    "labels/refined.py": "endmodel/refinement/test_refining.py",
    # Votes and labels in pieces: the law is that pieces do not show.
    "model/labeling.py": "laws/test_streaming.py",
    "votes/pieces.py": "laws/test_streaming.py",
    # Tables are read where what is in them is made.
    "project/prompt_tables.py": "project/test_kept_answers.py",
    # Errors, raised by whoever asks.
    "llm/failures.py": "llm/test_client.py",
    # Columns of labels, as codes and the votes these stand for.
    "votes/columns.py": "votes/test_encoding.py",
    # Bare matrices wherever votes are taken.
    "votes/bare_matrix.py": "laws/test_bare_matrix.py",
    # Clusters give what one process gives.
    "engine/dask.py": "laws/test_engines.py",
    "engine/spark.py": "laws/test_engines.py",
    # Base classes and parts of networks, told of by those who use them.
    "endmodel/encoder.py": "endmodel/test_model.py",
    "endmodel/fitted.py": "endmodel/test_model.py",
    "endmodel/network.py": "endmodel/test_stepper.py",
    "endmodel/own_module.py": "endmodel/test_model.py",
    # Steps of a training, and what streams are dealt into, which show in the model that comes of them.
    "endmodel/fitting.py": "endmodel/test_calibration.py",
    "endmodel/spool.py": "endmodel/test_streamed_fitting.py",
    "endmodel/streams.py": "endmodel/test_streamed_fitting.py",
    # Texts, as the encoders that read them see them.
    "endmodel/embedding_cache.py": "endmodel/test_embeddings.py",
    "endmodel/ngram_kernels.py": "endmodel/test_ngrams.py",
    "endmodel/texts.py": "endmodel/test_inputs.py",
    # Settings that stand apart from the estimator, so that a project can read them without PyTorch.
    "endmodel/settings.py": "project/test_settings.py",
    # Sections of the page and pictures of it: what is on them is read off the page.
    "report/chart_sections.py": "report/test_report.py",
    "report/item_section.py": "report/test_page.py",
    "report/error_bar_forecast.py": "report/test_report.py",
    "report/notebook.py": "report/test_plots.py",
    "report/source_section.py": "report/test_page.py",
    "report/hand_label_section.py": "report/test_hand_labels.py",
    "report/terminal.py": "cli/test_entry.py",
    # The Python files of a project are run when it is asked for its sources.
    "project/modules.py": "project/test_project.py",
    # The tables of what changed are read where the changes are.
    # What a project's steps share is seen in the steps.
    "project/demo/demo.py": "cli/test_entry.py",
    "project/extras.py": "project/test_pipeline.py",
    "project/stored.py": "project/test_pipeline.py",
    "report/methods.py": "project/test_pipeline.py",
    "project/comparison_tables.py": "project/test_comparison.py",
}
# The example project is what a user starts from; the demonstration runs it.
NO_MODULES = ("project/demo/project/",)
# The benchmarks stand beside src, and so do their tests.
NO_MIRRORS = ("laws/", "support/", "benchmarks/")


def mirror_of(module: str) -> str:
    """Where the tests of a module belong: ``_core/rows.py`` -> ``core/test_rows.py``."""
    path = Path(module)
    return str(path.with_name(f"test_{path.name}")).removeprefix("_")


def module_of(test_file: str) -> str:
    """The other way round."""
    path = Path(test_file)
    module = str(path.with_name(path.name.removeprefix("test_")))
    return f"_{module}" if module.startswith("core/") else module


def files_in(folder: Path, pattern: str, but: tuple[str, ...]) -> list[str]:
    found = (path.relative_to(folder).as_posix() for path in folder.rglob(pattern))
    return sorted(path for path in found if not path.startswith(but))


MODULES = [path for path in files_in(SOURCE, "*.py", NO_MODULES) if not path.endswith("__init__.py")]
TEST_FILES = files_in(TESTS, "test_*.py", NO_MIRRORS)


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_its_tests(module):
    told = TESTED_IN.get(module)
    assert (TESTS / (told or mirror_of(module))).is_file(), (
        f"src/assay/{module} has no tests: write tests/{mirror_of(module)}, or say in TESTED_IN which file tests it"
    )


@pytest.mark.parametrize("test_file", TEST_FILES)
def test_no_tests_are_left_of_a_module_that_is_gone(test_file):
    assert module_of(test_file) in MODULES, f"tests/{test_file} is named after a module that does not exist"


@pytest.mark.parametrize("module", TESTED_IN)
def test_what_is_said_to_be_tested_elsewhere_is_there_and_has_no_tests_of_its_own(module):
    assert module in MODULES
    assert mirror_of(module) not in TEST_FILES
