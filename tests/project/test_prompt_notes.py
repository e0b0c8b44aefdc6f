"""What is noted of prompts: their models, and whom they asked."""

import numpy as np

from assay import PromptSettings, Votes, keywords, prompt
from assay.project.prompt_notes import PromptNotes

SETTINGS = PromptSettings(base_url="http://127.0.0.1:1/v1", model="m")


def test_prompts_of_one_model_are_known():
    sources = [
        prompt("{a}", answers=["x", "y"], name="a"),
        prompt("{a}?", answers=["x", "y"], name="b", model="m"),
        prompt("{a}!", answers=["x", "y"], name="c", model="other"),
        keywords(["a"], "x", on="a", name="k"),
    ]
    notes = PromptNotes.of(sources, SETTINGS, [3, 1])
    assert notes.of_one_model == [("a", "b")]
    assert notes.asked == (1, 3)
    assert list(notes.models) == ["a", "b", "c"]


def test_what_was_noted_is_read_again(tmp_path):
    notes = PromptNotes({"p": "m at x"}, {"p": [3, "a"]}, (1, 2))
    notes.keep(tmp_path)
    assert PromptNotes.stored(tmp_path) == notes
    PromptNotes().keep(tmp_path)
    assert PromptNotes.stored(tmp_path) == PromptNotes()
    assert list(tmp_path.iterdir()) == []


def test_examples_that_are_not_there_are_no_rows():
    votes = Votes.from_matrix(np.zeros((4, 2), dtype=int))
    assert PromptNotes({}, {"p": [3, 1], "q": [3, 9]}).example_rows(votes).tolist() == [1, 3]
