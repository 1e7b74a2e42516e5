#!/usr/bin/env python3
"""amqp_server.py - a small broker on the loopback, with as much of AMQP 0-9-1 as a proof needs.

    amqp_server.py PORT SECONDS

It has queues by name in the default exchange, basic.get and one consumer for each queue. It ends
after SECONDS."""

import asyncio
import struct
import sys

METHOD, HEADER, BODY = 1, 2, 3
MOST = 131072  # bytes of a frame
queues = {}  # name -> (messages, [consumer, channel, tag])


def short(text):
    return bytes([len(text)]) + text


def long(text):
    return struct.pack(">I", len(text)) + text


class Client:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.number, self.message = 0, None

    def frame(self, kind, channel, payload):
        self.writer.write(struct.pack(">BHI", kind, channel, len(payload)) + payload + b"\xce")

    def method(self, channel, group, number, arguments=b""):
        self.frame(METHOD, channel, struct.pack(">HH", group, number) + arguments)

    def content(self, channel, message):
        properties, body = message
        self.frame(HEADER, channel, struct.pack(">HHQ", 60, 0, len(body)) + properties)
        for at in range(0, len(body), MOST - 8):
            self.frame(BODY, channel, body[at:at + MOST - 8])

    async def serve(self):
        assert await self.reader.readexactly(8) == b"AMQP\0\0\x09\x01"
        self.method(0, 10, 10, b"\0\x09" + long(b"") + long(b"PLAIN") + long(b"en_US"))
        going = True
        while going:
            kind, channel, size = struct.unpack(">BHI", await self.reader.readexactly(7))
            payload = (await self.reader.readexactly(size + 1))[:-1]
            if kind == METHOD:
                group, number = struct.unpack(">HH", payload[:4])
                going = self.asked(channel, (group, number), payload[4:])
            elif kind == HEADER:
                self.message = [struct.unpack(">Q", payload[4:12])[0], payload[12:], b""]
            elif kind == BODY:
                self.message[2] += payload
            if self.message and len(self.message[2]) == self.message[0]:
                self.arrived(*self.message[1:])
                self.message = None
            await self.writer.drain()

    def asked(self, channel, method, arguments):
        """Returns whether the connection goes on."""
        def word(at):
            return arguments[at + 1:at + 1 + arguments[at]]

        if method == (10, 11):  # start-ok: tune
            self.method(0, 10, 30, struct.pack(">HIH", 0, MOST, 0))
        elif method == (10, 40):  # open
            self.method(0, 10, 41, short(b""))
        elif method == (10, 50):  # close
            self.method(0, 10, 51)
            return False
        elif method == (20, 10):  # channel.open
            self.method(channel, 20, 11, long(b""))
        elif method == (20, 40):  # channel.close
            self.method(channel, 20, 41)
        elif method == (50, 10):  # queue.declare
            messages, _ = queues.setdefault(word(2), ([], []))
            self.method(channel, 50, 11, short(word(2)) + struct.pack(">II", len(messages), 0))
        elif method == (60, 20):  # basic.consume
            queue = word(2)
            tag = word(3 + len(queue)) or b"tag"
            self.method(channel, 60, 21, short(tag))
            queues[queue][1][:] = [self, channel, tag]
            deliver(queue)
        elif method == (60, 40):  # basic.publish
            self.queue = word(3 + arguments[2])
        elif method == (60, 70):  # basic.get
            queue = word(2)
            messages = queues[queue][0]
            if messages:
                self.method(channel, 60, 71, self.tag() + short(b"") + short(queue)
                            + struct.pack(">I", len(messages) - 1))
                self.content(channel, messages.pop(0))
            else:
                self.method(channel, 60, 72, short(b""))
        return True

    def tag(self):
        self.number += 1
        return struct.pack(">QB", self.number, 0)

    def arrived(self, properties, body):
        queues[self.queue][0].append((properties, body))
        deliver(self.queue)


def deliver(queue):
    messages, consumer = queues[queue]
    while messages and consumer and not consumer[0].writer.is_closing():
        client, channel, tag = consumer
        client.method(channel, 60, 60, short(tag) + client.tag() + short(b"") + short(queue))
        client.content(channel, messages.pop(0))


async def serve(reader, writer):
    client = Client(reader, writer)
    try:
        await client.serve()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    for _, consumer in queues.values():
        if consumer and consumer[0] is client:
            consumer.clear()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=4096)
    try:
        await asyncio.wait_for(server.serve_forever(), float(sys.argv[2]))
    except asyncio.TimeoutError:
        pass


asyncio.run(main())
