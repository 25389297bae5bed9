# SPDX-License-Identifier: Apache-2.0
"""Reads a report as a strict reader would: every element closed, every attribute kept."""

import json
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "input", "br", "img", "hr"}
CELLS = {"td", "th", "dt", "dd"}


class Page(HTMLParser):
    """``elements`` are (tag, attributes); ``text`` the text by element id or tag."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[tuple[str, str]] = []
        self.text: dict[str, str] = {}
        self.feed(html)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.elements.append((tag, found))
        if tag not in VOID:
            self.open.append((tag, found.get("id") or tag))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1]}"
        self.open.pop()
        if tag in CELLS:
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        for _, name in self.open:
            self.text[name] = self.text.get(name, "") + data

    @property
    def visible(self) -> str:
        """All text of header and main part, white space folded."""
        return " ".join((self.text["header"] + " " + self.text["main"]).split())

    @property
    def data(self) -> dict[str, Any]:
        """The data for the page's script."""
        parsed = json.loads(self.text["data"])
        assert isinstance(parsed, dict)
        return parsed

    def chart(self, name: str) -> dict[str, Any]:
        return next(spec for spec in self.data["charts"] if spec["id"] == name)

    def line(self, chart: str, label: str) -> dict[str, Any]:
        return next(line for line in self.chart(chart)["series"] if line["label"] == label)
