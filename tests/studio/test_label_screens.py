"""Labeling in the browser: by keyboard alone, in two tabs, and through a power cut."""

import os
import re
import shutil
import time
from pathlib import Path

import pytest

from assay.project import Answers, Project, Workbench, item_view
from tests.support.studios import TOKEN, started, until, window

PIECE = "#labeling [data-version]"


@pytest.fixture(scope="module")
def running(example, tmp_path_factory):
    """A studio that all tests here label in, each as another person."""
    with started(shutil.copytree(example, tmp_path_factory.mktemp("labeled") / "mine")) as studio:
        yield studio


def version(tab):
    return tab.locator(PIECE).get_attribute("data-version")


def item(tab):
    return tab.locator("#labeling .item-name").inner_text()


def standing(folder, by="ann"):
    return Answers.of(Project.load(folder), by).standing()


def press(tab, key):
    """A key, and what the screen shows then."""
    with tab.expect_response("**/label/press") as answer:
        tab.keyboard.press(key)
    shown = re.search(r'data-version="(\d+)"', answer.value.text())[1]
    tab.wait_for_selector(f'#labeling [data-version="{shown}"]')


def label(tab):
    """Give the first label of each question, until another item is there."""
    before = item(tab)
    while item(tab) == before:
        press(tab, "1")


def focused(tab):
    return tab.evaluate("document.activeElement.textContent.trim()")


def tab_to(tab, text):
    """Go by Tab alone to what has a text."""
    for _ in range(80):
        tab.keyboard.press("Tab")
        if focused(tab) == text:
            return
    raise AssertionError(f"Tab does not lead to {text!r}")


def test_by_keyboard_alone_from_the_first_screen_to_labels_and_back(browser, running):
    with window(browser, running, by="kim") as tab:
        tab.keyboard.press("Tab")
        assert focused(tab) == "Skip to the content"
        tab_to(tab, "Label")
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/label")
        first = item(tab)
        texts = tab.locator("#labeling .record").inner_text()
        row = int(first.split()[-1])
        assert texts == Workbench(running.folder).contents().data["text"][row]

        # What sources say might sway people.
        assert tab.locator(".votes-shown").count() == 0
        press(tab, "v")
        shown = tab.locator(".votes-shown li").all_inner_texts()
        assert shown == [
            f"{name}: {value}" for name, value in item_view(Workbench(running.folder).contents(), row).votes
        ]
        press(tab, "v")
        assert tab.locator(".votes-shown").count() == 0

        press(tab, "?")
        told = tab.locator(".keys").inner_text()
        assert "skip the item" in told
        assert "take back" in told
        press(tab, "?")
        assert tab.locator(".keys").count() == 0

        press(tab, "1")
        assert item(tab) == first
        assert "Person" in tab.locator(".question").inner_text()
        press(tab, "2")
        second = item(tab)
        assert second != first
        assert [(one.item, one.answer) for one in standing(running.folder, "kim")] == [
            (row, {"entity": "Person", "person": "Lawyer"})
        ]
        # Votes are hidden again for each item.
        press(tab, "v")
        press(tab, "ArrowRight")
        assert tab.locator(".votes-shown").count() == 0
        third = item(tab)
        assert third not in (first, second)
        press(tab, "ArrowLeft")
        assert item(tab) == second
        assert len(standing(running.folder, "kim")) == 1

        press(tab, "Space")
        assert item(tab) == third
        assert [one.answer is None for one in standing(running.folder, "kim")] == [False, True]
        press(tab, "Backspace")
        assert item(tab) == second
        press(tab, "Backspace")
        assert item(tab) == first
        assert standing(running.folder, "kim") == []
        press(tab, "Backspace")
        assert "nothing to take back" in tab.locator("[role=status]").inner_text()
        press(tab, "z")
        assert "no key here" in tab.locator("[role=status]").inner_text()
        assert standing(running.folder, "kim") == []


def test_buttons_do_what_keys_do_and_typing_a_name_labels_nothing(browser, running):
    with window(browser, running) as tab:
        tab.goto(f"{running.home}/label")
        tab.get_by_label("Your name").fill("1 2 v")
        assert standing(running.folder) == []
        tab.get_by_label("Your name").fill("Żofia")
        tab.get_by_role("button", name="That is me").click()
        tab.wait_for_url("**/label")
        assert "skipped by Żofia" in tab.locator(".progress-line").inner_text()
        before = version(tab)
        tab.locator(".key", has_text="skip").click()
        tab.wait_for_selector(f'{PIECE}:not([data-version="{before}"])')
        assert [one.answer for one in standing(running.folder, "Żofia")] == [None]
        assert standing(running.folder) == []


def test_without_a_script_the_same_works(browser, running):
    with window(browser, running, by="noa", java_script_enabled=False) as tab:
        tab.goto(f"{running.home}/label?only=conflict")
        tab.locator(".key", has_text="Organization").click()
        tab.locator(".key", has_text="Office").click()
        assert tab.url.endswith("/label?only=conflict")
        assert [one.answer for one in standing(running.folder, "noa")] == [{"entity": "Organization", "org": "Office"}]


def test_a_filter_can_be_labeled(browser, running):
    with window(browser, running, by="fay") as tab:
        tab.goto(f"{running.home}/data?text=verdict")
        tab.get_by_role("link", name="Label these").click()
        tab.wait_for_url("**/label?text=verdict")
        for _ in range(3):
            assert "verdict" in tab.locator("#labeling .record").inner_text().lower()
            label(tab)
        assert len(standing(running.folder, "fay")) == 3


def test_of_two_tabs_the_one_that_is_behind_is_told_and_does_nothing(browser, running):
    with window(browser, running, by="tim") as one:
        one.goto(f"{running.home}/label")
        other = one.context.new_page()
        other.goto(f"{running.home}/label")
        first = item(one)
        assert item(other) == first
        label(one)
        second = item(one)
        assert len(standing(running.folder, "tim")) == 1

        press(other, "1")
        assert "another tab" in other.locator("[role=status]").inner_text()
        assert item(other) == second
        assert other.locator(".question").inner_text() == "entity?"  # and the key answered nothing
        assert len(standing(running.folder, "tim")) == 1
        # Now it is up to date, and the first one is behind once this one goes on.
        label(other)
        assert len(standing(running.folder, "tim")) == 2
        press(one, "Backspace")
        assert "another tab" in one.locator("[role=status]").inner_text()
        assert len(standing(running.folder, "tim")) == 2


def test_keys_that_come_fast_are_all_kept_in_order(browser, running):
    with window(browser, running, by="zoe") as tab:
        tab.goto(f"{running.home}/label")
        for key in "1112 21":
            tab.keyboard.press(key)
        until(lambda: len(standing(running.folder, "zoe")) == 4, "four answers")
        assert [one.answer for one in standing(running.folder, "zoe")] == [
            {"entity": "Person", "person": "Doctor"},
            {"entity": "Person", "person": "Lawyer"},
            None,
            {"entity": "Organization", "org": "Hospital"},
        ]


def test_killed_right_after_an_answer_nothing_is_lost(browser, copy_of):
    with started(copy_of, "--token", TOKEN) as studio:
        with window(browser, studio, may="ERR_") as tab:  # the answer was begun, and may be cut off
            tab.goto(f"{studio.home}/label")
            label(tab)
            label(tab)
            press(tab, "1")
            with tab.expect_response("**/label/press"):
                tab.keyboard.press("2")
            studio.kill()
        said = standing(copy_of)
        assert len(said) == 3
        assert said[-1].answer == {"entity": "Person", "person": "Lawyer"}
        after = Path(copy_of / "hand_labels.jsonl").read_text(encoding="utf-8")
        assert after.endswith("\n")
    with started(copy_of, "--token", TOKEN) as studio, window(browser, studio) as tab:
        tab.goto(f"{studio.home}/label")
        assert tab.locator(".progress-line b").inner_text() == "3"
        assert int(item(tab).split()[-1]) not in [one.item for one in said]
        label(tab)
        assert len(standing(copy_of)) == 4


def test_a_tab_whose_studio_is_gone_says_that_the_answer_was_not_kept(browser, copy_of):
    with started(copy_of) as studio, window(browser, studio, may="ERR_CONNECTION|ERR_EMPTY") as tab:
        tab.goto(f"{studio.home}/label")
        studio.kill()
        tab.keyboard.press(" ")
        tab.wait_for_selector("#labeling .fault")
        assert "was not kept" in tab.locator("#labeling .fault").inner_text()
    assert standing(copy_of) == []


def test_a_key_takes_a_tenth_of_a_second_at_most_on_the_server(running):
    """Loosely: machines that run tests do other things, too."""
    taken = []
    for _ in range(5):
        page = running.ask("/label", headers={"x-piece": "1"}).text
        shown = re.search(r'data-version="(\d+)"', page)[1]
        before = time.perf_counter()
        assert running.ask("/label/press", {"key": "v", "version": shown}, headers={"x-piece": "1"}).status == 200
        taken.append(time.perf_counter() - before)
    assert min(taken) < (1.0 if os.environ.get("CI") else 0.5)
