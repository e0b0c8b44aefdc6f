"""Everything that goes wrong through a user's hand is one kind of error."""

from __future__ import annotations

import assay


def test_every_error_is_an_assay_error():
    errors = [getattr(assay, name) for name in assay.__all__ if name.endswith("Error")]
    assert all(issubclass(error, assay.AssayError) for error in errors)
