"""The 68 third-party patterns: each says one coarse class or nothing, as stored in the column `votes`."""

import assay

COARSE = ["DESC", "ENTY", "HUM", "ABBR", "LOC", "NUM"]  # what 0 to 5 stand for, as the data's meta.json has it
PATTERNS = 68


def given(number):
    @assay.source(task="coarse", name=f"given_{number:02}")
    def source(row):
        return COARSE[row.votes[number]] if row.votes[number] >= 0 else None

    return source


given_patterns = [given(number) for number in range(PATTERNS)]
