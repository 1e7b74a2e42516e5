"""linux.py - makes calls as Linux makes them, for a test to compare.

Reads a list of calls, [name, argument...], as JSON, and writes the list of their results: a number,
the negative number of an error, or [number, bytes in hexadecimal digits]. Descriptors are numbers
of this process, in which 0, 1 and 2 are open at the beginning.
"""
import ctypes
import json
import os
import select
import socket
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
PLAIN = {"dup", "dup2", "dup3", "close", "fcntl", "ftruncate", "lseek", "shutdown", "fsync"}


def checked(result):
    return -ctypes.get_errno() if result < 0 else result


def pipe():
    pair = (ctypes.c_int * 2)()
    LIBC.pipe2(pair, os.O_NONBLOCK)
    return list(pair)


def socketpair():
    pair = (ctypes.c_int * 2)()
    LIBC.socketpair(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK, 0, pair)
    return list(pair)


def read(fd, length):
    buffer = ctypes.create_string_buffer(max(length, 1))
    result = checked(LIBC.read(fd, buffer, ctypes.c_size_t(length)))
    return [result, buffer.raw[:result].hex()] if result > 0 else result


def write(fd, length, value):
    return checked(LIBC.write(fd, bytes([value]) * length, ctypes.c_size_t(length)))


def pread(fd, length, position):
    buffer = ctypes.create_string_buffer(max(length, 1))
    result = checked(LIBC.pread(fd, buffer, ctypes.c_size_t(length), ctypes.c_long(position)))
    return [result, buffer.raw[:result].hex()] if result > 0 else result


def poll(fd, events):
    poller = select.poll()
    poller.register(fd, events)
    found = poller.poll(0)
    return found[0][1] if found else 0


def call(name, *args):
    if name in PLAIN:
        return checked(getattr(LIBC, name)(*args))
    return {"pipe": pipe, "socketpair": socketpair, "read": read, "write": write, "poll": poll,
            "pread": pread}[name](*args)


def main():
    calls = json.loads(sys.stdin.buffer.read())
    out = os.dup(1)
    LIBC.dup3(out, 1000, 0)
    os.close(out)
    results = [call(*one) for one in calls]
    with os.fdopen(1000, "w") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
