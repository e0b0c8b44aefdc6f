"""The end model: what is trained on the labels, and generalises beyond the sources."""
