"""A small ``assay.toml`` that is as it should be."""

GOOD = """
[data]
path = "data.jsonl"

[[tasks]]
name = "entity"
labels = ["Person", "Organization"]

[[tasks]]
name = "person"
labels = ["Doctor", "Lawyer"]
parent = ["entity", "Person"]

[sources]
modules = ["sources.py"]
"""
