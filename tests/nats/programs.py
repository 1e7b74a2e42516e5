"""programs.py - what the tests of the example programs have in common: nats-server, and programs
whose output is read line by line."""
import atexit
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

SLOW = int(os.environ.get("CO4_TEST_SLOW", "1"))
SECONDS = 60 * SLOW  # of anything that could hang


def fail(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


def needs_server():
    """Skips the test when there is no nats-server."""
    if shutil.which("nats-server"):
        return
    if os.environ.get("CI"):
        fail("there is no nats-server; scripts/prepare installs it")
    print("skipped: no nats-server")
    sys.exit(77)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(what, true, seen=lambda: ""):
    """Waits until something is so."""
    end = time.monotonic() + SECONDS
    while not true():
        if time.monotonic() > end:
            fail(f"{what}: not within {SECONDS} s{seen()}")
        time.sleep(0.02)


class NatsServer:
    """Runs from `with` on. It can be killed and started again."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="co4-nats.")
        self.port = free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        self.process = None

    def start(self):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["nats-server", "-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", self.folder,
             "-l", "/dev/null"])
        until("nats-server", self.answers)

    def answers(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Program:
    """A program with its lines. Its end is waited for, or it is killed."""

    def __init__(self, *command):
        self.lines = []
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True, text=True, bufsize=1)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        atexit.register(self.end)  # of a test that fails

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def has(self, line):
        return line in self.lines

    def hears(self, line):
        until(repr(line), lambda: self.has(line), lambda: f", in {self.lines}")

    def ends(self, status=0, more=0):
        """`more`: seconds that it may take beside the usual ones."""
        try:
            got = self.process.wait(SECONDS + more)
        except subprocess.TimeoutExpired:
            fail(f"{self.process.args[0]} does not end: {self.lines[-5:]}")
        self.kill()
        if got != status:
            fail(f"{self.process.args}: exit status {got}, not {status}: {self.lines[-5:]}")

    def end(self):
        if self.process.poll() is None:
            self.kill()

    def kill(self, signo=signal.SIGKILL):
        """The program, and those that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signo)
        self.process.wait()
        self.reader.join()
