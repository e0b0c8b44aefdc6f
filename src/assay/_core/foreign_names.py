"""Names of other libraries that people look for in the package, and what to use here instead.

Apart from all else, since the package itself asks for them when it is imported.
"""

from __future__ import annotations

INSTEAD_OF_NAMES = {
    **dict.fromkeys(["labeling_function", "LabelingFunction", "nlp_labeling_function"], "@assay.source makes a source"),
    **dict.fromkeys(
        ["LFApplier", "PandasLFApplier", "PandasParallelLFApplier", "DaskLFApplier", "SparkLFApplier"],
        "assay.apply(sources, data) applies sources",
    ),
    "LFAnalysis": "votes.summary(gold) tells what sources do",
    "MajorityLabelVoter": "assay.MajorityVote is the majority vote",
    "filter_unlabeled_dataframe": "model.label(votes).voted() has the labels of items with votes",
    "probs_to_preds": "model.predict(votes) gives class numbers",
    **dict.fromkeys(["slicing_function", "slice_dataframe"], "assay.evaluate(labels, gold, slices=...) scores slices"),
    "preprocessor": "@assay.preprocess declares what functions share",
    "Scorer": "assay.evaluate(labels, gold) scores",
    **dict.fromkeys(["GLAD", "MACE", "MMSR", "Wawa", "ZeroBasedSkill"], "assay.aggregate(table) weighs workers"),
}
"""Names that people coming from Snorkel and crowd-kit look for in the package."""
