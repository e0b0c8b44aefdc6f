"""Answers that are kept: what was put is there, for everybody, whatever happens; and a damaged file is told of."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from assay.errors import DataError
from assay.llm import AnswerCache, Endpoint, Reply, Request, messages


def question(text, model="m"):
    endpoint = Endpoint(base_url="http://localhost/v1", model=model)
    return Request(endpoint, {"model": model, "messages": messages(text), "max_tokens": 3})


def reply(text="yes"):
    return Reply(text, True, (), 5, 1)


def test_what_was_put_is_there(tmp_path):
    path = tmp_path / "new" / "answers.sqlite"
    with AnswerCache(path) as cache:
        assert cache.get(question("a")) is None
        cache.put(question("a"), reply())
        cache.put(question("a"), reply("no"))  # the first answer stays
        assert cache.get(question("a")) == reply()
        assert cache.holds(question("a"))
        assert not cache.holds(question("b"))
    with AnswerCache(path) as again:
        assert again.get(question("a")) == reply()


def test_answers_of_one_form_tell_how_long_others_are(tmp_path):
    def asked(text, most):
        return Request(question(text).endpoint, {"model": "m", "messages": messages(text), "max_tokens": most})

    with AnswerCache(tmp_path / "answers.sqlite") as cache:
        for number in range(4):
            cache.put(asked(f"long {number}", 60), Reply("{}", True, (), 5, 30 + number))
            cache.put(asked(f"short {number}", 1), Reply("y", True, (), 5, 1))
        long, short, other = (asked("new", most) for most in (60, 1, 2))
        assert cache.answer_tokens(long.endpoint, long.form) == (4, 31.5)
        assert cache.answer_tokens(short.endpoint, short.form) == (4, 1.0)
        assert cache.answer_tokens(other.endpoint, other.form) == (0, 0.0)


def test_an_older_cache_is_used_on(tmp_path):
    path = tmp_path / "answers.sqlite"
    file = sqlite3.connect(path)
    file.execute(
        "CREATE TABLE answers (question BLOB PRIMARY KEY, url TEXT NOT NULL, model TEXT NOT NULL, reply TEXT NOT NULL, "
        "input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, characters INTEGER NOT NULL, at REAL NOT NULL"
        ") WITHOUT ROWID"
    )
    old = question("old")
    told = (old.digest, old.endpoint.chat_url, "m", reply().to_json(), 5, 1, 3, 0.0)
    file.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", told)
    file.commit()
    file.close()
    with AnswerCache(path) as cache, AnswerCache(path) as other:
        assert cache.get(old) == reply()
        other.put(question("new"), reply())
        assert cache.get(question("new")) == reply()
        assert cache.answer_tokens(old.endpoint, old.form) == (1, 1.0)


def test_questions_are_not_in_the_file(tmp_path):
    with AnswerCache(tmp_path / "answers.sqlite") as cache:
        cache.put(question("my private text"), reply())
    assert b"private" not in (tmp_path / "answers.sqlite").read_bytes()


def test_what_it_holds_and_forgets(tmp_path):
    with AnswerCache(tmp_path / "answers.sqlite") as cache:
        for text in "abc":
            cache.put(question(text), reply())
        cache.put(question("a", "n"), reply())
        found = [(one.model, one.answers, one.input_tokens, one.output_tokens) for one in cache.kept()]
        assert found == [("m", 3, 15, 3), ("n", 1, 5, 1)]
        assert cache.bytes > 0
        assert cache.clear(model="m") == 3
        assert [one.model for one in cache.kept()] == ["n"]
        assert cache.clear() == 1
        assert cache.kept() == []


WRITER = """
import sys
from tests.llm.test_cache import question, reply
from assay.llm import AnswerCache
cache = AnswerCache(sys.argv[1])
for number in range(100_000):
    cache.put(question(str(number)), reply())
    print(number, flush=True)
"""


def test_what_was_put_outlives_its_process(tmp_path):
    path = tmp_path / "answers.sqlite"
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    done = -1
    for line in process.stdout:
        done = int(line)
        if done == 200:
            os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with AnswerCache(path) as cache:
        assert all(cache.holds(question(str(number))) for number in range(done + 1))


def _put(path, name):
    with AnswerCache(path) as cache:
        for number in range(150):
            cache.put(question(f"{name} {number}"), reply(name))
            cache.put(question(f"both {number}"), reply("same"))


def test_two_processes_write_at_the_same_time(tmp_path):
    path = tmp_path / "answers.sqlite"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_put, args=(path, name)) for name in ("one", "other")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    with AnswerCache(path) as cache:
        assert sum(one.answers for one in cache.kept()) == 450
        assert cache.get(question("other 149")) == reply("other")


def test_a_damaged_file_is_told_of(tmp_path):
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"not a database, but long enough to be looked at" * 10)
    with pytest.raises(DataError, match=r"cannot use the cache of answers .*; if it is damaged, remove it"):
        AnswerCache(path)


def test_an_answer_that_is_none_is_told_of(tmp_path):
    with AnswerCache(tmp_path / "answers.sqlite") as cache:
        cache.put(question("a"), reply())
        cache._file.execute("UPDATE answers SET reply = '[1, 2]'")
        with pytest.raises(DataError, match="something that is no answer"):
            cache.get(question("a"))


def test_a_file_that_cannot_be_is_told_of(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot use the cache"):
        AnswerCache(tmp_path / "file" / "answers.sqlite")
