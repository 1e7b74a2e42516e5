"""threads.py - proxies with a thread for each client, whose threads are tasks (--auto=threads).

microsocks and tinyproxy, built by their own build systems, plain and woven; no line is changed.
Many clients are connected through the proxy at once, and each hears its own words again. The woven
one has a few threads of the system. Beside it stands the plain one, which has a thread for each."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from work import HERE, Failed

MICROSOCKS = ("microsocks", "1.0.3",
              "6801559b6f8e17240ed8eef17a36eea8643412b5a7476980fd4e24b02a021b82")
TINYPROXY = ("tinyproxy", "1.11.1",
             "d66388448215d0aeb90d0afdd58ed00386fb81abc23ebac9d80e194fceb40f7c")
NEEDS = ["make"]
WORKERS = 2
POOL = 64
CLIENTS = 1000  # with --bench: MANY
MANY = 9000
# The source has what its build system makes; the dates of the files say otherwise.
KEEP = "find . -name '*.am' -o -name configure.ac | xargs touch -d 2020-01-01 && touch aclocal.m4 && " \
       "sleep 1 && touch configure config.h.in && find . -name Makefile.in | xargs touch && "
BUILDS = {
    "microsocks": (MICROSOCKS, 'make CC="$CC" CFLAGS=-O2', "microsocks"),
    "tinyproxy": (TINYPROXY, KEEP + './configure CC="$CC" CFLAGS=-O2 && make', "src/tinyproxy"),
}
CONF = """Port {port}
Listen 127.0.0.1
Timeout 100
MaxClients {most}
LogLevel Critical
LogFile "{log}"
"""


def sources(name):
    return [BUILDS[name][0]]


def prove(work):
    source, command, program = BUILDS[work.name]
    trees = [work.build(source, command, "plain"),
             work.build(source, command, "auto", options="=threads")]  # fmt: skip
    work.say(f"build: {trees[0][1]:.0f} s plain, {trees[1][1]:.0f} s woven")
    count = MANY if work.bench else CLIENTS
    work.need_files(2 * count + 200)
    measured = []
    for how, (tree, _) in zip(("plain", "woven"), trees):
        one = serve(work, how, tree / program, count)
        work.say(f"{count} clients at once, {how}: {one['threads']} threads, {one['rss']} KB, "
                 f"{one['cpu']:.2f} s of processors, {one['seconds']:.2f} s")
        measured.append(one)
    plain, woven = measured
    work.check(plain["threads"] > count, "the plain one has no thread for each client")
    # the first thread, the monitor, and those of the pool, which writes to files, as a log is one
    work.check(woven["threads"] <= WORKERS + 2 + POOL,
               f"the woven one has {woven['threads']} threads")
    work.check(woven["rss"] < plain["rss"], "the woven one has no less memory")


def serve(work, how, program, count):
    """Starts the proxy and the clients. Returns what /proc says while all are connected."""
    port = 10000 + os.getpid() % 20000 + (how == "woven")  # no client has one so low
    arguments = ["-i", "127.0.0.1", "-p", str(port)]
    if work.name == "tinyproxy":
        conf = work.folder / f"{how}.conf"
        conf.write_text(CONF.format(port=port, most=count + 10, log=work.folder / f"{how}.log"))
        arguments = ["-d", "-c", str(conf)]
    with open(work.folder / f"{how}.said", "wb") as said:
        proxy = subprocess.Popen([str(program), *arguments], stdin=subprocess.DEVNULL, stdout=said,
                                 stderr=said, env={**os.environ, "CO4_WORKERS": str(WORKERS)})
        clients = subprocess.Popen([sys.executable, str(HERE / "clients.py"), work.name, str(port),
                                    str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=said, text=True)  # fmt: skip
    try:
        begun = time.monotonic()
        if clients.stdout.readline() != "all are there\n":
            raise Failed(f"{how}: not all clients are connected: see {said.name}")
        status = Path(f"/proc/{proxy.pid}/status").read_text()
        clients.stdin.write("go on\n")
        clients.stdin.flush()
        told = clients.stdout.readline()
        if told != f"{count} have heard\n":
            raise Failed(f"{how}: not all clients have heard their words: {told!r}, {said.name}")
        seconds = time.monotonic() - begun
        used = Path(f"/proc/{proxy.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return {"threads": int(re.search(r"Threads:\s+(\d+)", status)[1]),
                "rss": int(re.search(r"VmRSS:\s+(\d+)", status)[1]), "seconds": seconds,
                "cpu": (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")}  # fmt: skip
    finally:
        for process in (clients, proxy):
            process.kill()
            process.wait()
