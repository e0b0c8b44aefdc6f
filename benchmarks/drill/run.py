"""``python -m benchmarks.drill.run``: random problems, damaged files and killed commands; prints how they ended.

Nothing may be wrong: no exception but an ``AssayError``, no NaN, no change that goes unnoticed, no process that dies.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import assay
from benchmarks.drill import kills, problems
from benchmarks.drill.damage import OF_BYTES
from benchmarks.drill.files import Kind, kinds

Found = tuple[str, str, str]
"""What was tried, what came of it (right, refused or wrong), and why."""


def of_files(seed: int, count: int, *, end_models: bool = True) -> Iterator[Found]:
    """Damage every kind of file in every way, ``count`` times each."""
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(place)
        for number, kind in enumerate(kinds(folder, end_models=end_models)):
            rng = np.random.default_rng([seed, number])
            whole = folder / f"read{kind.suffix}"
            whole.write_bytes(kind.raw)
            expected = kind.read(whole)
            for _ in range(count):
                for damage in (*OF_BYTES, *kind.crafted):
                    whole.write_bytes(damage(kind.raw, rng))
                    yield _read(kind, whole, expected, damage in kind.crafted)


def _read(kind: Kind, path: Path, expected: object, crafted: bool) -> Found:
    what = f"{kind.name}, {'crafted' if crafted else 'damaged'}"
    try:
        same = kind.read(path) == expected
    except assay.AssayError as error:
        return what, "refused" if len(str(error)) < 5_000 else "wrong", str(error)
    except BaseException as error:  # which is what the drill looks for
        if isinstance(error, KeyboardInterrupt):
            raise
        return what, "wrong", f"{type(error).__name__}: {error}"
    return what, "right" if same or crafted or not kind.keeps else "wrong", "read, but not what was written"


def of_problems(seed: int, count: int, *, report_every: int = 1) -> Iterator[Found]:
    """Take random problems all the way, some of them to a report, which takes longer than all else."""
    with tempfile.TemporaryDirectory() as place:
        for number in range(count):
            with_report = number % report_every == 0
            for name, came, why in problems.run(1_000 * seed + number, Path(place), with_report=with_report):
                yield name, came, f"problem {1_000 * seed + number}: {why}"


def of_killed(seed: int, count: int, *, end_models: bool = True) -> Iterator[Found]:
    """Kill every command that writes, ``count`` times each."""
    with tempfile.TemporaryDirectory() as place:
        yield from kills.of_kills(np.random.default_rng([seed, 1]), count, Path(place), end_models=end_models)


_PARTS: dict[str, Callable[..., Iterator[Found]]] = {"files": of_files, "problems": of_problems, "kills": of_killed}


def _part(which: str, seed: int, count: int, how: dict[str, int]) -> list[Found]:
    return list(_PARTS[which](seed, count, **how))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="how many rounds")
    parser.add_argument("--first-seed", type=int, default=0, help="the seed of the first round")
    parser.add_argument("--problems", type=int, default=30, help="random problems a round")
    parser.add_argument("--report-every", type=int, default=1, help="write a report of every so many problems")
    parser.add_argument("--damages", type=int, default=20, help="damages of each sort, of each kind of file, a round")
    parser.add_argument("--kills", type=int, default=2, help="kills of each command that writes, a round")
    given = parser.parse_args()
    found: list[Found] = []
    for seed in range(given.first_seed, given.first_seed + given.seeds):
        for which, count in (("files", given.damages), ("problems", given.problems), ("kills", given.kills)):
            if not count:
                continue
            how = {"report_every": given.report_every} if which == "problems" else {}
            # In a process of its own, since what is looked for may end it.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                try:
                    found += pool.submit(_part, which, seed, count, how).result()
                except BrokenProcessPool:
                    found.append((which, "wrong", f"the process died, seed {seed}"))
    counts = Counter((what, came) for what, came, _ in found)
    print(f"{'':32}{'tried':>8}{'right':>8}{'refused':>9}{'wrong':>7}")
    for what in dict.fromkeys(what for what, _, _ in found):
        right, refused, wrong = (counts[what, came] for came in ("right", "refused", "wrong"))
        print(f"{what:32}{right + refused + wrong:8,}{right:8,}{refused:9,}{wrong:7,}")
    for what, _, why in [one for one in found if one[1] == "wrong"][:20]:
        print(f"wrong: {what}: {why[:300]}")
    return int(any(came == "wrong" for _, came, _ in found))


if __name__ == "__main__":
    raise SystemExit(main())
