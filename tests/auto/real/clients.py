#!/usr/bin/env python3
"""clients.py - many clients at once: of a web server, or of a proxy and the server behind it.

    clients.py microsocks|tinyproxy|libmicrohttpd|civetweb PORT COUNT

Prints a line when all are connected, and another one when each has heard its own words again, or
the web server's answers, after a line of the standard input has come."""

import asyncio
import sys

ROUNDS = 5
WEB = ("libmicrohttpd", "civetweb")
kind, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
there = 0


async def echo(reader, writer):
    try:
        while text := await reader.read(4096):
            writer.write(text)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


async def ask(reader, writer):
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b" 200 " in (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0]
    assert await reader.readexactly(6) == b"hello\n"


async def connect(to):
    """To the web server, or through the proxy to the server at a port."""
    for tries in range(100):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            break
        except ConnectionRefusedError:  # it is about to start
            await asyncio.sleep(0.1)
            if tries == 99:
                raise
    if kind in WEB:
        await ask(reader, writer)
    elif kind == "microsocks":
        writer.write(b"\5\1\0")
        assert await reader.readexactly(2) == b"\5\0"
        writer.write(b"\5\1\0\1\x7f\0\0\1" + to.to_bytes(2, "big"))
        assert (await reader.readexactly(10))[1] == 0
    else:
        writer.write(b"CONNECT 127.0.0.1:%d HTTP/1.0\r\n\r\n" % to)
        assert b" 200 " in (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0]
    return reader, writer


async def client(i, to, go):
    global there
    reader, writer = await connect(to)
    there += 1
    await go.wait()
    for k in range(ROUNDS):
        if kind in WEB:
            await ask(reader, writer)
            continue
        words = b"%d says %d" % (i, k)
        writer.write(words)
        assert await reader.readexactly(len(words)) == words
    writer.close()


async def main():
    go = asyncio.Event()
    server = await asyncio.start_server(echo, "127.0.0.1", 0, backlog=4096)
    to = server.sockets[0].getsockname()[1]
    clients = []
    for i in range(count):
        clients.append(asyncio.ensure_future(client(i, to, go)))
        while i % 50 == 49 and there < i - 200:  # no more at once than a server's queue holds
            await asyncio.sleep(0.002)
    while there < count:
        await asyncio.sleep(0.01)
        for failed in (one for one in clients if one.done()):
            failed.result()
    print("all are there", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    go.set()
    for one in clients:
        await one
    print(f"{count} have heard", flush=True)


asyncio.run(asyncio.wait_for(main(), 200))
