"""What people said in annotation tools: their exports, read as hand labels or as votes of a crowd."""

from assay.annotations.annotations import Annotation, Annotations
from assay.annotations.reading import read_annotations
from assay.annotations.tools import TOOLS

__all__ = ["TOOLS", "Annotation", "Annotations", "read_annotations"]
