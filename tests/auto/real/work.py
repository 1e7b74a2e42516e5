"""work.py - what the proofs share: trees, builds, servers, sizes.

Purpose: a proof is a module with sources(), a list of (package, version, sha256), NEEDS (commands)
and prove(work), where work.name is the name of the proof. It raises Failed by work.check() or a
command that fails.

Invariants: the plain tree is built once for an archive; the woven one each time. Servers end with
the proof, and by themselves after SERVER_SECONDS."""

import hashlib
import importlib.machinery
import importlib.util
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
SERVER_SECONDS = 900
BUILD_SECONDS = 1800  # for OpenSSL with two processors, and other work on them


def load_real():
    """tests/real/run, which has no suffix, as a module."""
    path = str(ROOT / "tests" / "real" / "run")
    loader = importlib.machinery.SourceFileLoader("real_run", path)
    spec = importlib.util.spec_from_loader("real_run", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


real = load_real()
Archives, Missing, PROJECTS = real.Archives, real.Missing, real.PROJECTS
BUILD, WEAVER = real.BUILD.resolve(), real.WEAVER


class Failed(Exception):
    """Something that a proof claims does not hold."""


def pinned(name):
    """The archive of a project of tests/real."""
    project = PROJECTS[name]
    return project.package, project.version, project.sha256


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Work:
    """One proof: its folder, what runs for it."""

    def __init__(self, name, folder, archives, options):
        self.name, self.folder, self.archives = name, folder, archives
        self.bench, self.share = options.bench, options.share
        self.only, self.jobs = options.only, options.jobs
        self.servers = []
        self.sockets = Path(tempfile.mkdtemp(prefix="co4-real-"))  # the names of sockets are short
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / "cache", ignore_errors=True)  # builds are timed

    def end(self):
        for server in self.servers:
            try:
                os.killpg(server.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
            server.wait()
        shutil.rmtree(self.sockets, ignore_errors=True)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- results ----

    def say(self, text):
        print(f"{self.name}: {text}", flush=True)

    def check(self, holds, text):
        if not holds:
            raise Failed(text)

    def need_files(self, count):
        """Lets programs have so many open files, or skips the proof."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < count:
            raise Missing(f"a process may have {hard} files, not {count}")
        if soft < count:
            resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))

    # ---- commands ----

    def status(self, command, cwd, seconds=600, **variables):
        """Runs shell text; returns its exit status, or "timeout"."""
        return self.quiet(command, cwd, self.folder / "log", seconds, **variables)

    def quiet(self, command, cwd, log, seconds, **variables):
        """The same with a log of its own: several may run at once."""
        environment = dict(os.environ, LC_ALL="C", TZ="UTC",
                           XDG_CACHE_HOME=str(self.folder / "cache"), **variables)
        for word in ("MAKEFLAGS", "MAKELEVEL", "CFLAGS", "LDFLAGS"):
            if word not in variables:
                environment.pop(word, None)
        return real.run_shell(command, cwd, environment, log, seconds)

    def run(self, command, cwd, seconds=600, **variables):
        """Runs shell text, which must succeed; returns what it prints."""
        status = self.status(command, cwd, seconds, **variables)
        text = (self.folder / "log").read_bytes().decode("utf-8", "replace")
        if status != 0:
            said = [line for line in text.splitlines() if re.search("error|FAIL", line)]
            told = " | ".join((said or text.splitlines()[-5:])[:6])
            raise Failed(f"({status}) {command}: {told}")
        return text

    def server(self, command, is_ready, seconds=60):
        """Starts a command; returns when is_ready() holds."""
        log = open(self.folder / f"server{len(self.servers)}.log", "wb")
        self.servers.append(
            subprocess.Popen(["timeout", str(SERVER_SECONDS), *command], cwd=self.sockets,
                             stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                             start_new_session=True))
        end = time.monotonic() + seconds
        while not is_ready():
            if time.monotonic() > end or self.servers[-1].poll() is not None:
                raise Failed(f"{command[0]} does not start: see {log.name}")
            time.sleep(0.05)

    # ---- builds ----

    def unpack(self, source, folder):
        real.unpack(self.archives.get(*source), folder)


    def compiler(self, woven, options=""):
        return f"{WEAVER} --auto{options} cc" if woven else "cc"

    def build(self, source, command, variant, options="", folder=""):
        """Unpacks and builds a source below its folder of the variant: "plain", or a word for a
        woven one. Returns the tree and the seconds. CC is set in the environment."""
        top = self.folder / f"{source[0]}-{variant}"
        archive = self.archives.get(*source)
        key = hashlib.sha256(f"{source} {command}".encode()).hexdigest()
        stamp = top / "built"
        tree = top / "tree"
        plain = variant.startswith("plain")
        if plain and stamp.exists() and stamp.read_text().split()[0] == key:
            inside = list(tree.iterdir())
            return inside[0] / folder, float(stamp.read_text().split()[1])
        shutil.rmtree(top, ignore_errors=True)
        inside = real.unpack(archive, tree)
        compiler = self.compiler(not plain, options)
        started = time.monotonic()
        self.run(command, inside / folder, BUILD_SECONDS, CC=compiler)
        seconds = time.monotonic() - started
        if plain:
            stamp.write_text(f"{key} {seconds}")
        return inside / folder, seconds

    def program(self, name, sources, woven, arguments, options=""):
        """Compiles a program of programs/; returns its path. Writes the linker's map beside it."""
        path = self.folder / "programs" / name
        path.parent.mkdir(exist_ok=True)
        files = " ".join(str(HERE / "programs" / source) for source in sources)
        options += " --auto-report" if woven else ""
        strict = "" if woven else "-Werror"  # a function that stays plain gives a warning
        text = self.run(f"{self.compiler(woven, options)} -O2 -g -D_GNU_SOURCE -Wall {strict}"
                        f" -I{ROOT}/include -I{HERE}/programs {files} {arguments} -pthread"
                        f" -Wl,-Map={path}.map -o {path}", self.folder, BUILD_SECONDS)  # fmt: skip
        Path(f"{path}.report").write_text(text)
        return path

    # ---- measures ----

    def text_bytes(self, program, pattern):
        """What `size` calls text, of the inputs of a link whose name matches."""
        text = Path(f"{program}.map").read_text(errors="replace")
        text = text[text.index("Linker script and memory map"):]
        total = 0
        for section, size, name in re.findall(
                r"^ (\.\S+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", text, re.MULTILINE):
            if re.match(r"\.(text|rodata|eh_frame)\b", section) and re.search(pattern, name):
                total += int(size, 16)
        return total

    def coloured(self, program):
        """The names of functions that have woven forms in a program."""
        shown = subprocess.run(["nm", str(program)], capture_output=True, check=True).stdout
        return set(re.findall(rb" [tT] (\w+)__co4$", shown, re.MULTILINE))

    def say_size(self, what, plain, woven, most):
        """The growth of text; fails beyond `most`."""
        ratio = woven / plain
        self.say(f"text {what}: {plain} bytes plain, {woven} woven: {ratio:.2f} x")
        self.check(ratio <= most, f"the text of {what} grows {ratio:.2f} x, not {most} x at most")

    def say_colours(self, program, library=""):
        """What --auto-report has said at the link: of the whole program, and of a library's
        archive or object."""
        report = Path(f"{program}.report").read_text()
        counts = re.search(r"^([0-9]+) of ([0-9]+) functions pause$", report, re.MULTILINE)
        self.check(counts and int(counts[1]) > 0, "no function pauses")
        self.say(f"functions of the program: {counts[1]} of {counts[2]} pause")
        if library:
            self.say_own_colours(program, re.escape(library))
        for line in sorted(set(re.findall(r"^.* stays plain .*$", report, re.MULTILINE))):
            self.say(line)

    def say_own_colours(self, program, pattern):
        """The same of those inputs of the link whose name ends as the pattern says."""
        report = Path(f"{program}.report").read_text()
        own = re.findall(rf"^.*(?:{pattern}): ([0-9]+) of ([0-9]+) functions pause$", report,
                         re.MULTILINE)  # fmt: skip
        some, every = (sum(int(count[i]) for count in own) for i in (0, 1))
        self.check(some > 0, "no function of the library pauses")
        self.say(f"functions of the library: {some} of {every} pause")
