# SPDX-License-Identifier: Apache-2.0
"""Reads raw samples out of VictoriaMetrics over HTTP."""

import base64
import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode, urlsplit

from tailrace.stack.api import Endpoints

# A long series arrives as several lines, so that no line needs much memory.
ROWS_PER_LINE = 10_000


class VictoriaMetricsError(Exception):
    """VictoriaMetrics did not answer, or answered with an error."""


class VictoriaMetrics:
    """One VictoriaMetrics, by its base URL."""

    def __init__(self, url: str, timeout_s: float = 60, user: str = "", password: str = "") -> None:
        self._url = url
        self._timeout_s = timeout_s
        self._headers: dict[str, str] = {}
        if user:
            pair = base64.b64encode(f"{user}:{password}".encode()).decode()
            self._headers["Authorization"] = f"Basic {pair}"

    @classmethod
    def at(cls, endpoints: Endpoints) -> "VictoriaMetrics":
        """The VictoriaMetrics of these endpoints."""
        return cls(
            endpoints.victoriametrics_url,
            user=endpoints.victoriametrics_user,
            password=endpoints.victoriametrics_password,
        )

    def export(self, selector: str, start_ms: int, end_ms: int) -> Iterator[bytes]:
        """Lines of ``/api/v1/export``: the raw samples of the series, both ends included.

        Raises VictoriaMetricsError.
        """
        params = {
            "match[]": selector,
            "start": f"{start_ms / 1000:.3f}",
            "end": f"{end_ms / 1000:.3f}",
            "max_rows_per_line": str(ROWS_PER_LINE),
        }
        with self._get("/api/v1/export", params) as response:
            while line := response.readline():
                if line.strip():
                    yield line

    def instant(self, query: str) -> list[tuple[dict[str, str], float]]:
        """Labels and value of each series that ``query`` returns now. Raises VictoriaMetricsError."""
        with self._get("/api/v1/query", {"query": query, "nocache": "1"}) as response:
            answer = json.load(response)
        return [(row["metric"], float(row["value"][1])) for row in answer["data"]["result"]]

    def flush(self) -> None:
        """Make all samples that have arrived visible to the next export."""
        with self._get("/internal/force_flush", {}) as response:
            response.read()

    def wait_until(self, selector: str, at_ms: int, timeout_s: float) -> bool:
        """Wait until ``selector`` has a sample at ``at_ms`` or later; false when none arrived."""
        deadline = time.monotonic() + timeout_s
        while True:
            self.flush()
            for _ in self.export(selector, at_ms, at_ms + 3_600_000):
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.25)

    @contextmanager
    def _get(self, path: str, params: dict[str, str]) -> Iterator[http.client.HTTPResponse]:
        address = urlsplit(self._url)
        kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        connection = kind(address.netloc, timeout=self._timeout_s)
        try:
            target = f"{address.path}{path}?{urlencode(params)}"
            connection.request("GET", target, headers=self._headers)
            response = connection.getresponse()
            if response.status >= 300:
                text = response.read(500).decode(errors="replace").strip()
                raise VictoriaMetricsError(f"{self._url}{path}: HTTP {response.status}: {text}")
            yield response
        except (OSError, http.client.HTTPException) as err:
            raise VictoriaMetricsError(f"{self._url}{path}: {err}") from err
        finally:
            connection.close()
