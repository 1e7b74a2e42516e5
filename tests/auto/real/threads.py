"""threads.py - servers with a thread for each client, whose threads are tasks (--auto=threads).

Two proxies and two web servers, built by their own build systems, plain and woven; no line is
changed. Many clients are connected at once, and each hears its own words again, or the same answer.
The woven server has a few threads of the system. Beside it stands the plain one, which has a thread
for each client. With --bench the web servers also answer as many requests as they can."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from work import HERE, ROOT, Failed, Missing

MICROSOCKS = ("microsocks", "1.0.3",
              "6801559b6f8e17240ed8eef17a36eea8643412b5a7476980fd4e24b02a021b82")
TINYPROXY = ("tinyproxy", "1.11.1",
             "d66388448215d0aeb90d0afdd58ed00386fb81abc23ebac9d80e194fceb40f7c")
MICROHTTPD = ("libmicrohttpd", "0.9.75",
              "796e7e217a4802679fcac667a4e98501c53185dcf50ca0583870e84192620131")
CIVETWEB = ("civetweb", "1.15+dfsg",
            "ec372e9737bc820118bbb735f46a07d41f795814ca0f38bc6e67048e7a460f33")
NEEDS = ["make"]
WORKERS = 2
POOL = 64
CLIENTS = 1000  # with --bench: MANY, or fewer where a process may not have the files
MANY = {"microsocks": 9000, "tinyproxy": 9000, "libmicrohttpd": 19000, "civetweb": 19000}
FILES = {"microsocks": 2, "tinyproxy": 2, "libmicrohttpd": 1, "civetweb": 1}  # for each client
SECONDS = 5
# The source has what its build system makes; the dates of the files say otherwise.
KEEP = "find . -name '*.am' -o -name configure.ac | xargs touch -d 2020-01-01 && touch aclocal.m4 && " \
       "sleep 1 && touch configure config.h.in && find . -name Makefile.in | xargs touch && "
# Where a build asks the compiler for more than compilations, co4weave stands before those alone.
LAUNCHERS = 'before=$(echo ${CC%cc} | tr " " ";"); CC=cc cmake -S . -B b ' \
            '-DCMAKE_C_COMPILER_LAUNCHER="$before" -DCMAKE_C_LINKER_LAUNCHER="$before" '
BUILDS = {  # the source, how it is built, the server in it
    "microsocks": (MICROSOCKS, 'make CC="$CC" CFLAGS=-O2', "microsocks"),
    "tinyproxy": (TINYPROXY, KEEP + './configure CC="$CC" CFLAGS=-O2 && make', "src/tinyproxy"),
    "libmicrohttpd": (MICROHTTPD, './configure --disable-doc --disable-shared --disable-https '
                      '--disable-examples CC="$CC" CFLAGS=-O2 && make', None),
    "civetweb": (CIVETWEB, LAUNCHERS + "-DCMAKE_BUILD_TYPE=Release -DCIVETWEB_BUILD_TESTING=OFF "
                 "-DCIVETWEB_ENABLE_SSL=OFF && make -C b", "b/src/civetweb"),
}  # fmt: skip
# What runs of their own tests without --bench.
TESTS = {"microhttpd": "test_start_stop test_upgrade", "testcurl": "test_get test_quiesce"}
CASES = ("Config Options", "Aux functions", "Start threads", "Timer Mixed")
CONF = """Port {port}
Listen 127.0.0.1
Timeout 100
MaxClients {most}
LogLevel Critical
LogFile "{log}"
"""


def sources(name):
    return [BUILDS[name][0]]


def is_proxy(work):
    return FILES[work.name] == 2


def prove(work):
    source, command, program = BUILDS[work.name]
    if work.name == "civetweb" and not shutil.which("cmake"):
        raise Missing("there is no cmake")
    trees = [work.build(source, command, "plain"),
             work.build(source, command, "auto", options="=threads")]  # fmt: skip
    work.say(f"build: {trees[0][1]:.0f} s plain, {trees[1][1]:.0f} s woven")
    if work.name == "libmicrohttpd":
        microhttpd_tests(work, trees[1][0])
    if work.name == "civetweb":
        civetweb_tests(work, [tree for tree, _ in trees])
    count = clients_at_once(work)
    programs = [tree / program if program else microhttpd_server(work, tree, how)
                for how, (tree, _) in zip(("plain", "woven"), trees)]  # fmt: skip
    measured = []
    for how, server in zip(("plain", "woven"), programs):
        one = serve(work, how, server, count)
        work.say(f"{count} clients at once, {how}: {one['threads']} threads, {one['rss']} KB, "
                 f"{one['cpu']:.2f} s of processors, {one['seconds']:.2f} s")
        measured.append(one)
    plain, woven = measured
    work.check(plain["threads"] > count, "the plain one has no thread for each client")
    # the first thread, the monitor, and those of the pool, which writes to files, as a log is one
    work.check(woven["threads"] <= WORKERS + 2 + POOL,
               f"the woven one has {woven['threads']} threads")
    work.check(woven["rss"] < plain["rss"], "the woven one has no less memory")
    if work.bench and not is_proxy(work):
        for some in (64, count):
            for how, server in zip(("plain", "woven"), programs):
                ask(work, how, server, some)


def clients_at_once(work):
    count = MANY[work.name] if work.bench else CLIENTS
    work.need_files(FILES[work.name] * count + 200)
    return count


# ---- their own tests ----


def microhttpd_tests(work, tree):
    """Each is a program, which the link weaves with the library."""
    if not shutil.which("curl-config"):
        raise Missing("there is no curl-config: scripts/prepare real")
    for folder, tests in TESTS.items():
        only = "" if work.bench else f"TESTS='{tests}' check_PROGRAMS='{tests}'"
        said = work.run(f"make -C src/{folder} check {only}", tree, 1500)
        passed, failed = (re.search(rf"^# {word}: +(\d+)$", said, re.MULTILINE)[1]
                          for word in ("PASS", "FAIL"))  # fmt: skip
        work.check(int(passed) >= len(tests.split()) and failed == "0", f"its tests fail: {folder}")
        work.say(f"{passed} of its own tests pass, woven: {folder}")


def civetweb_tests(work, trees):
    """One program, less what needs TLS or a network. Its build would bring a library for tests from
    the internet; Debian has that, too."""
    if not Path("/usr/include/check.h").exists():
        raise Missing("there is no check.h: scripts/prepare real")
    listed = re.findall(r'^civetweb_add_test\((\w+) "(.*)"\)',
                        (trees[0] / "unittest" / "CMakeLists.txt").read_text(), re.MULTILINE)
    wanted = [(suite, case) for suite, case in listed
              if (case in CASES or work.bench) and "HTTPS" not in case and "TLS" not in case]
    results = []
    for how, tree in zip(("plain", "woven"), trees):
        folder, program = tree / "unittest", work.folder / f"civetweb-tests-{how}"
        work.run(f"{work.compiler(how == 'woven', '=threads')} -O1 -w -DNO_SSL -I../include main.c "
                 "shared.c public_func.c public_server.c private.c private_exe.c timertest.c "
                 f"-lcheck -lsubunit -lrt -lm -ldl -pthread -o {program}", folder)  # fmt: skip
        results.append([
            work.status(f"{program} --test-dir={folder}/ '--suite={suite}' '--test-case={case}' "
                        f"--test-log={work.folder}/{how}-tests", folder, 120)
            for suite, case in wanted])  # fmt: skip
    for (_, case), plain, woven in zip(wanted, *results):
        work.check(plain == woven, f"its test '{case}': {plain} plain, {woven} woven")
    work.check(results[0].count(0) > 0.9 * len(wanted), "its own tests fail, plain, too")
    work.say(f"{results[0].count(0)} of {len(wanted)} of its own tests pass, plain and woven")


def microhttpd_server(work, tree, how):
    return work.program(f"microhttpd-{how}", ["microhttpd_server.c"], how == "woven",
                        f"-I{tree}/src/include {tree}/src/microhttpd/.libs/libmicrohttpd.a",
                        options="=threads" if how == "woven" else "")


# ---- servers and their clients ----


def command_of(work, how, program, port, count):
    if work.name == "microsocks":
        return [program, "-i", "127.0.0.1", "-p", str(port)]
    if work.name == "tinyproxy":
        conf = work.folder / f"{how}.conf"
        conf.write_text(CONF.format(port=port, most=count + 10, log=work.folder / f"{how}.log"))
        return [program, "-d", "-c", conf]
    if work.name == "libmicrohttpd":
        return [program, str(port), str(count + 10)]
    (work.folder / "root").mkdir(exist_ok=True)
    (work.folder / "root" / "index.html").write_text("hello\n")
    options = {"listening_ports": f"127.0.0.1:{port}", "document_root": work.folder / "root",
               "num_threads": str(count + 10), "enable_keep_alive": "yes", "listen_backlog": "4096",
               "keep_alive_timeout_ms": "200000", "request_timeout_ms": "200000"}  # fmt: skip
    return [program, *(word for name, value in options.items() for word in ("-" + name, value))]


class Server:
    """A server that runs until the end of a `with`, and ends well then."""

    def __init__(self, work, how, program, count):
        self.work, self.how = work, how
        # no client has one so low
        self.port = 10000 + os.getpid() % 20000 + (how == "woven") + 2 * (count < 100)
        self.said = work.folder / f"{how}.said"
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen(
                command_of(work, how, program, self.port, count), stdin=subprocess.PIPE,
                stdout=said, stderr=said, env={**os.environ, "CO4_WORKERS": str(WORKERS)})

    def __enter__(self):
        return self

    def status(self, word):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{word}:\s+(\d+)", text)[1])

    def cpu(self):
        used = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")

    def __exit__(self, kind, *_):
        try:
            if kind is None and not is_proxy(self.work):
                self.process.send_signal(signal.SIGTERM if self.work.name == "civetweb" else 0)
                self.process.stdin.close()
                self.work.check(self.process.wait(100) == 0,
                                f"{self.how}: the server ends with {self.process.returncode}")
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{self.how}: the server does not end") from late
        finally:
            self.process.kill()
            self.process.wait()


def serve(work, how, program, count):
    """Starts the server and the clients. Returns what /proc says while all are connected."""
    with Server(work, how, program, count) as server:
        command = [sys.executable, HERE / "clients.py", work.name, str(server.port), str(count)]
        with open(server.said, "ab") as said, subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True
        ) as clients:  # fmt: skip
            try:
                begun = time.monotonic()
                if clients.stdout.readline() != "all are there\n":
                    raise Failed(f"{how}: not all clients are connected: see {server.said}")
                threads, rss = server.status("Threads"), server.status("VmRSS")
                clients.stdin.write("go on\n")
                clients.stdin.flush()
                told = clients.stdout.readline()
                if told != f"{count} have heard\n":
                    raise Failed(f"{how}: not all clients have heard: {told!r}, {server.said}")
                seconds = time.monotonic() - begun
            finally:
                clients.kill()
        return {"threads": threads, "rss": rss, "seconds": seconds, "cpu": server.cpu()}


def ask(work, how, program, count):
    """One request after the other on each connection."""
    load = work.folder / "load"
    work.run(f"cc -O2 {ROOT}/bench/io/load.c -o {load}", work.folder)
    with Server(work, how, program, count) as server:
        time.sleep(1 + count / 2000)  # a thread for each may begin with the server
        with subprocess.Popen([load, "http", str(server.port), str(count), str(SECONDS), "/"],
                              stdout=subprocess.PIPE, text=True) as process:  # fmt: skip
            if process.stdout.readline() != "begin\n":
                raise Failed(f"{how}: the load does not begin")
            before = server.cpu()
            figures = json.loads(process.stdout.readline())
            cpu = server.cpu() - before
        work.say(f"requests on {count} connections, {how}: {figures['rate']} a second, 99 % within "
                 f"{figures['p99'] / 1000:.1f} ms, {1e6 * cpu / figures['messages']:.1f} us of "
                 f"processors each")
