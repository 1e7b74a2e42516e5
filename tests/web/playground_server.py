#!/usr/bin/env python3
"""playground_server.py - the server of `scripts/playground --serve` by itself: what it weaves, and
whom it refuses; too much, too long, too many; its ends.

    playground_server.py FOLDER      a folder that exists, for temporary files"""

import concurrent.futures
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
PLAYGROUND = os.path.join(os.path.dirname(os.path.dirname(HERE)), "scripts", "playground")
FOLDER = sys.argv[1]

GOOD = """#include <co4.h>
pausable int twice(int n)
{
    co4_yield();
    return 2 * n;
}
int main(void)
{
    return co4_run(twice(0));
}
"""


class Playground:
    """A server that runs, and an address with a token."""

    def __init__(self, **environment):
        self.process = subprocess.Popen([PLAYGROUND, "--serve"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, "TMPDIR": FOLDER, **environment})
        line = self.process.stdout.readline()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#token=([\w-]{20,})\n", line)
        assert found, line
        self.port, self.token = int(found[1]), found[2]

    def ask(self, method, path, body=None, timeout=100, **headers):
        """Status, headers, body. Header names are written with _; None leaves one out."""
        all_headers = {
            "Host": f"127.0.0.1:{self.port}", "X-Co4-Token": self.token,
            "Content-Type": "application/json"
        }
        all_headers.update((name.replace("_", "-"), value) for name, value in headers.items())
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            if body is not None and "Content_Length" not in headers:
                all_headers["Content-Length"] = str(len(body))
            for name, value in all_headers.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def post(self, path, source, mode="marks", **headers):
        status, _, body = self.ask("POST", path,
                                   json.dumps({"source": source, "mode": mode}).encode(), **headers)
        return status, json.loads(body)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        assert self.process.wait(60) == 0, self.process.returncode
        self.process.stdout.close()


def until(what, holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def folders():
    return [name for name in os.listdir(FOLDER) if name.startswith("co4-playground.")]


def weaves(server):
    status, done = server.post("/weave", GOOD)
    assert (status, done["status"], done["said"]) == (200, 0, []), done
    [twice] = done["report"]["functions"]
    assert (twice["name"], [point["line"] for point in twice["points"]]) == ("twice", [4]), twice
    assert [4, "    co4_yield();"] not in done["woven"]
    assert any(line == 4 and "co4_yield" in text for line, text in done["woven"]), done["woven"]
    status, done = server.post("/weave", GOOD.replace("pausable int", "int"))
    assert (status, done["status"]) == (200, 1), done
    assert any(said["line"] == 4 and said["severity"] == "error" and "pausable" in said["message"]
               for said in done["said"]), done
    status, done = server.post("/weave", "int main(void) { return x; }\n")
    assert done["status"] != 0 and len(done["said"]) == 1 and done["said"][0]["line"] == 1, done
    status, done = server.post("/weave", "")
    assert (status, done["status"]) == (200, 0), done
    assert not folders()


def weaves_without_marks(server):
    source = '#include <unistd.h>\nint main(void)\n{\n    sleep(1);\n    return 0;\n}\n'
    status, done = server.post("/weave", source, "auto")
    assert (status, done["status"]) == (200, 0), done
    [its_main] = done["report"]["functions"]
    assert its_main["points"][0]["line"] == 4, its_main
    assert any(line == 4 and "sleep" in text for line, text in done["woven"]), done["woven"]
    assert not folders()


def refuses_includes(server):
    for line in ('#include "/etc/passwd"', "#include </etc/passwd>", '#include "../x.h"',
                 '# /**/ include "/etc/passwd"', '%:include "/etc/passwd"', "#include FILE",
                 '#inc\\\nlude "/etc/passwd"', '#include_next "/etc/passwd"',
                 '#include "a/../../b"', '??=include "/etc/passwd"',
                 '/* */ #include "/etc/passwd"', '#embed "/etc/passwd"'):
        status, done = server.post("/weave", f'// \\\n\n"\\\\" /* \n */ \n{line}\n')
        assert (status, done["status"]) == (200, 1), (line, done)
        [said] = done["said"]
        assert said["line"] == 5 and "root" not in str(done), (line, done)
    for line in ("#include <sys/types.h>", '#include "co4.h"', '// #include "/x"',
                 'char *a = "\\\n#include \\"/x\\"";'):
        status, done = server.post("/weave", f"{line}\n")
        assert (status, done["status"]) == (200, 0), (line, done)


def guards(server):
    body = json.dumps({"source": "", "mode": "marks"}).encode()
    port = server.port
    wrong = [
        (403, {"Origin": "http://example.org"}), (403, {"Origin": "null"}),
        (403, {"Origin": f"https://127.0.0.1:{port}"}), (421, {"Host": f"example.org:{port}"}),
        (421, {"Host": "127.0.0.1"}), (421, {"Host": None}), (403, {"X_Co4_Token": None}),
        (403, {"X_Co4_Token": "é"}), (403, {"X_Co4_Token": server.token[:-1]}),
        (415, {"Content_Type": "text/plain"}), (411, {"Content_Length": None}),
        (411, {"Content_Length": "-1"}), (413, {"Content_Length": str(256 * 1024 + 1)})
    ]
    for want, headers in wrong:
        status, answer, said = server.ask("POST", "/weave", body, **headers)
        assert status == want and json.loads(said)["why"], (want, status, headers)
        assert "Access-Control-Allow-Origin" not in answer
    for good in ({"Origin": f"http://127.0.0.1:{port}"}, {"Host": f"localhost:{port}"}):
        status, _, said = server.ask("POST", "/weave", body, **good)
        assert status == 200, said
    for bad in (b"", b"{", b"[]", b"1", b'{"source": 1, "mode": "marks"}', b'{"source": ""}',
                b'{"source": "", "mode": "other"}', b'{"source": "\\u0000", "mode": "marks"}',
                b'{"source": "\\ud800", "mode": "marks"}', b"\xff", b"[" * 100000):
        status, _, said = server.ask("POST", "/weave", bad)
        assert status == 400, (bad[:40], status, said)
    for method, path, want in (("POST", "/run", 404), ("POST", "/", 404), ("PUT", "/weave", 501),
                               ("OPTIONS", "/weave", 501), ("GET", "/server.py", 404),
                               ("GET", "/../server.py", 404), ("GET", "/nothing", 404),
                               ("GET", "//etc/passwd", 404), ("GET", "/web/../server.py", 404)):
        status, answer, _ = server.ask(method, path, b"")
        assert status == want, (method, path, status)
        assert "Access-Control-Allow-Origin" not in answer
    for path in ("/", "/page.mjs", "/web/co4.mjs", "/web/kernel/process.mjs", "/pingpong.c"):
        status, answer, said = server.ask("GET", path, X_Co4_Token=None)
        assert status == 200 and said and "script-src 'self'" in answer["Content-Security-Policy"]
        assert server.token.encode() not in said
    status, _, said = server.ask("GET", "/about", X_Co4_Token=None)
    assert status == 403, status
    with socket.create_connection(("127.0.0.1", port), timeout=60) as raw:
        raw.sendall(b"\0\1\2 no HTTP\r\n\r\n")
        assert b"400" in raw.recv(1000)


def takes_many(server):
    """Thirty at once: each is answered, by 200 or 503, and it weaves again after that."""
    with concurrent.futures.ThreadPoolExecutor(30) as pool:
        answers = list(pool.map(lambda _: server.post("/weave", GOOD), range(30)))
    counts = {status: sum(one[0] == status for one in answers) for status in (200, 503)}
    assert counts[200] >= 8 and sum(counts.values()) == 30, counts
    assert all(done["status"] == 0 for status, done in answers if status == 200)
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(80)]
    until("the last is closed", lambda: closed(silent[-1]))
    for one in silent:
        one.close()
    until("it serves again", lambda: asks_well(server))
    assert not folders()


def closed(connection):
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def asks_well(server):
    try:
        return server.post("/weave", GOOD)[0] == 200
    except (ConnectionError, http.client.HTTPException):
        return False


def compilers(folder):
    """The commands whose folder that is, or whose arguments name it."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd").startswith(folder):
                found.append(pid)
        except OSError:
            pass
    return found


def is_slow():
    """A co4weave that takes for ever, and has a child that does so, too."""
    path = os.path.join(FOLDER, "slow")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nsleep 1000 &\nsleep 1000\n")
    os.chmod(path, 0o700)
    return path


def ends_what_takes_long():
    server = Playground(CO4WEAVE=is_slow(), CO4_PLAYGROUND_SECONDS="1")
    status, done = server.post("/weave", GOOD)
    assert status == 200 and done["status"] == 1, done
    assert "more than 1 s" in done["said"][-1]["message"], done
    until("its commands end", lambda: not compilers(os.path.join(FOLDER, "co4-playground.")))
    assert not folders()
    server.end()


def says_little():
    """A co4weave that prints without an end is cut, and one that crashes is told of."""
    for script, words in (("exec yes", "more than 2 s"), ("kill -SEGV $$", "signal 11")):
        path = os.path.join(FOLDER, "odd")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o700)
        server = Playground(CO4WEAVE=path, CO4_PLAYGROUND_SECONDS="2")
        status, _, body = server.ask("POST", "/weave", b'{"source": "", "mode": "marks"}')
        last = json.loads(body)["said"][-1]["message"]
        assert status == 200 and len(body) < 64 * 1024 * 1024, len(body)
        assert words in last or "signal 25" in last, last
        server.end()


def ends():
    """It ends by a signal and with its parent, and what it has begun ends with it."""
    server = Playground(CO4WEAVE=is_slow())
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        asked = pool.submit(server.post, "/weave", GOOD)
        until("it weaves", folders)
        server.end(signal.SIGINT)
        try:
            asked.result(60)
        except (ConnectionError, http.client.HTTPException, ValueError):
            pass
    assert not folders()
    until("the commands end", lambda: not compilers(os.path.join(FOLDER, "co4-playground.")))
    parent = subprocess.Popen(["/bin/sh", "-c", f'"{PLAYGROUND}" --serve & echo $!; wait'],
                              stdout=subprocess.PIPE, text=True)
    said = sorted([parent.stdout.readline(), parent.stdout.readline()])
    parent.kill()
    parent.wait()
    until("it ends with its parent", lambda: not os.path.exists(f"/proc/{int(said[0])}"))
    parent.stdout.close()


def misused():
    for words, status in ((["--serve", "--port", "70000"], 1), (["--serve", "x.c"], 1),
                          (["--serve", "--port"], 1)):
        done = subprocess.run([PLAYGROUND, *words], capture_output=True, text=True, check=False,
                              timeout=60)
        assert done.returncode == status and "--serve takes" in done.stderr, done
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run([PLAYGROUND, "--serve", "--port", port], capture_output=True,
                              text=True, check=False, timeout=60)
        assert done.returncode == 1 and f"port {port}: " in done.stderr, done


def main():
    server = Playground()
    failed = 0
    tests = [weaves, weaves_without_marks, refuses_includes, guards, takes_many]
    for test, words in [(test, (server,)) for test in tests] + [
            (test, ()) for test in (ends_what_takes_long, says_little, ends, misused)]:
        try:
            test(*words)
        except (AssertionError, OSError, http.client.HTTPException) as error:
            print(f"{test.__name__}, line {error.__traceback__.tb_next.tb_lineno}: {error!r}")
            failed = 1
    server.end()
    return failed


sys.exit(main())
