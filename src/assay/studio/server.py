"""Starting the studio: where it listens, who gets its link, and how it ends."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from threading import current_thread, main_thread

from assay.errors import ProjectError
from assay.studio.app import create_app
from assay.studio.security import Keys
from assay.studio.warming import keep_ready

PORT = 8765
_SHORTEST_TOKEN = 16
_PORTS_TRIED = 20


def serve(
    folder: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    token: str | None = None,
    by: str = "me",
    told: Callable[[str], None] = print,
) -> None:
    """Serve the studio of a project until it is interrupted.

    Parameters
    ----------
    host
        Where to listen. Any other place than this machine itself needs a ``token``.
    port
        By default the first that is free, from 8765 on.
    token
        The key that the link carries; by default a new one each time.
    by
        Who labels, unless a person gives another name in the browser.
    told
        Is given the link, and what to mind.

    Raises
    ------
    ProjectError
        If the token is missing where it is needed, too short, or the port is taken.
    """
    import uvicorn

    _check_token(host, token)
    keys = Keys.new() if token is None else Keys(token)
    listening = _listening(host, port)
    taken: int = listening.getsockname()[1]
    names = _names(host, taken)
    app = create_app(folder, keys=keys, hosts=names, cookie=f"assay_studio_{taken}", by=by)
    if not is_loopback(host):
        told(
            f"warning: the studio listens on {host}, where others can reach it, without encryption: whoever has the "
            "link can read the data and change the project"
        )
    told(f"the studio of {folder} is at http://{names[0]}/?token={keys.token}")
    told("Ctrl-C ends it; everything is in the project's own files")
    keep_ready(app.state.workbench)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2))
    if current_thread() is main_thread():
        # The server ends in order by itself, and then raises the signal again; there is nothing to be told about it.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        told("the studio has ended")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _check_token(host: str, token: str | None) -> None:
    if token is None and not is_loopback(host):
        raise ProjectError(
            f"on {host} others can reach the studio, so choose a key for it: --token, with {_SHORTEST_TOKEN} or more "
            "characters that nobody guesses"
        )
    if token is not None and (len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
        raise ProjectError(f"the token needs {_SHORTEST_TOKEN} or more plain characters, so that nobody guesses it")


def _listening(host: str, port: int | None) -> socket.socket:
    wanted = range(PORT, PORT + _PORTS_TRIED) if port is None else [port]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    fault: OSError | None = None
    for number in wanted:
        made = socket.socket(family)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host.strip("[]"), number))
            made.listen(128)
            return made
        except OSError as error:
            made.close()
            fault = error
    place = f"port {port}" if port is not None else f"any of the ports {PORT} to {PORT + _PORTS_TRIED - 1}"
    raise ProjectError(f"cannot listen on {host}, {place}: {fault}; choose another with --port") from fault


def _names(host: str, port: int) -> list[str]:
    """The names under which browsers may ask for the studio, the one to print first."""
    if is_loopback(host):
        return [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")]
    if host in ("0.0.0.0", "::"):  # noqa: S104  compared with, not listened on
        every = [socket.gethostname(), socket.getfqdn(), "localhost", "127.0.0.1"]
        return [f"{name}:{port}" for name in dict.fromkeys([*every, *_addresses()])]
    return [f"{f'[{host}]' if ':' in host else host}:{port}"]


def _addresses() -> list[str]:
    try:
        return [str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    except OSError:
        return []
