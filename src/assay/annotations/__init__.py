"""What people said in annotation tools: their exports, read as hand labels or as votes of a crowd."""

from assay.annotations.annotations import Annotation, Annotations
from assay.annotations.plain_tables import LabelColumns
from assay.annotations.reading import read_annotations, read_as
from assay.annotations.tools import TOOLS, Wanted, is_mturk

__all__ = ["TOOLS", "Annotation", "Annotations", "LabelColumns", "Wanted", "is_mturk", "read_annotations", "read_as"]
