#!/usr/bin/env python3
"""server.py - an HTTP server on the loopback whose answers come late and in pieces.

    server.py PORT TOGETHER

Purpose: a client shows that it waits in many transfers at once. The first TOGETHER requests are
answered when all of them have come. An answer says the path of its request, in PIECES; that of
/at-once without pauses."""

import asyncio
import sys

PIECES = 5
waiting, all_here = 0, None


async def answer(reader, writer):
    global waiting
    request = await reader.readuntil(b"\r\n\r\n")
    path = request.split(b" ")[1]
    waiting += 1
    if waiting == int(sys.argv[2]):
        all_here.set()
    await all_here.wait()
    piece = path * 100
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (PIECES * len(piece)))
    for _ in range(PIECES):
        await asyncio.sleep(0 if path == b"/at-once" else 0.02)
        writer.write(piece)
        await writer.drain()
    writer.close()


async def main():
    global all_here
    all_here = asyncio.Event()
    server = await asyncio.start_server(answer, "127.0.0.1", int(sys.argv[1]), backlog=4096,
                                        limit=1 << 16)  # fmt: skip
    await asyncio.wait_for(server.serve_forever(), 600)


asyncio.run(main())
