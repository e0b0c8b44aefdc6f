"""The example that makes its own data.

Names are loaded when they are first used: to write the example takes nothing that to run it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.project.demo.demo": ["Demo", "run_demo"],
    "assay.project.demo.example": ["write_example"],
}

__all__ = ["Demo", "run_demo", "write_example"]

if TYPE_CHECKING:
    from assay.project.demo.demo import Demo, run_demo
    from assay.project.demo.example import write_example

__getattr__ = lazy_names(globals(), _HOMES)
