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
from tailrace.stack.api import StackPaths


def write(target: Path, option: str, package: str, template: str, **given: Any) -> None:
    """Write the page to the file that ``option`` names. Raises BadInput if it cannot be written.

    ``package``: the package whose templates take precedence.
    """
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
    html = environment.get_template(template).render(
        assets=Assets(StackPaths.load().lib / "uplot"),
        licence=files("tailrace.page").joinpath("static", "uplot-licence.txt").read_text("utf-8"),
        version=__version__,
        written=words.moment(datetime.now(UTC)),
        **given,
    )
    try:
        target.write_text(html, encoding="utf-8")
    except OSError as err:
        raise BadInput(f"{target}: {err.strerror}; give a writable file with {option}") from err
