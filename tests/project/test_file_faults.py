from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from assay.project.file_faults import complaints, steps, where, wrong_value


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    words: tuple[str, ...] | dict[str, str]
    many: int = 1


def told(said, **words):
    with pytest.raises(ValidationError) as caught:
        Part.model_validate(said, strict=False)
    return complaints(
        caught.value, said, lambda place: {name: f.annotation for name, f in Part.model_fields.items()}, **words
    )


def test_every_place_is_told_of_once_and_what_is_missing_last():
    found = told({"words": ["a", 3], "mny": 2}, where=lambda place: ", ".join(["here", *steps(place)]))
    assert found == [
        "here, words, entry 2 must be a string, but is 3",
        "here has the unknown key 'mny'. Did you mean 'many'?",
        'here needs name = "...", but it is missing',
    ]


def test_special_words_come_first():
    found = told({"name": "a"}, special=lambda place, kind: f"{kind} at {place}" if place == ("words",) else None)
    assert found == ["missing at ('words',)"]


def test_places_are_called_as_in_the_file():
    assert where(()) == "the file"
    assert where(("model",)) == "[model]"
    assert where(("model", "seed")) == "[model] seed"
    assert where(("tasks", 0)) == "[[tasks]] number 1"
    assert steps(["mapping", "x", 1]) == ["mapping", "x", "entry 2"]


def test_a_value_may_have_been_meant_in_several_ways():
    faults = [{"msg": "Input should be a valid array", "input": 3}, {"msg": "Input should be an object", "input": 3}]
    assert wrong_value("words", faults) == "words must be a list or a table, but is 3"
