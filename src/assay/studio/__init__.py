"""The studio: a project in a browser tab. Routes and templates over :mod:`assay.project`, and no logic of its own."""

from assay.studio.app import create_app
from assay.studio.server import serve

__all__ = ["create_app", "serve"]
