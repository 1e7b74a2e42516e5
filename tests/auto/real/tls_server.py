#!/usr/bin/env python3
"""tls_server.py - an HTTPS server on the loopback, most of whose ports fail in the handshake.

    tls_server.py FOLDER TOGETHER KIND...

Purpose: a client shows that sessions wait at once, and that each sees its own error. FOLDER has
KIND.pem for the kinds with a certificate. Its file `ports` gets the port of each kind when all
listen. The first TOGETHER connections go on when all of them have come. A client of PostgreSQL
asks for TLS first: all kinds without a certificate but `refuses` agree, and then fail."""

import asyncio
import contextlib
import socket
import ssl
import sys
from pathlib import Path

CERTIFIED = ("good", "unknown", "host", "purpose")  # all but the first have a bad certificate
ALERT = b"\x15\x03\x03\0\2\2\x28"  # a fatal one: handshake failure
ASKS = b"\0\0\0\x08\x04\xd2\x16\x2f"  # SSLRequest of PostgreSQL
PIECES, REPEATS = 5, 500
folder, together = Path(sys.argv[1]), int(sys.argv[2])
come = 0
all_here = asyncio.Event()


async def answer(reader, writer):
    """Says the path of the request, in pieces."""
    request = await reader.readuntil(b"\r\n\r\n")
    piece = request.split(b" ")[1] * (REPEATS // PIECES)
    writer.write(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % (PIECES * len(piece)))
    for _ in range(PIECES):
        await asyncio.sleep(0.02)
        writer.write(piece)
        await writer.drain()
    writer.close()


async def serve(kind, context, connection):
    global come
    loop = asyncio.get_running_loop()
    come += 1
    if come >= together:
        all_here.set()
    await all_here.wait()
    if context:
        await loop.connect_accepted_socket(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader(), answer), connection,
            ssl=context, ssl_handshake_timeout=300)  # fmt: skip
        return
    if await loop.sock_recv(connection, 8) == ASKS:
        await loop.sock_sendall(connection, b"N" if kind == "refuses" else b"S")
    await loop.sock_recv(connection, 1 if kind == "resets" else 65536)  # leaves bytes unread
    if kind == "alert":
        await loop.sock_sendall(connection, ALERT)
    if kind == "clear":
        await loop.sock_sendall(connection, b"HTTP/1.0 400 Bad Request\r\n\r\n")
    connection.close()


async def accept(kind, listener):
    loop, context = asyncio.get_running_loop(), None
    if kind in CERTIFIED:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / f"{kind}.pem")
    sessions = set()
    while True:
        connection, _ = await loop.sock_accept(listener)
        connection.setblocking(False)
        sessions.add(asyncio.ensure_future(serve(kind, context, connection)))


async def main():
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)  # clients that give up
    accepting = []
    ports = []
    for kind in sys.argv[3:]:
        listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        listener.setblocking(False)
        ports.append(listener.getsockname()[1])
        accepting.append(asyncio.ensure_future(accept(kind, listener)))
    (folder / "ports.new").write_text(" ".join(map(str, ports)))
    (folder / "ports.new").rename(folder / "ports")
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(accepting[0], 600)


asyncio.run(main())
