"""The 68 third-party patterns: each says one coarse class or nothing, as stored in the column `votes`.

Their regular expressions are in the data's meta.json, in the same order.
"""

import assay

VALUES = ["DESC", "ENTY", "HUM", "ABBR", "LOC", "NUM"]  # what 0 to 5 stand for, as meta.json has it
SAYS = "EDDLHEDHNLHELDENLDELHDHEDDLLNDHNEDNDNNANNDLEHEDHNDDHEDDNEHENHHLNNLEA"
LABELS = {label[0]: label for label in VALUES}


def given(number, label):
    @assay.source(task="coarse", labels=[label], name=f"given_{number:02}_{label.lower()}")
    def source(row):
        return VALUES[row.votes[number]] if row.votes[number] >= 0 else None

    return source


given_patterns = [given(number, LABELS[letter]) for number, letter in enumerate(SAYS)]
