# SPDX-License-Identifier: Apache-2.0
"""The page's style sheet and script, and the policy that allows nothing else to run."""

import base64
import hashlib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from tailrace.errors import BadInput

STYLES = ("report.css", "parts.css")
# In order of dependency; all scripts share one function scope.
SCRIPTS = ("page", "format", "theme", "axes", "marks", "heat", "timeline", "chart", "table", "main")


@dataclass(frozen=True)
class Assets:
    """The inlined style and script; ``uplot`` is the folder with uPlot's two files."""

    uplot: Path

    @cached_property
    def style(self) -> str:
        return self._uplot("uPlot.min.css") + "".join(_static(name) for name in STYLES)

    @cached_property
    def script(self) -> str:
        own = "".join(_static(f"{name}.js") for name in SCRIPTS)
        return f'{self._uplot("uPlot.iife.min.js")}\n(() => {{\n"use strict";\n{own}}})();\n'

    @property
    def policy(self) -> str:
        """Content-Security-Policy: this style and this script, and no request."""
        return (
            f"default-src 'none'; style-src '{_digest(self.style)}'; "
            f"script-src '{_digest(self.script)}'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        )

    def _uplot(self, name: str) -> str:
        path = self.uplot / name
        try:
            return path.read_text(encoding="utf-8")
        except OSError as err:
            raise BadInput(f"{path}: {err.strerror}; run `make setup` to fetch uPlot") from err


def _static(name: str) -> str:
    return files("tailrace.page").joinpath("static", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
