# SPDX-License-Identifier: Apache-2.0
"""Where the workers of one run agree: an HTTP endpoint of worker 0, and the run's token."""

import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tailrace.errors import BadInput, Failed

# Variable with the token.
VARIABLE = "TAILRACE_AGREEMENT_TOKEN"
# Below the range of outgoing connections: the load generators, which start side by side, open many.
PORTS = range(20000, 32000)
TRIES = 100


@dataclass(frozen=True)
class Agreement:
    """``url`` is the same for all workers. The token is here, in a file, or in the user's own
    environment; it is never an argument, which every user of the host can read."""

    url: str
    listen: str | None = None
    token_file: Path | None = None
    token: str | None = None

    def arguments(self, worker: int) -> list[str]:
        """For the load generator."""
        arguments = ["--agreement-url", self.url]
        if self.listen is not None and worker == 0:
            arguments += ["--agreement-listen", self.listen]
        if self.token_file is not None:
            arguments += ["--agreement-token-file", str(self.token_file)]
        return arguments

    def environment(self) -> dict[str, str]:
        """Variables for the load generator."""
        return {} if self.token is None else {VARIABLE: self.token}


def on_this_host() -> Agreement:
    """For a run whose workers are all on this host: a free port and a token of its own."""
    return Agreement(f"http://127.0.0.1:{_free_port()}", token=secrets.token_urlsafe(32))


def from_options(url: str | None, listen: str | None, token_file: Path | None) -> Agreement | None:
    """From the options ``--agreement-…``. Raises BadInput."""
    if url is None:
        if listen is not None or token_file is not None:
            raise BadInput("--agreement-listen and --agreement-token-file: give --agreement-url too")
        return None
    return Agreement(url, listen, token_file)


def _free_port() -> int:
    for port in secrets.SystemRandom().sample(PORTS, TRIES):
        with socket.socket() as server, suppress(OSError):
            server.bind(("127.0.0.1", port))
            return port
    raise Failed(f"no free port between {PORTS.start} and {PORTS.stop}")
