"""Labels from votes and data together: what the data says, as one more source that was taught by the votes."""

from assay.endmodel.refinement.refining import refine

__all__ = ["refine"]
