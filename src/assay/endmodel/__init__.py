"""End models: trained on the labels, they label items from their data alone.

Their names are loaded when they are first used: most need PyTorch, ``SklearnEndModel`` does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.endmodel.embeddings": ["Embeddings"],
    "assay.endmodel.encoder": ["Encoder"],
    "assay.endmodel.exported": ["ExportedEndModel"],
    "assay.endmodel.features": ["Features"],
    "assay.endmodel.lstm": ["BiLSTM"],
    "assay.endmodel.model": ["EndModel"],
    "assay.endmodel.neighbours": ["NeighbourModel"],
    "assay.endmodel.ngrams": ["NGrams"],
    "assay.endmodel.random_search": ["Between", "Search", "search"],
    "assay.endmodel.settings": ["NetworkSettings"],
    "assay.endmodel.sklearn_model": ["SklearnEndModel"],
    "assay.endmodel.streams": ["LabelStream", "is_stream"],
    "assay.endmodel.training_comparison": ["compare_training"],
}

__all__ = [
    "Between",
    "BiLSTM",
    "Embeddings",
    "Encoder",
    "EndModel",
    "ExportedEndModel",
    "Features",
    "LabelStream",
    "NGrams",
    "NeighbourModel",
    "NetworkSettings",
    "Search",
    "SklearnEndModel",
    "compare_training",
    "is_stream",
    "search",
]

if TYPE_CHECKING:
    from assay.endmodel.embeddings import Embeddings
    from assay.endmodel.encoder import Encoder
    from assay.endmodel.exported import ExportedEndModel
    from assay.endmodel.features import Features
    from assay.endmodel.lstm import BiLSTM
    from assay.endmodel.model import EndModel
    from assay.endmodel.neighbours import NeighbourModel
    from assay.endmodel.ngrams import NGrams
    from assay.endmodel.random_search import Between, Search, search
    from assay.endmodel.settings import NetworkSettings
    from assay.endmodel.sklearn_model import SklearnEndModel
    from assay.endmodel.streams import LabelStream, is_stream
    from assay.endmodel.training_comparison import compare_training

__getattr__ = lazy_names(globals(), _HOMES)
