"""Why an item got its label: what each source contributed, in log-odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.model.parameters import TINY
from assay.model.scoring import Scoring

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Explanation:
    """The contributions to the label of an item.

    Rows of ``table`` are the class balance, every source that voted (dependent
    sources together) and the abstentions; columns are outcomes. Entries are
    log-odds against the geometric mean of all outcomes: they sum to the row
    *total*, and the softmax of that is the posterior.
    """

    table: pd.DataFrame
    posterior: FloatArray
    """(outcomes,), concatenated over components."""
    item: int | str | None = None
    """The name of the item, if it has one."""

    @classmethod
    def joined(cls, parts: Sequence[Explanation]) -> Explanation:
        """The explanations of several components as one, with the outcomes of all as columns."""
        if len(parts) == 1:
            return parts[0]
        import pandas as pd

        rows = dict.fromkeys(row for part in parts for row in part.table.index if row != "total")
        # A source that does not vote on a component contributes nothing to it.
        table = pd.concat([part.table.reindex([*rows, "total"], fill_value=0.0) for part in parts], axis=1)
        return cls(table, np.concatenate([part.posterior for part in parts]))

    def refined(self, posterior: Sequence[FloatArray]) -> Explanation:
        """The explanation of a label that data was added to: what it adds is a row of its own.

        ``posterior`` is, per component, (outcomes,): the refined label.
        """
        total = np.concatenate([_centred(np.log(np.maximum(part, TINY))) for part in posterior])
        table = self.table.drop(index="total")
        table.loc["data"] = total - self.table.loc["total"].to_numpy()
        table.loc["total"] = total
        return replace(self, table=table, posterior=np.concatenate(posterior))

    def __str__(self) -> str:
        return self._named.to_string()

    def _repr_html_(self) -> str:
        html: str = self._named.to_html()
        return html

    @property
    def _named(self) -> pd.DataFrame:
        """As it is shown: with the item's name, which is not its row number, in the corner."""
        table = self.table.round(2)
        return table if self.item is None else table.rename_axis(columns=f"item {self.item!r}")


def explain(
    scoring: Scoring,
    codes: npt.NDArray[np.integer],
    names: Sequence[str],
    texts: Sequence[str | None],
    outcomes: Sequence[Mapping[str, str | None]],
    uncorrected: Scoring | None = None,
) -> Explanation:
    """Explain the label of one row of votes.

    Parameters
    ----------
    codes
        (sources,): the row.
    names, texts
        Per source its name, and its vote.
    outcomes
        The outcomes, as dicts.
    uncorrected
        The scoring before it was corrected by gold: what gold changed is then a row of its own.
    """
    import pandas as pd

    rows = _contributions(scoring if uncorrected is None else uncorrected, codes, names, texts)
    total = np.sum(list(rows.values()), axis=0)
    if uncorrected is not None:
        with_gold = np.sum(list(_contributions(scoring, codes, names, texts).values()), axis=0)
        rows["hand labels"] = with_gold - total
        total = with_gold
    chances = np.exp(total - total.max())
    rows["total"] = total
    frame = pd.DataFrame(rows, index=[outcome_text(outcome) for outcome in outcomes]).T
    return Explanation(frame, chances / chances.sum())


def _contributions(
    scoring: Scoring, codes: npt.NDArray[np.integer], names: Sequence[str], texts: Sequence[str | None]
) -> dict[str, FloatArray]:
    """What the class balance, each vote and the abstentions add to the log-odds of each outcome."""
    said = codes >= 0
    balance = np.log(np.maximum(scoring.prior if said.any() else scoring.without_votes, TINY))
    rows: dict[str, FloatArray] = {"class balance": _centred(balance)}
    silent = np.zeros(len(balance))
    speaking = 0
    cliques = scoring.layout.cliques
    asked = any(said[source] for at in scoring.asked_later for source in cliques[at].sources)
    for at, (clique, logs) in enumerate(zip(cliques, scoring.logs, strict=True)):
        gain = logs[clique.numbers(codes[None])[0]]
        voters = [source for source in clique.sources if said[source]]
        if voters:
            speaking += 1
            key = " + ".join(f"{names[source]}: {texts[source]}" for source in voters)
            rows[key] = rows.get(key, np.zeros(len(balance))) + _centred(gain)
        elif asked or at not in scoring.asked_later:
            silent += _centred(gain)
    # Without any vote the label is the class balance: abstentions do not count.
    if said.any():
        rows["abstentions"] = silent
    # The discount for correlated votes applies to all contributions alike.
    worth = float(scoring.effective(np.array(speaking)))
    return {name: part * worth for name, part in rows.items()}


def _centred(logs: FloatArray) -> FloatArray:
    centred: FloatArray = logs - logs.mean()
    return centred


def outcome_text(outcome: Mapping[str, str | None]) -> str:
    """The labels of an outcome, those that apply."""
    return ", ".join(label for label in outcome.values() if label is not None)
