"""real_terminal.py - what a real terminal of Linux does with input, for a test to compare.

Reads lists of steps as JSON: ["flags", iflag, oflag, lflag, controls],
["input", hex, length of output, bytes that can be read], ["write", the same], ["read", length],
["available"], ["poll"]. Writes the results: of each step, what the program got, or
null; and what the page's side had as output by then, in hexadecimal digits.
"""
import errno
import fcntl
import json
import os
import select
import struct
import sys
import termios
import time


def output(master):
    """All that has come out. What was put in is processed by then: see quiet()."""
    parts = []
    while select.select([master], [], [], 0)[0]:
        parts.append(os.read(master, 65536))
    return b"".join(parts)


def available(slave):
    return struct.unpack("i", fcntl.ioctl(slave, termios.FIONREAD, b"\0\0\0\0"))[0]


def handled(master, slave, length, ready):
    """The kernel handles input in a thread of its own. Waits until there is as much as a test
    expects, at most two seconds, and until nothing comes any more."""
    found, begin, last = output(master), time.monotonic(), time.monotonic()
    while time.monotonic() - last < 0.005 or (
            (len(found) < length or available(slave) != ready) and time.monotonic() - begin < 2):
        more = output(master)
        found += more
        last = time.monotonic() if more else last
        time.sleep(0.001)
    return found


def settings(slave, step):
    iflag, oflag, lflag = step[1:4]
    old = termios.tcgetattr(slave)
    controls = old[6]
    for index, value in enumerate(step[4]):
        controls[index] = value if index in (termios.VMIN, termios.VTIME) and not \
            lflag & termios.ICANON else bytes([value])
    termios.tcsetattr(slave, termios.TCSANOW, [iflag, oflag, old[2], lflag, old[4], old[5],
                                               controls])


def act(master, slave, step):
    if step[0] == "flags":
        settings(slave, step)
    elif step[0] == "input":
        os.write(master, bytes.fromhex(step[1]))
    elif step[0] == "write":
        return os.write(slave, bytes.fromhex(step[1]))
    elif step[0] == "available":
        return available(slave)
    elif step[0] == "poll":
        return len(select.select([slave], [], [], 0)[0])
    else:
        try:
            return os.read(slave, step[1]).hex()
        except OSError as error:
            return -error.errno if error.errno != errno.EWOULDBLOCK else -errno.EAGAIN
    return None


def run(steps):
    master, slave = os.openpty()
    os.set_blocking(slave, False)
    results = []
    for step in steps:
        result = act(master, slave, step)
        is_input = step[0] in ("input", "write")
        found = handled(master, slave, *step[2:]) if is_input else output(master)
        results.append([result, found.hex()])
    os.close(master)
    os.close(slave)
    return results


json.dump([run(steps) for steps in json.load(sys.stdin)], sys.stdout)
