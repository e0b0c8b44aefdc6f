"""Everything that goes wrong through a user's hand is one kind of error."""

from __future__ import annotations

import pickle

import assay


def test_every_error_is_an_assay_error():
    errors = [getattr(assay, name) for name in assay.__all__ if name.endswith("Error")]
    assert all(issubclass(error, assay.AssayError) for error in errors)


def test_messages_can_be_printed_and_read():
    long = assay.AssayError(f"expected a label, but got {'x' * 50_000!r} in a file\nwrite its name")
    assert len(str(long)) < 1_100
    assert str(long).startswith("expected a label, but got 'xxx")
    assert str(long).endswith("' in a file\nwrite its name")
    assert str(assay.TaskError("half \ud800")).encode() == b"half \\ud800"
    assert str(pickle.loads(pickle.dumps(long))) == str(long)
