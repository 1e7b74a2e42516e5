"""server.py - the server of `playground --serve`: weaves and compiles C that its page sends.

It listens on loopback alone. Its address has a token, which each request for work repeats: other
users of the machine and other pages of the browser do not know it. A page that has got there by
another name of this machine, or that is another site's, is refused by Host and Origin. The size of
a request, the time of a build, its output, and the number of builds and connections are limited.

Each request works in a folder of its own, which is removed. An #include of a path that begins with
/ or has .. is refused. That is against accidents: a compiler can read any file that its user can,
so C is to be trusted with what it may print."""

import base64
import contextlib
import http.server
import json
import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
SOURCE = "main.c"
MOST_BYTES = 256 * 1024  # of a request
MOST_SAID = 1024 * 1024  # of what a command prints
MOST_FILE = 256 * 1024 * 1024  # of a file that a command writes
MOST_CONNECTIONS = 64
BUILDS = 2  # at the same time
WAITING = 8  # requests for builds, those that run included
SECONDS = float(os.environ.get("CO4_PLAYGROUND_SECONDS") or 120)  # of a command
IDLE_SECONDS = 30  # of a connection that says nothing
DEBIAN_NODE = "/usr/share/nodejs"  # where Debian's emcc has its modules
NO_PROBLEM = re.compile(r"co4weave: main\.c: nothing pausable in it; copied unchanged$")
FOR_EMSCRIPTEN = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"](emscripten|co4/js)', re.MULTILINE)

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".c": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
}

# Programs run in a worker: they come as a blob, and reach no other server.
POLICY = "; ".join([
    "default-src 'none'", "script-src 'self' blob: 'wasm-unsafe-eval'", "style-src 'self'",
    "connect-src 'self'", "worker-src 'self'", "img-src 'self' data:",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
])


class Refused(Exception):
    """A request that is not done: a status of HTTP, and why."""

    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


# ---- weaving and compiling ----


def without_comments(text):
    """C without comments, and with its lines joined as a compiler joins them. Line numbers stay."""
    text = text.replace("\r\n", "\n").replace("??/", "\\")
    text = re.sub(r"(?:\\[ \t]*\n)+([^\n]*)", lambda m: m[1] + "\n" * m[0].count("\n"), text)
    pattern = r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(
        pattern,
        lambda m: " " + "\n" * m[0].count("\n") if m[0].startswith("/") else m[0],
        text,
        flags=re.DOTALL)


def refused_includes(text):
    """Messages on directives that would read files which are no headers."""
    directive = r"^[ \t]*(?:#|%:|\?\?=)[ \t]*(?:include|include_next|import|embed)\b[ \t]*(.*)"
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        found = re.match(directive, line)
        name = found and re.match(r'[<"]([\w+-]+(?:[./][\w+-]+)*)[>"]', found[1])
        if found and not name:
            yield {
                "line": number, "severity": "error",
                "message": "the playground includes headers by their names alone",
                "hint": "no path that begins with / or has .., and no macro"
            }


class Said(str):
    """Output of a command, with its status and whether it took too long."""


children = set()  # the commands that run, each the first of its group


def end_group(number):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(number, signal.SIGKILL)


def run(words, folder):
    """Runs a command in a folder, with limits. Its children end with it."""
    blocks = MOST_FILE // 512
    limits = f'ulimit -f {blocks}; ulimit -c 0; ulimit -t {int(SECONDS) + 1}; exec "$@"'
    limited = ["/bin/sh", "-c", limits, "sh", *words]
    late = False
    with tempfile.TemporaryFile(dir=folder) as out:
        with subprocess.Popen(limited, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=subprocess.STDOUT, start_new_session=True,
                              env={
                                  "NODE_PATH": DEBIAN_NODE, **os.environ, "TMPDIR": folder,
                                  "LC_ALL": "C"
                              }) as child:
            children.add(child.pid)
            try:
                child.wait(SECONDS)
            except subprocess.TimeoutExpired:
                late = True
            finally:
                children.discard(child.pid)
                end_group(child.pid)
        out.seek(0)
        said = Said(out.read(MOST_SAID).decode(errors="replace"))
    said.late, said.status = late, 1 if late else child.returncode
    return said


class Weaver:
    """What the server does with C: co4weave, and Emscripten's compiler where there is one."""

    def __init__(self, tool, root, read_said, own_lines):
        self.tool = os.path.abspath(tool) if os.path.exists(tool) else tool
        self.read_said = read_said
        self.own_lines = own_lines
        self.web = next(
            filter(os.path.isdir,
                   (os.path.join(root, folder) for folder in ("share/co4/web", "web"))), None)
        self.include = os.path.join(root, "include")
        self.library = self.find_library(root)
        self.emcc = shutil.which("emcc")
        self.lacks = self.what_lacks()

    def find_library(self, root):
        """libco4.a for Emscripten: beside co4weave, in a build folder or in an installed copy."""
        here = os.path.dirname(os.path.realpath(shutil.which(self.tool) or self.tool))
        places = [
            os.path.join(folder, below, "libco4.a")
            for folder in (os.path.dirname(here), root, os.path.join(root, "build"))
            for below in ("targets/emscripten/lib", "lib/co4/emscripten")
        ]
        return next(filter(os.path.exists, places), None)

    def what_lacks(self):
        """Why no program runs in the page, in words; None if it does."""
        if not self.emcc:
            return ("Programs do not run here yet, for there is no emcc. `scripts/prepare "
                    "emscripten` installs it; then build co4's library for it (docs/web.md), and "
                    "start the playground again.")
        if not self.library:
            return ("Programs do not run here yet, for co4's library for Emscripten is not built. "
                    "docs/web.md has the two commands; then start the playground again.")
        if not self.web:
            return "Programs do not run here, for web/co4.mjs is not beside this playground."
        return None

    def said_by(self, text):
        """Report and messages of a command's output; lines of compilers become messages, too."""
        report, said = self.read_said(text)
        said = [one for one in said if not NO_PROBLEM.match(one["message"])]
        for message in said:
            found = re.match(rf"(?:\./)?{SOURCE}:(\d+):(?:\d+:)? (?:fatal )?(error|warning): (.*)",
                             message["message"])
            if not message["line"] and found:
                message.update(line=int(found[1]), severity=found[2], message=found[3])
            if message.get("file") not in (None, SOURCE):
                message["message"] = f"{message['file']}:{message['line']}: {message['message']}"
                message["line"] = 0
        if any(message["line"] for message in said):  # the rest is what surrounds these
            said = [message for message in said if message["severity"]]
        keys = ("line", "column", "severity", "message", "hint")
        return report, [{key: message.get(key) for key in keys} for message in said]

    def answer(self, said, **more):
        report, messages = self.said_by(said)
        if said.late:
            messages.append({
                "line": 0, "severity": "error", "message": f"it has taken more than {SECONDS:g} s"
            })
        elif said.status < 0:
            messages.append({
                "line": 0, "severity": "error", "message":
                    f"a command was ended by signal {-said.status}"
            })
        return {"status": said.status, "report": report, "said": messages, **more}

    def weave(self, folder, marked):
        """What co4weave says of the file, and what it makes of it."""
        out = os.path.join(folder, "woven.i")
        asked = ["--report=json", "--diagnostics=json"]
        with open(os.path.join(folder, SOURCE), encoding="utf-8") as file:
            its = self.emcc if self.emcc and FOR_EMSCRIPTEN.search(file.read()) else "cc"
        include = "-I" + self.include
        if marked:
            asked += ["--cc=" + its, SOURCE, "-o", out, "--", include]
        else:
            asked = ["--auto", "--auto-cache=", *asked, self.compiler(folder, its), include, SOURCE]
            asked += ["-o", "program.js" if its == self.emcc else "program"]
        said = run([self.tool, *asked], folder)
        if said.status == 0 and '"name"' not in said:  # nothing is woven: is it C at all?
            said = run([its, "-fsyntax-only", include, SOURCE], folder)
        text = ""
        if os.path.exists(out) and os.path.getsize(out) <= 32 * MOST_BYTES:
            with open(out, encoding="utf-8", errors="replace") as file:
                text = file.read()
        done = self.answer(said)
        done["woven"] = list(self.own_lines(text, SOURCE, done["report"]))
        return done

    def compiler(self, folder, command):
        """A compiler that keeps the woven text which it is given."""
        path, kept = os.path.join(folder, "keep"), shlex.quote(os.path.join(folder, "woven.i"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nfor word; do case $word in *.i) cp "$word" {kept} ;; esac; done\n'
                       f'exec {command} "$@"\n')
        os.chmod(path, 0o700)
        return path

    def build(self, folder, marked):
        """A module for the page: its script, and its code in base64."""
        if self.lacks:
            raise Refused(501, self.lacks)
        flags = [
            "-sMODULARIZE", "-sEXPORT_ES6", "-sEXIT_RUNTIME=1", "-sENVIRONMENT=web,worker",
            "-Wl,-u,co4__js_tasks", "--js-library",
            os.path.join(self.web, "library.js")
        ]
        weave = [self.tool, "--diagnostics=json", "--tables=full"]
        compile_ = ["-Os", "-I" + self.include]
        if marked:
            said = run([
                *weave, self.emcc, *compile_, "-c", SOURCE, "-o", "main.o"
            ], folder)
            if said.status == 0:
                said = run([self.emcc, "-Os", "main.o", self.library, *flags, "-o", "main.mjs"],
                           folder)
        else:
            said = run([
                *weave, "--auto", "--auto-cache=", self.emcc, *compile_, SOURCE, *flags, "-o",
                "main.mjs"
            ], folder)
        done = self.answer(said)
        if said.status == 0:
            with open(os.path.join(folder, "main.mjs"), encoding="utf-8") as file:
                done["script"] = file.read()
            with open(os.path.join(folder, "main.wasm"), "rb") as file:
                done["code"] = base64.b64encode(file.read()).decode()
        return done


# ---- HTTP ----


class Server(http.server.ThreadingHTTPServer):
    """The server, on loopback."""
    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, weaver, port):
        super().__init__(("127.0.0.1", port), Handler)
        self.weaver = weaver
        self.token = secrets.token_urlsafe(24)
        self.names = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}
        self.connections = threading.Semaphore(MOST_CONNECTIONS)
        self.builds = threading.Semaphore(BUILDS)
        self.waiting = threading.Semaphore(WAITING)
        self.files = {"/": os.path.join(HERE, "index.html")}
        self.add_files("/", HERE)
        if weaver.web:
            self.add_files("/web/", weaver.web)
            self.add_files("/web/kernel/", os.path.join(weaver.web, "kernel"))

    def add_files(self, path, folder):
        """The files that pages may have; there are no others."""
        for name in sorted(os.listdir(folder)):
            if os.path.splitext(name)[1] in KINDS:
                self.files[path + name] = os.path.join(folder, name)

    def process_request(self, request, client_address):
        if self.connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.release()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, socket.timeout)):
            super().handle_error(request, client_address)

    def work(self, kind, source, marked):
        """One request for work, when its turn comes."""
        if not self.waiting.acquire(blocking=False):
            raise Refused(503, "too many builds wait; try again")
        try:
            with self.builds, tempfile.TemporaryDirectory(prefix="co4-playground.") as folder:
                with open(os.path.join(folder, SOURCE), "w", encoding="utf-8", newline="") as file:
                    file.write(source)
                return getattr(self.weaver, kind)(folder, marked)
        finally:
            self.waiting.release()


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""
    protocol_version = "HTTP/1.1"
    server_version = "co4-playground"
    sys_version = ""
    timeout = IDLE_SECONDS

    def log_message(self, *_):
        """A terminal is for what its user has to know."""

    def send(self, status, kind, body):
        self.send_response(status)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(body))),
                            ("Content-Security-Policy", POLICY), ("Cache-Control", "no-store"),
                            ("X-Content-Type-Options", "nosniff"),
                            ("Referrer-Policy", "no-referrer"),
                            ("Cross-Origin-Opener-Policy", "same-origin"),
                            ("Cross-Origin-Resource-Policy", "same-origin")]:
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_json(self, status, value):
        self.send(status, KINDS[".json"], json.dumps(value).encode())

    def answer(self, how):
        try:
            self.check_name()
            how()
        except Refused as refused:
            self.close_connection = True  # what is left of the request is not read
            self.send_json(refused.status, {"why": str(refused)})

    def check_name(self):
        """Refuses a page that comes by another name of this machine, and other sites' pages."""
        if self.headers.get("Host") not in self.server.names:
            raise Refused(421, "this is no name of the playground")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {"http://" + name for name in self.server.names}:
            raise Refused(403, "another site's page asks")

    def do_GET(self):  # pylint: disable=invalid-name
        self.answer(self.file)

    do_HEAD = do_GET

    def do_POST(self):  # pylint: disable=invalid-name
        self.answer(self.work)

    def file(self):
        path = self.path.split("?")[0]
        if path == "/about":
            self.check_token()
            self.send_json(200, {"lacks": self.server.weaver.lacks})
            return
        name = self.server.files.get(path)
        if not name:
            raise Refused(404, "there is no such file")
        with open(name, "rb") as file:
            self.send(200, KINDS[os.path.splitext(name)[1]], file.read())

    def check_token(self):
        said = self.headers.get("X-Co4-Token") or ""
        if not secrets.compare_digest(said.encode(), self.server.token.encode()):
            raise Refused(403, "the token is wrong: open the address that the playground has printed")

    def work(self):
        kind = self.path[1:]
        if kind not in ("weave", "build"):
            raise Refused(404, "there is no such request")
        self.check_token()
        source, marked = self.asked()
        refused = list(refused_includes(source))
        if refused:
            self.send_json(200, {
                "status": 1, "report": {"functions": []}, "said": refused, "woven": []
            })
            return
        self.send_json(200, self.server.work(kind, source, marked))

    def asked(self):
        """The source that the request has, and whether it has marks."""
        length = self.headers.get("Content-Length") or ""
        if self.headers.get_content_type() != "application/json":
            raise Refused(415, "the request is no JSON")
        if not re.fullmatch(r"\d{1,9}", length):
            raise Refused(411, "the request does not say how long it is")
        if int(length) > MOST_BYTES:
            raise Refused(413, f"more than {MOST_BYTES // 1024} KiB")
        try:
            said = json.loads(self.rfile.read(int(length)))
            source, mode = said["source"], said["mode"]
            source.encode()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise Refused(400, "the request is not as it has to be") from error
        if mode not in ("marks", "auto") or "\0" in source:
            raise Refused(400, "the request is not as it has to be")
        return source, mode == "marks"


def end_with(parent, server):
    """Ends the server with the process that has started it."""
    while os.getppid() == parent:
        time.sleep(0.5)
    server.shutdown()


def serve(weaver, port):
    """Serves until Ctrl-C, SIGTERM or the end of the parent."""
    try:
        server = Server(weaver, port)
    except OSError as error:
        sys.exit(f"playground: port {port}: {error.strerror}")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    threading.Thread(target=end_with, args=(os.getppid(), server), daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/#token={server.token}", flush=True)
    if weaver.lacks:
        print(weaver.lacks, file=sys.stderr)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever(poll_interval=0.1)
    server.server_close()
    for _ in range(WAITING):  # what runs ends, and removes its folder
        while not server.waiting.acquire(timeout=0.1):
            for number in list(children):
                end_group(number)
    return 0
