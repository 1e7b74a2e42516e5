"""server.py - a server of examples/servers under test, and what its tests have in common.

A test is a program in this folder: `TEST PROGRAM` exits with 0 when all is as it should be, and
with 77 when a client from outside is missing, unless CI is set.
"""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SLOW = int(os.environ.get("CO4_TEST_SLOW", "1"))
SECONDS = 30 * SLOW  # of anything that could hang


def fail(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


def equal(what, got, expected):
    if got != expected:
        fail(f"{what}: {got!r}, not {expected!r}")


def needs(command):
    """Skips the test when a client is not installed."""
    if shutil.which(command):
        return
    if os.environ.get("CI"):
        fail(f"there is no {command}; scripts/prepare installs it")
    print(f"skipped: no {command}")
    sys.exit(77)


def run(*command, **more):
    """Runs a client. Returns its output."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=SECONDS, check=False, **more)
    if done.returncode != 0:
        fail(f"{' '.join(map(str, command))}: exit status {done.returncode}\n"
             f"{done.stderr.decode(errors='replace')}")
    return done.stdout


class Server:
    """Runs from `with` on; its end is looked at: by a signal, with status 0, in time."""

    def __init__(self, *options, end=signal.SIGTERM, limit=None):
        program = sys.argv[1]
        self.end = end
        self.errors = tempfile.TemporaryFile()  # pylint: disable=consider-using-with
        prefix = ["prlimit", f"--nofile={limit}"] if limit else []
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [*prefix, program, "--port", "0", *options], stdout=subprocess.PIPE,
            stderr=self.errors)
        line = self.process.stdout.readline().decode()
        if not line.startswith("port "):
            self.process.kill()
            fail(f"no port: {line!r} {self.said()}")
        self.port = int(line.split()[1])

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def connect(self):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def settled(self):
        """The number of descriptors, once it stays the same, and some for the library: a worker
        makes its own when it needs them. So a test makes more connections than that."""
        same, last = 0, -1
        while same < 30:
            now = self.descriptors()
            same, last = (same + 1, last) if now == last else (0, now)
            time.sleep(0.01 * SLOW)
        return last + 9

    def returns_to(self, number):
        """Waits until no more descriptors are open: those of connections are closed."""
        end = time.monotonic() + SECONDS
        while self.descriptors() > number:
            if time.monotonic() > end:
                fail(f"{self.descriptors()} descriptors are open, not {number}")
            time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.process.send_signal(self.end)
            try:
                status = self.process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                fail(f"does not end: {self.said()}")
            if status != 0:
                fail(f"exit status {status}: {self.said()}")
        else:
            self.process.kill()
            self.process.wait()


def ends_soon(*options):
    """A signal ends the server with status 0: as soon as the port is known; at once with clients
    that were accepted just now; in time with a client that reads nothing."""
    for _ in range(10):
        with Server(*options):
            pass
    for _ in range(10):
        with Server(*options, "--workers", "2") as server:
            server.process.send_signal(signal.SIGSTOP)  # it accepts all at once, with the signal
            clients = [server.connect() for _ in range(60)]
            server.process.send_signal(signal.SIGTERM)
            server.end = signal.SIGCONT
            begin = time.monotonic()
        took = time.monotonic() - begin
        equal(f"the end with new clients, after {took} s", took < 8 * SLOW, True)
        for s in clients:
            s.close()


def ends_with_flood(server, text):
    """The server ends though a client sends this, many times, and reads nothing."""
    with server.connect() as s:
        s.setblocking(False)
        last = time.monotonic()
        while time.monotonic() - last < 0.5:
            try:
                s.send(text * (65536 // len(text)))
                last = time.monotonic()
            except BlockingIOError:
                time.sleep(0.01)
            except OSError:
                break
        server.__exit__(None)


def receive(s, size):
    """Exactly so many bytes, or fewer at the end."""
    got = b""
    while len(got) < size:
        part = s.recv(size - len(got))
        if not part:
            break
        got += part
    return got


def reset(s):
    """Closes with a reset."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    s.close()


def refuses(*options, why=b"usage"):
    """The program refuses these options, with usage and status 2, and says why."""
    done = subprocess.run([sys.argv[1], *options], capture_output=True, timeout=SECONDS,
                          check=False)
    equal(f"status of {options}", done.returncode, 2)
    for text in b"usage", why:
        if text not in done.stderr:
            fail(f"no {text!r}: {done.stderr!r}")


def refuses_numbers(option, *wrong):
    """The option takes a number, and says so."""
    for text in "", "5abc", "abc", "-1", "+1", " 1", "1.5", "99999999999999999999", *wrong:
        refuses(option, text, why=f"{option}: a number from ".encode())


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="co4-server-") as name:
        yield name
