"""What people said in annotation tools: their exports, read as hand labels or as votes of a crowd."""

from assay.annotations.annotations import Annotation, Annotations
from assay.annotations.plain_tables import LabelColumns
from assay.annotations.reading import read_annotations, read_as
from assay.annotations.tools import TOOLS, Wanted

__all__ = ["TOOLS", "Annotation", "Annotations", "LabelColumns", "Wanted", "read_annotations", "read_as"]
