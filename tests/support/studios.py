"""Studios for tests: real processes, asked over plain HTTP or in a browser."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

NAME_COOKIE = "assay_name"
TOKEN = "a-key-that-nobody-guesses"
_LONGEST_WAIT = 60.0


@dataclass
class Studio:
    """A studio that runs."""

    process: subprocess.Popen[str]
    folder: Path
    link: str

    @property
    def host(self) -> str:
        """Name and port."""
        return self.link.split("/")[2]

    @property
    def home(self) -> str:
        """Where its pages are."""
        return f"http://{self.host}"

    def ask(
        self,
        path: str,
        form: Mapping[str, str] | None = None,
        *,
        method: str | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Answer:
        """A request as a browser of somebody who may use it would send it, but for the headers that are given.

        A header that is None is left out.
        """
        posts = form is not None
        cookie, csrf = keys_of(self)
        sent: dict[str, str | None] = {"host": self.host, "cookie": cookie}
        if posts:
            sent |= {"origin": self.home, "content-type": "application/x-www-form-urlencoded", "x-csrf-token": csrf}
        sent |= headers or {}
        return raw(self.host, method or ("POST" if posts else "GET"), path, urlencode(form) if posts else None, sent)

    def kill(self) -> None:
        """As a power cut would end it."""
        self.process.kill()
        self.process.wait()


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str


def keys_of(studio: Studio) -> tuple[str, str]:
    """The cookie of a studio, as a header, and the token of its forms."""
    from assay.studio.security import Keys

    keys = Keys(studio.link.partition("token=")[2])
    return f"assay_studio_{studio.host.rpartition(':')[2]}={keys.cookie}", keys.form_token


def raw(host: str, method: str, path: str, body: str | None, headers: Mapping[str, str | None]) -> Answer:
    """A request with these headers and no others; the path is sent as it is."""
    line = http.client.HTTPConnection(host, timeout=30)
    try:
        line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value is not None:
                line.putheader(name, value)
        data = None if body is None else body.encode()
        if data is not None:
            line.putheader("content-length", str(len(data)))
        line.endheaders(data)
        answer = line.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, found, answer.read().decode())
    finally:
        line.close()


def command(*arguments: str) -> list[str]:
    """The command line, as it is installed beside this Python."""
    return [str(Path(sys.executable).with_name("assay")), *arguments]


@contextmanager
def started(folder: Path, *options: str, port: int = 0, by: str = "ann") -> Iterator[Studio]:
    """A studio of a project in a process of its own, by default on a port that is free; it ends with the block."""
    process = subprocess.Popen(
        command("studio", str(folder), "--port", str(port), "--by", by, *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield Studio(process, folder, _link(process))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _link(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    told = []
    for line in process.stdout:
        told.append(line)
        found = re.search(r"http://\S+token=\S+", line)
        if found:
            return found[0]
    raise AssertionError("the studio did not start: " + "".join(told))


@contextmanager
def window(
    browser: Any, studio: Studio, *, width: int = 1280, by: str = "", may: str = "", **settings: Any
) -> Iterator[Any]:
    """A tab that was let into a studio. It must not complain, nor ask for anything beyond the studio.

    ``by`` is the name that a person gave in this browser; complaints that match the pattern ``may`` are expected.
    """
    complaints: list[str] = []
    opened = browser.new_context(viewport={"width": width, "height": 900}, **settings)
    opened.set_default_timeout(20_000)
    if by:
        opened.add_cookies([{"name": NAME_COOKIE, "value": quote(by), "url": studio.home}])

    def watch(tab: Any) -> None:
        tab.on("console", lambda message: complaints.append(f"console: {message.text}"))
        tab.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        tab.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        tab.on("requestfailed", lambda asked: complaints.append(f"failed: {asked.url} {asked.failure}"))
        tab.on("request", lambda asked: None if _is_known(asked.url, studio) else complaints.append(asked.url))
        tab.on(
            "response",
            lambda got: None if got.status < 400 else complaints.append(f"status {got.status}: {got.url}"),
        )

    opened.on("page", watch)
    tab = opened.new_page()
    tab.goto(studio.link)
    try:
        yield tab
    finally:
        opened.close()
    # What a page no longer waits for, since something newer was asked, is no failure.
    left = [told for told in complaints if not re.search(f"ERR_ABORTED|{may}" if may else "ERR_ABORTED", told)]
    assert not left, left


def _is_known(url: str, studio: Studio) -> bool:
    return url.startswith((f"{studio.home}/", "data:,"))


def until(holds: Callable[[], Any], why: str, seconds: float = _LONGEST_WAIT) -> Any:
    """What a function gives once it gives something that holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds:.0f} s for {why}")
