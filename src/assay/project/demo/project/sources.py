"""A dozen sources: rules, functions, a knowledge base and two older models.

Every source assigned to a name in this file is used, and is called by that name.
"""

from pathlib import Path

import assay

HERE = Path(__file__).parent


@assay.preprocess
def words(row):
    """The words of a text, shared by the sources below: split once, not once a source."""
    return row.text.lower().replace(".", " ").replace(",", " ").split()


# Coarse: a person or an organisation?


@assay.source(task="entity")
def honorific(row):
    return "Person" if any(title in words(row) for title in ("mr", "ms", "prof", "esq")) else None


company_form = assay.regex(r"(General|Hospital|Health|LLP|Partners|Legal|Clinic)\b| & ", "Organization", on="text")

often_named = assay.threshold("mentions", "Organization", at_least=8)

tagger = assay.column("tagger", task="entity", confidence="tagger_score", at_least=0.5)

tagger2 = assay.column("tagger2", task="entity")  # trained on the first tagger's output: declare it dependent


# Fine: which kind of person or organisation?

doctor_title = assay.regex(r"\bDr\.", "Doctor", on="text")

bedside = assay.keywords(["patient", "blood", "surgery", "x-ray", "vaccine", "dose", "wound"], "Doctor", on="text")

courtroom = assay.keywords(["judge", "witness", "jury", "appeal", "bail", "verdict", "contract"], "Lawyer", on="text")

ward = assay.keywords(["ward", "beds", "nurses", "emergency", "ambulance", "patients"], "Hospital", on="text")

firm = assay.keywords(["firm", "clients", "partners", "paralegals", "pro bono", "contracts"], "Office", on="text")


@assay.source
def section(row):
    """Under which heading the text was printed. May speak about two tasks at once."""
    if row.section == "Hospitals":
        return {"entity": "Organization", "org": "Hospital"}
    if row.section == "Law firms":
        return {"entity": "Organization", "org": "Office"}
    return {"entity": "Person"} if row.section == "People" else None


knowledge_base = assay.dictionary(HERE / "known.jsonl", entry="name", labels="kind", on="text", case_sensitive=True)
