"""Optional packages: how to install what is missing, in a way that works for how Assay itself was installed."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from urllib.parse import unquote, urlparse


def how_to_install(extra: str) -> str:
    """The command that brings an extra: from the checkout or file that Assay came from, or else by its name.

    >>> how_to_install("torch").startswith("pip install '")
    True
    """
    return f"pip install '{_origin()}[{extra}]'"


def _origin() -> str:
    """Where Assay was installed from: a folder or wheel, which pip notes down, or its name."""
    try:
        noted = distribution("assay").read_text("direct_url.json")
        url = urlparse(json.loads(noted)["url"]) if noted else None
    except (PackageNotFoundError, ValueError, KeyError, TypeError):
        return "assay"
    return unquote(url.path) if url is not None and url.scheme == "file" else "assay"
