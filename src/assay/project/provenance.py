"""What the files of an output folder were made from, and whether they belong together.

``made_from.json`` names each file by a digest, and with it the data, the sources, the settings and the other files that
it came from. So votes of eleven sources are never taken together with a model of twelve.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay._core.atomic_files import read_json, write_json
from assay._core.reading import is_file, reading
from assay._core.stored_arrays import of_type
from assay._core.urls import Url
from assay.errors import ProjectError
from assay.project.project import Project

if TYPE_CHECKING:
    from assay.sources import Source

RECORD_FILE = "made_from.json"
VOTES, MODEL, LABELS, REFINED, END_MODEL = "votes", "model", "labels", "refined labels", "end model"
FILES = {VOTES: "votes.parquet", MODEL: "model.npz", LABELS: "labels.parquet"}
"""What every run makes."""
REFINED_FILE = "refined.parquet"
_NAMES = {VOTES: "votes", MODEL: "label model", LABELS: "labels", REFINED: "refined labels", END_MODEL: "end model"}
_MAKERS = {
    VOTES: "assay apply",
    MODEL: "assay run",
    LABELS: "assay run",
    REFINED: "assay run --refine",
    END_MODEL: "assay train",
}
_WHAT = "record of what files were made from; remove it"
Record = dict[str, Any]


def file_digest(path: Path) -> str:
    """Tells the contents of one file from those of another."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def data_record(project: Project) -> Record:
    """What identifies a project's data."""
    path = project.data
    if isinstance(path, Url):
        return {"path": path.name, "digest": path.digest()}
    if not is_file(path):
        return {"path": str(path)}
    stat = path.stat()
    return {
        "path": path.name,
        "bytes": stat.st_size,
        "modified": stat.st_mtime_ns,
        "digest": file_digest(path),
    }


def sources_record(sources: Sequence[Source], project: Project) -> dict[str, str | None]:
    """By name the fingerprint of each source; None if it has none."""
    from assay.sources import fingerprint

    return {source.name: fingerprint(source, project.tasks).digest for source in sources}


@dataclass(frozen=True)
class SourceChanges:
    """What is different about a project's sources since they voted, as far as that can be told; false if nothing is.

    >>> str(SourceChanges(new=("dr", "court"), edited=("words",)))
    'dr, court are new, and words is edited'
    """

    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.edited)

    def __str__(self) -> str:
        told = [
            f"{', '.join(names)} {'are' if len(names) > 1 else 'is'} {how}"
            for how, names in (("new", self.new), ("gone", self.gone), ("edited", self.edited))
            if names
        ]
        return ", and ".join(told)


def source_changes(project: Project, sources: Sequence[Source], voted: Sequence[str]) -> SourceChanges:
    """How a project's sources differ from those that its votes are of; ``voted`` are the names of these."""
    before = records(project.output).get(VOTES, {}).get("sources", {})
    names = {source.name for source in sources}
    now = sources_record([source for source in sources if before.get(source.name) is not None], project)
    return SourceChanges(
        new=tuple(sorted(names - set(voted))),
        gone=tuple(sorted(set(voted) - names)),
        edited=tuple(sorted(name for name, digest in now.items() if digest is not None and digest != before[name])),
    )


def plain(settings: Any) -> Any:
    """Settings as JSON has them."""
    told = asdict(settings) if is_dataclass(settings) and not isinstance(settings, type) else settings
    return json.loads(json.dumps(told, default=str, sort_keys=True))


def records(output: Path) -> dict[str, Record]:
    """What is recorded of the files in an output folder; nothing of those that earlier versions wrote."""
    path = output / RECORD_FILE
    if not is_file(path):
        return {}
    said = read_json(path, _WHAT, ProjectError)
    with reading(path, _WHAT, ProjectError):
        found: dict[str, Record] = of_type(dict[str, dict[str, Any]], said)
        for entry in found.values():
            of_type(str, entry["file"])
            of_type(dict[str, str | None], entry.get("sources", {}))
            of_type(dict[str, Any], entry.get("data", {}))
    return found


def record(output: Path, **made: tuple[Path, Mapping[str, Any]]) -> dict[str, Record]:
    """Note of files that were just written what they were made from; by what they are, as in :data:`VOTES`."""
    new = {name: {"file": file_digest(path), **come_from} for name, (path, come_from) in made.items()}
    whole = records(output) | {name.replace("_", " "): entry for name, entry in new.items()}
    write_json(output / RECORD_FILE, whole)
    return whole


def forget(output: Path, what: str) -> None:
    """Remove what is recorded of a file that is no more."""
    known = records(output)
    if known.pop(what, None) is not None:
        write_json(output / RECORD_FILE, known)


def check_made_from(project: Project, what: str, path: Path) -> None:
    """Raise if a file was made from others than those that are in its folder now; says what to run.

    Files of earlier versions, of which nothing is recorded, pass.
    """
    for told in stale(path.parent, what, path):
        raise ProjectError(f"{path} {told}; run '{_MAKERS[what]} {project.folder}' again")


def stale(output: Path, what: str, path: Path) -> Iterator[str]:
    """Why a file does not belong to the others in its folder, in words; nothing if it does."""
    known = records(output)
    if not known or not is_file(path):
        return
    entry = known.get(what)
    if entry is None or entry["file"] != file_digest(path):
        yield "is not what was last finished: somebody changed it, or stopped the command that wrote it"
        return
    for other, name in {**FILES, REFINED: REFINED_FILE}.items():
        now = output / name
        found = file_digest(now) if is_file(now) else None
        # Not every run refines labels: there may be none now, or none then.
        if other in entry and (found is not None or other == REFINED) and entry[other] != found:
            told = _difference(entry, known.get(other, {}))
            yield f"was made from other {_NAMES[other]} than there are now{told}"
            return


def _difference(entry: Record, now: Record) -> str:
    before, after = entry.get("sources"), now.get("sources")
    if not isinstance(before, dict) or not isinstance(after, dict):
        return ""
    told = [
        f"{what}: {', '.join(names)}"
        for what, names in (
            ("removed since", [name for name in before if name not in after]),
            ("added since", [name for name in after if name not in before]),
            ("changed since", [name for name in after if name in before and before[name] != after[name]]),
        )
        if names
    ]
    return f" ({'; '.join(told)})" if told else ""


def check_data(project: Project, votes_file: Path) -> None:
    """Raise if the data is no longer what votes were cast on."""
    entry = records(project.output).get(VOTES)
    was = None if entry is None or entry["file"] != file_digest(votes_file) else entry.get("data")
    if was is not None and "digest" in was and not _is_same_data(project.data, was):
        raise ProjectError(
            f"{project.data} has changed since the sources were applied; run 'assay apply {project.folder}' again"
        )


def _is_same_data(data: Path | Url, was: Record) -> bool:
    if isinstance(data, Url):
        return bool(data.digest() == was["digest"])
    if not is_file(data):
        return True  # which is told by whoever reads it
    stat = data.stat()
    is_untouched = (stat.st_size, stat.st_mtime_ns) == (was.get("bytes"), was.get("modified"))
    return is_untouched or bool(file_digest(data) == was["digest"])
