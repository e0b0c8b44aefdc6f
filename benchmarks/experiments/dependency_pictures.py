"""Pictures of what is learned about the openi experiment's sources, for the documentation.

    ASSAY_DATA=... python -m benchmarks.experiments.dependency_pictures

Writes docs/_static/dependencies-graph.svg and docs/_static/dependencies-residuals.png: the eighteen functions that
came with the reports. Needs the extra ``report``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import assay
from benchmarks.experiments.prepare import SPLITS, prepare
from benchmarks.experiments.problem import load

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "docs" / "_static"


def main() -> None:
    if "ASSAY_DATA" not in os.environ:
        sys.exit("ASSAY_DATA is not set: it names the folder with text/openi, from which the experiment is made")
    for split in SPLITS:
        prepare("openi", split)
    votes = load("openi").votes["train"]
    learned = assay.learn_dependencies(votes.select([name for name in votes.names if name.startswith("LF_")]))
    print(learned)
    (STATIC / "dependencies-graph.svg").write_text(learned.plot.graph())
    learned.plot.residuals().save(str(STATIC / "dependencies-residuals.png"), ppi=144)
    for path in sorted(STATIC.glob("dependencies-*")):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e3:,.0f} kB")


if __name__ == "__main__":
    main()
