"""Write the project's data: ``python prepare.py train [dev ...]`` makes data/<split>.jsonl from $ASSAY_DATA.

Each line has ``id``, ``text`` and a column for each of the 18 given sources, with "normal", "abnormal" or
null. Gold, where a split has it, is left out: no source may see it.
"""

import gzip
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
HOME = Path(os.environ.get("ASSAY_DATA", "../shared/data")) / "text" / "openi"


def prepare(split: str) -> Path:
    """Write one split and say where."""
    meta = json.loads((HOME / "meta.json").read_text())
    said = {-1: None, **dict(enumerate(meta["vote_values"]))}
    path = HERE / "data" / f"{split}.jsonl"
    path.parent.mkdir(exist_ok=True)
    with gzip.open(HOME / f"{split}.jsonl.gz", "rt") as lines, path.open("w") as out:
        for line in lines:
            item = json.loads(line)
            votes = {name: said[vote] for name, vote in zip(meta["vote_sources"], item["votes"], strict=True)}
            out.write(json.dumps({"id": item["id"], "text": item["text"], **votes}) + "\n")
    return path


if __name__ == "__main__":
    for name in sys.argv[1:] or ["train"]:
        print(prepare(name))
