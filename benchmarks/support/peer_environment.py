"""The virtual environment that peers run in: made once, in a folder of its own, outside the project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

# torch first and exactly this one: left to snorkel, pip takes whichever is newest, with gigabytes of GPU libraries.
# The other limits are the last versions that snorkel 0.10 works with.
LABEL_MODELS = (["torch==2.13.0"], ["snorkel==0.10.0", "crowd-kit==1.4.2", "numpy<2", "pandas<3"])
# FlyingSquid and MeTaL name no versions of what they need: pgmpy still has MarkovModel, and reads pkg_resources.
QUALITY = (
    LABEL_MODELS[0],
    [
        *LABEL_MODELS[1],
        *("hyperlm==0.0.5", "snorkel-metal==0.5.0", "tensorboardX==2.6.4"),
        *("flyingsquid==0.0.0a0", "pgmpy==0.1.22", "setuptools<81"),
    ],
)
SCRATCH = Path(tempfile.gettempdir()) / "assay-speed-peers"


def python_of(scratch: Path, packages: tuple[list[str], ...] = LABEL_MODELS) -> Path:
    """The interpreter of an environment with these packages, which is made if it is not there yet."""
    python = scratch / ("Scripts" if os.name == "nt" else "bin") / "python"
    complete = scratch / "complete"
    wanted = json.dumps(packages)
    if complete.exists() and complete.read_text(encoding="utf-8") == wanted:
        return python
    print("making the environment for the peers (torch is large; only the first time)", file=sys.stderr)
    venv.create(scratch, clear=True, with_pip=True)
    for together in packages:
        subprocess.run([python, "-m", "pip", "install", "--quiet", *together], check=True, stdout=sys.stderr)
    complete.write_text(wanted, encoding="utf-8")
    return python
