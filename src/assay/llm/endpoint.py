"""Where a model is asked: a server that speaks OpenAI's chat completions, and the environment variable with its key."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.errors import SourceError

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A model behind a URL.

    A key is known here by the name of the environment variable that holds it, and looked up only when a request is
    sent: it is in no file, no message and no repr.

    >>> Endpoint(base_url="http://127.0.0.1:8080/v1/", model="smollm2").chat_url
    'http://127.0.0.1:8080/v1/chat/completions'
    """

    base_url: str
    """As OpenAI's clients have it, most often ending in ``/v1``."""
    model: str
    key: str | None = None
    """The name of an environment variable; None if the server asks for no key."""

    def __post_init__(self) -> None:
        check_url(self.base_url)
        check_key_name(self.key)
        if not isinstance(self.model, str) or not self.model:
            raise SourceError(f"model must be the name of a model, but is {self.model!r}")

    @property
    def chat_url(self) -> str:
        """Where questions are sent."""
        return f"{self.base_url.rstrip('/')}/chat/completions"

    @property
    def root_url(self) -> str:
        """Where servers have what is not OpenAI's, such as their tokenizer: without ``/v1``."""
        return self.base_url.rstrip("/").removesuffix("/v1")

    def headers(self) -> dict[str, str]:
        """What a request brings along; the key, if there is one.

        Raises
        ------
        SourceError
            If the environment variable is not set.
        """
        if self.key is None:
            return {}
        value = os.environ.get(self.key, "").strip()
        if not value:
            raise SourceError(
                f"the key of {self.base_url} is expected in the environment variable {self.key}, which is not set; "
                f"set it (export {self.key}=...), or leave out key"
            )
        if not value.isascii() or not value.isprintable():
            raise SourceError(f"the environment variable {self.key} holds characters that no key has")
        return {"Authorization": f"Bearer {value}"}


def check_url(url: object) -> None:
    """Refuse what is no URL of a server, or brings a password along."""
    wanted = "base_url must be the URL of a server, such as 'http://127.0.0.1:8080/v1'"
    if not isinstance(url, str):
        raise SourceError(f"{wanted}, but is {url!r}")
    try:
        parts = urlsplit(url)
        has_password = "@" in parts.netloc
    except ValueError as error:
        raise SourceError(f"{wanted}, but {error}") from None
    if has_password:  # not quoted, since it is a secret
        raise SourceError(f"{wanted}, without a user or password in it; give key= the name of an environment variable")
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise SourceError(f"{wanted}, but is {url!r}")


def check_key_name(key: object) -> None:
    """Refuse what is no name of an environment variable; it may be a key, so it is not quoted."""
    if key is not None and (not isinstance(key, str) or not _VARIABLE.fullmatch(key) or _looks_like_a_key(key)):
        raise SourceError(
            "key must be the name of an environment variable, such as 'OPENAI_API_KEY', never the key itself; "
            "what was given is not shown here, since it may be one"
        )


def _looks_like_a_key(text: str) -> bool:
    return len(text) > 20 and any(map(str.isdigit, text)) and not text.isupper()
