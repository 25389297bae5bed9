# SPDX-License-Identifier: Apache-2.0
"""Fills a page's template and writes the file."""

from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2

from tailrace import __version__
from tailrace.errors import BadInput
from tailrace.page import words
from tailrace.page.assets import Assets


def render(package: str, template: str, assets: Assets, now: datetime | None = None, **given: Any) -> str:
    """The whole HTML file as text. ``package``: the package whose templates take precedence."""
    loaders = [jinja2.PackageLoader(package), jinja2.PackageLoader("tailrace.page")]
    environment = jinja2.Environment(loader=jinja2.ChoiceLoader(loaders), autoescape=True, trim_blocks=True)
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.filters |= {
        "count": words.count,
        "latency": lambda us: words.latency(us if isinstance(us, int) else None),
        "exact_ms": words.exact_ms,
        "size": words.size,
        "signed": words.signed,
        "lag": words.lag,
    }
    return environment.get_template(template).render(
        assets=assets,
        licence=files("tailrace.page").joinpath("static", "uplot-licence.txt").read_text("utf-8"),
        version=__version__,
        written=words.moment(now or datetime.now(UTC)),
        **given,
    )


def write(html: str, target: Path, option: str) -> None:
    """Write the file, which ``option`` names. Raises BadInput if it cannot be written."""
    try:
        target.write_text(html, encoding="utf-8")
    except OSError as err:
        raise BadInput(f"{target}: {err.strerror}; give a writable file with {option}") from err
