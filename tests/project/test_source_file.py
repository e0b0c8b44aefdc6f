"""A file of sources: what it says, what is wrong with it, and edits that touch nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import none_of, one_of
from assay.project import SourceFile, read_sources, source_toml

MEDICINE = """\
[[source]]            # the first one
name = "medicine"     # words of doctors
keywords = [
  "patient",          # often
  "surgery",
]
label = "Doctor"
on    = "text"
"""
LAW = """\
[[source]]
name = 'law'
on = 'text'
keywords = {Lawyer = ["court", "judge"], Doctor = ["clinic"]}
"""
VOTES = """\
[[source]]
name = "votes"
column = "said"
[source.mapping]      # what they wrote
dr = "Doctor"
pro = {one_of = ["Doctor", "Lawyer"]}
"no" = {none_of = ["Doctor"]}
"?" = false
"""
COMMENTS = ["# Sources of the project.   Do not sort!\n\n", "\n# What lawyers say.\n\n", "\n# At the end.\n"]
LAST = "# Last words.\n"
TEXT = COMMENTS[0] + MEDICINE + COMMENTS[1] + LAW + COMMENTS[2] + VOTES + LAST


@pytest.fixture
def tasks():
    return assay.TaskGraph([
        assay.Task("entity", ["Person", "Organization"]),
        assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
    ])  # fmt: skip


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "sources.toml"
    path.write_text(TEXT)
    return path


def test_sources_are_what_the_file_says(path, tasks):
    votes = assay.apply(
        read_sources(path, tasks),
        {"text": ["Patient in court", "the judge", None], "said": ["pro", "no", "?"]},
        tasks,
    )
    assert votes.names == ("medicine", "law", "votes")
    assert votes.to_pandas().T.to_numpy().tolist() == [
        ["Doctor", None, None],
        ["Lawyer", "Lawyer", None],
        ["Doctor or Lawyer", "not Doctor", None],
    ]
    file = SourceFile.read(path)
    assert [(one.name, one.kind, one.enabled) for one in file.declared] == [
        ("medicine", "keywords", True), ("law", "keywords", True), ("votes", "column", True),
    ]  # fmt: skip
    assert file["law"].where == "[[source]] number 2 ('law', line 14)"


def test_an_edit_changes_its_source_and_not_a_byte_besides(path):
    file = SourceFile.read(path)
    assert file.switch("medicine", on=False).text == TEXT.replace(MEDICINE, MEDICINE + "enabled = false\n")
    assert file.switch("law", on=False).switch("law", on=True).text == TEXT
    off = file.switch("votes", on=False)
    assert off.text.startswith(TEXT[: TEXT.index(VOTES)])
    assert off.text.endswith("# Last words.\n")
    assert not off["votes"].enabled
    assert off["votes"].said["mapping"] == file["votes"].said["mapping"]
    assert "# what they wrote" in off.text
    rule = assay.keywords(["patient", "surgeon"], "Doctor", on="text", name="medicine")
    changed = file.replace("medicine", rule).text
    before, _, after = TEXT.partition(MEDICINE)
    assert changed.startswith(before)
    assert changed.endswith(after)
    assert 'name = "medicine"     # words of doctors\n' in changed
    assert file.replace("law", {**file["law"].said, "on": "title"}).text == TEXT.replace("on = 'text'", 'on = "title"')


def test_another_rule_takes_the_place_of_one(path):
    file = SourceFile.read(path)
    new = file.replace("law", assay.regex(r"\bjudge", none_of("Doctor"), on="text", name="judge"))
    assert new.names == ("medicine", "judge", "votes")
    before, _, after = TEXT.partition(LAW)
    assert new.text.startswith(before)
    assert new.text.endswith(after)
    assert new["judge"].said == {"name": "judge", "regex": r"\bjudge", "label": {"none_of": ["Doctor"]}, "on": "text"}


def test_adding_and_removing(path):
    file = SourceFile.read(path)
    rule = assay.threshold("age", one_of("Doctor", "Lawyer"), above=30, name="old")
    more = file.add(rule)
    assert more.text == TEXT + "\n" + source_toml(rule)
    assert more.remove("old").text == TEXT
    fewer = file.remove("law")
    assert fewer.text == TEXT.replace(LAW + "\n", "")
    assert fewer.names == ("medicine", "votes")
    assert file.remove("medicine").text == TEXT.replace(MEDICINE + "\n", "")
    assert file.remove("votes").text == TEXT.replace(VOTES, "")
    empty = file.remove("votes").remove("law").remove("medicine")
    assert empty.names == ()
    assert [line for line in TEXT.splitlines() if line.startswith("#")] == [
        line for line in empty.text.splitlines() if line
    ]


def test_line_ends_of_windows_stay(path):
    windows = TEXT.replace("\n", "\r\n")
    path.write_bytes(windows.encode())
    file = SourceFile.read(path)
    off = file.switch("medicine", on=False).text
    assert off == TEXT.replace(MEDICINE, MEDICINE + "enabled = false\n").replace("\n", "\r\n")
    more = file.add({"name": "new", "regex": "x", "label": "Doctor", "on": "text"})
    assert more.text.startswith(windows)
    assert more.text.count("\n") == more.text.count("\r\n")
    more.save()
    assert path.read_bytes().decode() == more.text


@given(st.data())
def test_any_edits_leave_the_others_as_they_were(data):
    """Whatever is done to one source, the text of the others, and what is between them, is found again in order."""
    from pathlib import Path

    file = SourceFile(Path("sources.toml"), TEXT)
    edited = data.draw(st.sampled_from(["medicine", "law", "votes"]))
    others = [text for name, text in (("medicine", MEDICINE), ("law", LAW), ("votes", VOTES)) if name != edited]
    for _ in range(data.draw(st.integers(1, 4))):
        match data.draw(st.sampled_from(["off", "on", "replace", "add"])):
            case "off":
                file = file.switch(edited, on=False)
            case "on":
                file = file.switch(edited, on=True)
            case "replace":
                label = data.draw(
                    st.sampled_from(["Doctor", one_of("Doctor", "Lawyer"), {"person": none_of("Doctor")}])
                )
                words = data.draw(st.lists(st.text("abc#'\"\\[]\n", min_size=1), min_size=1).filter(is_words))
                file = file.replace(edited, assay.keywords(words, label, on="text", name=edited))
            case "add":
                file = file.add(assay.regex("x", "Doctor", on="text", name=f"new{len(file.names)}"))
        at = 0
        for text in [*COMMENTS, LAST]:
            at = file.text.index(text, at)
        for text in others:
            assert file.text.count(text) == 1
    assert [name for name in file.names if not name.startswith("new")] == ["medicine", "law", "votes"]


def is_words(words):
    return all(word.strip() for word in words)


def test_the_end_of_a_file_may_lack_its_newline_and_line_ends_may_be_mixed(path):
    mixed = TEXT.replace("\n", "\r\n", 4).removesuffix("\n")
    more = SourceFile(path, mixed).add(assay.regex("x", "Doctor", on="text", name="new"))
    assert more.text.startswith(mixed)
    assert more.names[-1] == "new"
    off = SourceFile(path, mixed.removesuffix("\n" + LAST.rstrip())).switch("votes", on=False)
    assert off.text.startswith(mixed[: mixed.index(VOTES.splitlines()[1]) - len("[[source]]\n")])
    assert not off["votes"].enabled


def test_an_edit_needs_only_what_it_is_about(path):
    """A file of names that is gone is told of when it is needed, not when something else is edited."""
    file = SourceFile(
        path, TEXT + "\n[[source]]\nname = 'gone'\ndictionary = 'gone.txt'\nlabel = 'Doctor'\non = 'text'\n"
    )
    assert not file.switch("law", on=False)["law"].enabled
    with pytest.raises(assay.ProjectError, match=r"number 4 \('gone', line 30\): dictionary\(\) cannot read"):
        file.sources()
    with pytest.raises(assay.ProjectError, match=r"number 1 \('medicine', line 3\): regex\(\) cannot use the pattern"):
        file.replace("medicine", {"name": "medicine", "regex": "(", "label": "Doctor", "on": "text"})


def test_a_new_file_is_made(tmp_path):
    path = tmp_path / "sources.toml"
    with pytest.raises(assay.ProjectError, match="there is no file"):
        SourceFile.read(path)
    rule = assay.column("said", mapping={"x": "Doctor"}, name="votes")
    saved = SourceFile.read(path, missing_ok=True).add(rule).save()
    assert path.read_text() == source_toml(rule)
    saved.remove("votes").save()
    assert path.read_text() == ""


def test_a_file_that_somebody_else_changed_is_not_overwritten(path):
    file = SourceFile.read(path).switch("law", on=False)
    path.write_text(TEXT + "# a new thought\n")
    with pytest.raises(assay.ProjectError, match=r"was changed since it was read; read it again"):
        file.save()
    assert path.read_text().endswith("# a new thought\n")


def test_a_killed_write_leaves_the_old_file(path):
    code = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from assay.project import SourceFile
        real = Path.write_bytes
        def write(self, data):
            real(self, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        file = SourceFile.read(sys.argv[1]).switch("law", on=False)
        Path.write_bytes = write
        file.save()
        """
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], env={**os.environ}, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == TEXT
    SourceFile.read(path).switch("law", on=False).save()
    assert "enabled = false" in path.read_text()


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("keywords = []\nlabel = 'Doctor'\non = 'text'", "keywords needs 1 entry or more, but is []"),
        ("keywords = ['a', 3]\nlabel = 'Doctor'\non = 'text'", "keywords, entry 2 must be a string, but is 3"),
        ("keywords = 3\nlabel = 'Doctor'\non = 'text'", "keywords must be a string or a list, but is 3"),
        ("keywords = ['a']\nlabel = 'Doctor'", 'needs on = "...", but it is missing'),
        ("keywords = ['a']\non = 'text'", 'needs label = "...", the label to vote for'),
        ("keywords = {Doctor = ['a']}\nlabel = 'Doctor'\non = 'text'", "keywords has labels of its own"),
        ("keywords = ['a']\nlabl = 'Doctor'\non = 'text'", "has the unknown key 'labl'. Did you mean 'label'?"),
        ("keywords = [{words = ['a']}]\non = 'text'", 'keywords, entry 1 needs label = "...", but it is missing'),
        ("keywords = [{words = 'a', label = {person = 'Doctor'}}]\non = 'text'", "needs a source of its own"),
        ("keywords = ['a']\nlabel = 3\non = 'text'", "label must be a label name, { one_of"),
        ("keywords = ['a']\nlabel = ['Doctor']\non = 'text'", "or a table of task = label, but is ['Doctor']"),
        ("keywords = ['a']\nlabel = {oneof = ['Doctor']}\non = 'text'", "label must be a label name, { one_of"),
        ("keywords = ['a']\nlabel = {one_of = []}\non = 'text'", "one_of() needs at least one label"),
        ("keywords = ['a']\nlabel = 'Docter'\non = 'text'", "no task has the label 'Docter'. Did you mean 'Doctor'?"),
        ("keywords = ['a']\nlabel = {one_of = ['Person', 'Organization']}\non = 'text'", "so it says nothing"),
        ("keywords = ['a']\nlabel = 'Doctor'\ntask = 'persn'\non = 'text'", "there is no task 'persn'. Did you mean"),
        ("keywords = ['a']\nlabel = 'Doctor'\nenabled = 'no'\non = 'text'", "enabled must be a boolean, but is 'no'"),
        ("regex = '('\nlabel = 'Doctor'\non = 'text'", "regex() cannot use the pattern '('"),
        ("regex = ['x']\nlabel = 'Doctor'\non = 'text'", "regex must be a string, but is ['x']"),
        ("threshold = 'age'\nabove = 3", 'needs label = "...", but it is missing'),
        ("threshold = 'age'\nlabel = 'Doctor'", "needs a bound: above, at_least, below or at_most"),
        ("threshold = 'age'\nlabel = false\nabove = 1", 'needs label = "...", the label to vote for'),
        ("threshold = 'age'\nlabel = 'Doctor'\nabove = '3'", "above must be"),
        ("dictionary = 'gone.txt'\nlabel = 'Doctor'\non = 'text'", "dictionary() cannot read"),
        ("dictionary = ['x']\non = 'text'", "or entries that bring their own"),
        ("dictionary = ['x']\nlabel = 'Doctor'\non = 'text'\nmatch = 'start'", "match must be 'inside' or 'equal'"),
        ("column = 'said'\nmapping = {x = 3}", "mapping, x must be a label name"),
        ("crowd = 'gone.csv'\nkey = 'id'", "gone.csv"),
        ("keyword = ['a']\nlabel = 'Doctor'", "says nothing of how it votes: give it one of keywords, regex"),
        ("regex = 'a'\nkeywords = ['a']\nlabel = 'Doctor'\non = 'text'", "has both keywords and regex"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(tmp_path, tasks, entry, says):
    path = tmp_path / "sources.toml"
    path.write_text(f"# a comment\n\n[[source]]\nname = 'words'\n{entry}\n")
    with pytest.raises(assay.ProjectError) as caught:
        read_sources(path, tasks)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{path}: [[source]] number 1 ('words', line 3)")


def test_all_that_is_wrong_is_told_at_once(tmp_path, tasks):
    path = tmp_path / "sources.toml"
    path.write_text(
        "title = 'x'\n[[source]]\nregex = 'a'\nlabel = 'Doctor'\non = 3\n"
        "[[source]]\nname = 'a'\n[[source]]\nname = 'b'\ncolumn = 'c'\n[[source]]\nname = 'b'\ncolumn = 'd'\n"
    )
    with pytest.raises(assay.ProjectError) as caught:
        read_sources(path, tasks)
    assert str(caught.value).replace(str(path), "F").splitlines() == [
        "F: the file has the unknown key 'title'. Known: 'source'. Each source starts with [[source]]",
        "F: [[source]] number 1 (line 2), on must be a string, but is 3",
        'F: [[source]] number 1 (line 2) needs name = "...", but it is missing',
        "F: [[source]] number 2 ('a', line 6) says nothing of how it votes: give it one of keywords, regex, "
        "dictionary, threshold, column, crowd, prompt.",
        "F: [[source]] number 4 ('b', line 11) has the same name as [[source]] number 3 ('b', line 8); give each "
        "source its own",
    ]


def test_all_sources_that_cannot_be_made_are_told_of(path, tasks):
    path.write_text(TEXT.replace('"Doctor"\non', '"Docter"\non').replace("Lawyer = [", "Lawyr = ["))
    with pytest.raises(assay.ProjectError) as caught:
        read_sources(path, tasks)
    assert [line.partition(": ")[2] for line in str(caught.value).splitlines()] == [
        "[[source]] number 1 ('medicine', line 3): no task has the label 'Docter'. Did you mean 'Doctor'?",
        "[[source]] number 2 ('law', line 14): no task has the label 'Lawyr'. Did you mean 'Lawyer'?",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[source\n", "cannot read"),
        ("source = 3\n", "source must be a list of tables: start each source with"),
        ("[source]\nname = 'x'\n", "source must be a list of tables: start each source with"),
        ("[[sources]]\nname = 'x'\n", "unknown key 'sources'. Did you mean 'source'?"),
    ],
)
def test_a_file_that_is_not_one_of_sources(tmp_path, text, says):
    (tmp_path / "sources.toml").write_text(text)
    with pytest.raises(assay.ProjectError) as caught:
        read_sources(tmp_path / "sources.toml")
    assert says in str(caught.value)


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "sources.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(assay.ProjectError, match="cannot read"):
        read_sources(tmp_path / "sources.toml")


def test_edits_that_cannot_be_are_refused(path):
    file = SourceFile.read(path)
    with pytest.raises(assay.ProjectError, match=r"has no source 'lw'. Did you mean 'law'\?"):
        file.remove("lw")
    with pytest.raises(assay.ProjectError, match="has a source called 'law' already; replace it"):
        file.add({"name": "law", "regex": "x", "label": "Doctor", "on": "text"})
    with pytest.raises(assay.ProjectError, match="has a source called 'law' already; choose another name"):
        file.replace("votes", {"name": "law", "regex": "x", "label": "Doctor", "on": "text"})
    with pytest.raises(assay.ProjectError, match=r"number 4 \('new', line 30\), on must be a string"):
        file.add({"name": "new", "regex": "x", "label": "Doctor", "on": 3})
    listed = SourceFile(path, "source = [{name = 'a', column = 'c'}]\n")
    assert listed.names == ("a",)
    with pytest.raises(assay.ProjectError, match=r"cannot be edited: start each source with a line \[\[source\]\]"):
        listed.remove("a")
