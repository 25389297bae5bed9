# SPDX-License-Identifier: Apache-2.0
"""The system's Chromium, headless, driven by Playwright."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import BrowserContext, Page, ViewportSize, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NO_CHROMIUM = "no Chromium to look at the page with: apt install chromium"
# Root, as in a container, has no sandbox to offer.
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
VIEWPORT: ViewportSize = {"width": 800, "height": 600}
# In JavaScript: resolves once two frames are drawn.
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@contextmanager
def chromium() -> Iterator[BrowserContext]:
    """A new browser, which ends with the block; ``new_page()`` opens a page in it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        try:
            yield browser.new_context(viewport=VIEWPORT)
        finally:
            browser.close()


@dataclass
class Traffic:
    """What a page requested, and the errors and console messages it caused, from ``watch`` on."""

    requests: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)


def watch(page: Page) -> Traffic:
    seen = Traffic()
    page.on("request", lambda request: seen.requests.add(request.url))
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("console", lambda message: seen.errors.append(message.text))
    return seen
