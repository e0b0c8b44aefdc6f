"""The loop, as a person goes through it: from data alone to labels that are better, in one browser tab."""

import json
import re
import tomllib

import pytest

from assay.gold import HandAnswer, append_answer
from assay.project import Answers, Project, runs_of
from assay.project.demo.texts import make
from tests.support.studios import started, window

TOML = """
[data]
path = "data.jsonl"
id = "id"
show = ["text"]

[gold]
path = "gold.jsonl"

[[tasks]]
name = "entity"
labels = ["Person", "Organization"]

[[tasks]]
name = "person"
labels = ["Doctor", "Lawyer"]
parent = ["entity", "Person"]

[[tasks]]
name = "org"
labels = ["Hospital", "Office"]
parent = ["entity", "Organization"]
"""


@pytest.fixture
def bare(tmp_path):
    """A project with texts and tasks, and no source; and what is true of each text."""
    home = tmp_path / "letters"
    home.mkdir()
    made = make(300, 7)
    (home / "assay.toml").write_text(TOML)
    (home / "data.jsonl").write_text(
        "".join(json.dumps({"id": row["id"], "text": row["text"]}) + "\n" for row in made.texts)
    )
    (home / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made.gold))
    return home, {row["id"]: truth for row, truth in zip(made.texts, made.gold, strict=True)}


def steps(tab, studio):
    tab.goto(studio.home)
    return tab.locator(".card h3").all_inner_texts()


def tile(tab, title):
    return (
        tab.locator(".tiles > div", has=tab.locator("dt", has_text=re.compile(f"^{title}$"))).locator("dd").inner_text()
    )


def save_as(tab, name, label):
    """Choose what the source of the form votes for, see what it would do, and save it; how many items it votes on."""
    tab.get_by_label("Votes for").select_option(label)
    tab.wait_for_selector("#preview .tiles")
    hits = int(tab.locator("#preview .tiles dd").first.inner_text().split()[0].replace(",", ""))
    tab.get_by_label("Name").fill(name)
    tab.get_by_role("button", name="Save to sources.toml").click()
    tab.wait_for_url("**/source?name=*")
    return hits


def run_by_click(tab, studio, number):
    """Start a run on its screen, and wait until the screen shows what it gave, of itself."""
    tab.goto(f"{studio.home}/runs")
    tab.get_by_role("button", name="Run", exact=True).click()
    tab.wait_for_selector(".job-state b:has-text('is running')")
    assert tab.get_by_role("button", name="Run", exact=True).is_disabled()
    tab.wait_for_selector(".job-state b.good", timeout=90_000)
    numbered = tab.locator("th", has_text=re.compile(f"^{number}$"))
    numbered.wait_for()  # which no event brings, so that the page was loaded again
    return (
        tab.locator("tbody tr", has=tab.locator("th", has_text=re.compile(f"^{number}$")))
        .locator("td")
        .all_inner_texts()
    )


def label_by_keyboard(tab, truth, count):
    """Give the true labels of some items, one key each; as fast as the screen follows."""
    for _ in range(count):
        item = tab.locator(".item-name").inner_text()
        known = truth[int(item.split()[-1])]
        while tab.locator(".item-name").inner_text() == item:
            task = tab.locator(".question").inner_text().rpartition(" ")[2].rstrip("?")
            key = tab.locator(".answers:not(.quiet) button", has_text=known[task]).locator("kbd").inner_text()
            with tab.expect_response("**/label/press") as answer:
                tab.keyboard.press(key)
            shown = re.search(r'data-version="(\d+)"', answer.value.text())[1]
            tab.wait_for_selector(f'#labeling [data-version="{shown}"]')


def test_from_nothing_to_a_better_score(browser, bare):
    home, truth = bare
    file = home / "sources.toml"
    with started(home) as studio, window(browser, studio) as tab:
        assert steps(tab, studio)[0] == "Write a first source"
        assert tile(tab, "Items").startswith("300")

        # A source by typing words: seen before anything is written.
        tab.get_by_role("link", name="New source").click()
        tab.wait_for_url("**/sources/new")
        tab.get_by_label("Votes for").select_option("Doctor")
        tab.get_by_label("Words").fill("patient\nblood\nsurgery\nvaccine\ndose\nwound")
        tab.wait_for_selector("#preview .items tbody tr")
        assert not file.exists()
        hits = save_as(tab, "bedside", "Doctor")
        texts = [json.loads(line)["text"] for line in (home / "data.jsonl").read_text().splitlines()]
        words = re.compile(r"\b(patient|blood|surgery|vaccine|dose|wound)\b", re.IGNORECASE)
        assert hits == sum(bool(words.search(text)) for text in texts) > 0
        (entry,) = tomllib.loads(file.read_text())["source"]
        assert entry == {
            "name": "bedside",
            "keywords": ["patient", "blood", "surgery", "vaccine", "dose", "wound"],
            "label": "Doctor",
            "on": "text",
        }
        assert steps(tab, studio)[0] == "Run the project"

        # One from what was selected in an item.
        row = next(row for row, text in enumerate(texts) if "verdict" in text)
        tab.goto(f"{studio.home}/items/{row}")
        assert not tab.locator("[data-selection]").is_visible()
        tab.evaluate(
            """() => { const text = document.querySelector("[data-column=text]").firstChild;
                 const at = text.textContent.indexOf("verdict");
                 getSelection().setBaseAndExtent(text, at, text, at + 7); }"""
        )
        tab.locator("[data-selection]").wait_for()
        tab.locator("[data-selection]").click()
        tab.wait_for_url("**/sources/new?*")
        assert tab.get_by_label("Words").input_value() == "verdict"
        tab.get_by_label("Words").fill("verdict\njudge\nwitness\njury\nappeal\nbail")
        save_as(tab, "courtroom", "Lawyer")

        # One from a search.
        tab.goto(f"{studio.home}/data")
        tab.get_by_label("Search").fill(r"\b(LLP|Partners|Legal|Clinic|Hospital|Health|General)\b")
        tab.get_by_label("regular expression").check()
        tab.wait_for_url(re.compile("regex=1"))
        found = int(tab.locator(".count b").inner_text())
        tab.get_by_role("link", name="Make a source of these").click()
        tab.wait_for_url("**/sources/new?*")
        assert save_as(tab, "names of firms", "Organization") == found > 0
        assert len(tomllib.loads(file.read_text())["source"]) == 3

        for name, words, label in (
            ("ward", "ward\nbeds\nnurses\nemergency\nambulance", "Hospital"),
            ("firm", "firm\nclients\npartners\nparalegals\ncontracts", "Office"),
        ):
            tab.goto(f"{studio.home}/sources/new")
            tab.get_by_label("Words").fill(words)
            save_as(tab, name, label)

        first = run_by_click(tab, studio, 1)
        before = steps(tab, studio)
        assert "Run the project" not in before
        assert "Label some items by hand" in before
        assert "%" in tile(tab, "Accuracy by gold")

        tab.get_by_role("link", name="Label", exact=True).last.click()
        tab.wait_for_url("**/label")
        label_by_keyboard(tab, truth, 20)
        said = Answers.of(Project.load(home), "ann").standing()
        assert len({one.item for one in said}) == 20
        for one in said:
            known = {task: label for task, label in one.answer.items() if label is not None}
            assert known.items() <= truth[one.item].items()

        after = steps(tab, studio)
        assert after[0] == "Run again"
        assert after != before
        second = run_by_click(tab, studio, 2)

        # Both runs, with what they had and what they gave.
        records = {run.number: run for run in runs_of(Project.load(home))}
        for number, cells in ((1, first), (2, second)):
            assert int(cells[2]) == records[number].hand_labels == 20 * (number - 1)
            assert cells[4].startswith(f"{records[number].scores['label model']:.1%}")
            assert f"vote {records[number].scores['majority vote']:.1%}" in cells[4]
        assert records[2].scores["label model"] > records[1].scores["label model"]
        assert tab.locator(".curve circle").count() == 2
        tab.get_by_role("link", name="compare").click()
        tab.wait_for_url("**/runs/compare?*")
        assert f"{records[2].flipped} of 300 items have another label" in tab.locator("h2").first.inner_text()

        last = steps(tab, studio)
        assert "Run again" not in last
        assert tile(tab, "Labeled by hand").startswith("20")
        assert tile(tab, "Accuracy by gold").startswith(f"{records[2].scores['label model']:.1%}")


def test_the_steps_lead_where_they_are_done(browser, studio):
    with window(browser, studio) as tab:
        count = tab.locator(".card a").count()
        assert 1 <= count <= 3
        for number in range(count):
            tab.goto(studio.home)
            tab.locator(".card a").nth(number).click()
            tab.wait_for_load_state()
            assert tab.locator("h1").count() == 1
            assert tab.locator(".fault").count() == 0


def test_a_project_without_sources_has_no_dead_ends(browser, bare):
    home, _ = bare
    with started(home) as studio, window(browser, studio, may="400") as tab:
        for path in ("/", "/data", "/items/0", "/sources", "/sources/new", "/label", "/runs", "/report"):
            tab.goto(f"{studio.home}{path}")
            assert tab.locator("h1").count() == 1
            assert tab.locator("main a, main button").count() > 0


def test_hand_labels_before_a_run_are_no_guess(bare):
    home, _ = bare
    append_answer(home / "hand_labels.jsonl", HandAnswer(0, "ann", {"entity": "Person"}))
    with started(home) as studio:
        shown = studio.ask("/").text
    assert "the next run learns from them" in shown
    assert "none yet: accuracy is a guess" not in shown
