# SPDX-License-Identifier: Apache-2.0
"""A TCP forwarder that counts bytes. The bytes themselves stay in the kernel (splice)."""

import contextlib
import os
import socket
import threading
from collections.abc import Callable

_PIPE_BYTES = 1 << 16


class Forwarder:
    """Listens on a free port of 127.0.0.1 and passes every connection on to ``target_port``.

    ``forward_bytes`` counts what clients sent: all bytes of the TCP streams, with HTTP and its headers, without the
    headers of TCP and IP.
    """

    def __init__(self, target_port: int) -> None:
        self.forward_bytes = 0
        self._target_port = target_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self._target_port))
            except OSError:
                client.close()
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for source, target, count in ((client, server, self._count), (server, client, lambda _size: None)):
                threading.Thread(target=_pump, args=(source, target, count), daemon=True).start()

    def _count(self, size: int) -> None:
        self.forward_bytes += size


def _pump(source: socket.socket, target: socket.socket, count: Callable[[int], None]) -> None:
    reader, writer = os.pipe()
    try:
        while size := os.splice(source.fileno(), writer, _PIPE_BYTES):
            count(size)
            while size:
                size -= os.splice(reader, target.fileno(), size)
    except OSError:
        pass  # one end was reset; the other is shut down below
    finally:
        os.close(reader)
        os.close(writer)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RD if end is source else socket.SHUT_WR)
