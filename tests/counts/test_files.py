"""Counts on disk are the same counts, or an error that says why not."""

import json

import numpy as np
import pytest

import assay
from assay import AssayError, LabelModel, Tally
from assay.simulate import flat_world
from tests.support.sameness import same_counts


class TestCountsOnDisk:
    @pytest.fixture
    def path(self, votes, tmp_path):
        return assay.count(votes).save(tmp_path / "counts.npz")

    def test_a_round_trip(self, votes, path):
        assert same_counts(Tally.load(str(path)), Tally.of(votes))
        assert repr(Tally.load(path)) == repr(Tally.of(votes))

    def test_a_sample_of_patterns(self, tmp_path):
        votes = flat_world(sources=12, coverage=0.6, seed=2).draw(6_000).votes
        counts = assay.count(votes, size=2**10)
        assert not counts.sketch.is_exact
        loaded = Tally.load(counts.save(tmp_path / "counts.npz"))
        assert same_counts(loaded, counts)
        assert loaded.sketch.size == counts.sketch.size

    def test_no_file(self, tmp_path):
        with pytest.raises(AssayError, match=r"there is no file .*nowhere.npz"):
            Tally.load(tmp_path / "nowhere.npz")

    def test_another_version(self, path):
        with np.load(path) as file:
            stored = dict(file)
        said = json.loads(str(stored["said"])) | {"format": 99}
        np.savez(path, **(stored | {"said": np.array(json.dumps(said))}))
        with pytest.raises(AssayError, match=r"written by another version of Assay \(counts format 99\)"):
            Tally.load(path)

    @pytest.mark.parametrize("missing", ["said", "items", "pair", "single", "pattern keys", "pattern starts"])
    def test_something_is_missing(self, path, missing):
        with np.load(path) as file:
            stored = {name: array for name, array in file.items() if name != missing}
        np.savez(path, **stored)
        with pytest.raises(AssayError, match="is not a valid counts file, or it is damaged"):
            Tally.load(path)

    @pytest.mark.parametrize("other", ["single", "pair", "covered", "pattern keys", "pattern codes", "pattern starts"])
    def test_something_has_another_shape(self, path, other):
        with np.load(path) as file:
            stored = dict(file)
        stored[other] = stored[other][:-1]
        np.savez(path, **stored)
        with pytest.raises(AssayError, match="is not a valid counts file, or it is damaged"):
            Tally.load(path)

    def test_damage_anywhere_is_noticed_or_harmless(self, votes, path):
        """Zip files hold bytes that nobody reads; any other change is said in words, and never goes unnoticed."""
        content = path.read_bytes()
        expected = Tally.load(path)
        rng = np.random.default_rng(0)
        for place in [*rng.integers(0, len(content), 150), *range(40), *range(len(content) - 60, len(content))]:
            changed = bytearray(content)
            changed[place] ^= 0x55
            path.write_bytes(changed)
            try:
                found = Tally.load(path)
            except AssayError:
                continue
            assert same_counts(found, expected)

    @pytest.mark.parametrize("content", [b"", b"no counts", b"PK\x03\x04"], ids=str)
    def test_something_else(self, path, content):
        path.write_bytes(content)
        with pytest.raises(AssayError, match="is not a valid counts file, or it is damaged"):
            Tally.load(path)

    def test_a_model_is_not_counts(self, votes, tmp_path):
        with pytest.raises(AssayError, match="is not a valid counts file"):
            Tally.load(LabelModel().fit(votes).save(tmp_path / "model.npz"))
