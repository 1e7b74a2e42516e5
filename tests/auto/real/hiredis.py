"""hiredis.py - the blocking interface of hiredis: ten thousand calls wait at once, on two threads.

Its own tests pass against a server. Then each of 10,000 tasks connects, waits in redisCommand()
for an element of a list, and makes five commands more; --bench: beside it threads, and the
interface of hiredis for event loops. Last come the lines of docs/auto.md that show it."""

import os
import re
import shutil

import timing
from work import BUILD, ROOT, free_port, pinned, real

HIREDIS = pinned("hiredis")
NEEDS = ["redis-server", "redis-cli"]
CLIENTS = 10000
# of a call that waits, beside what hiredis itself takes: its buffer of 16 KB for what comes is in
# the frame, of which one page is in use
MOST_BYTES = 6 * 1024


def sources(_):
    return [HIREDIS]


def prove(work):
    work.need_files(CLIENTS + 100)
    socket, port = work.sockets / "redis", free_port()
    work.server(["redis-server", "--bind", "127.0.0.1", "--port", str(port),
                 "--unixsocket", str(socket), "--save", "", "--enable-debug-command", "yes",
                 "--maxclients", str(CLIENTS + 32),
                 "--tcp-backlog", "4096"], socket.exists)  # fmt: skip

    make = 'make CC="$CC" WARNINGS=-w static hiredis-test'
    plain, _ = work.build(HIREDIS, make, "plain")
    woven, _ = work.build(HIREDIS, make, "auto")
    own_tests(work, plain, woven, socket, port)

    def program(name, sources, tree, woven=False, options=""):
        return work.program(name, sources, woven, f"-I{tree} {tree}/libhiredis.a", options)

    tasks = program("tasks", ["hiredis_tasks.c", "hiredis_client.c"], woven, woven=True)
    threads = program("threads", ["hiredis_threads.c", "hiredis_client.c"], plain)
    events = program("async", ["hiredis_async.c"], plain)
    own = waiting(work, events, socket, "own")
    parked = waiting(work, tasks, socket)
    work.say(f"memory of a call that waits: {parked} bytes, {own} of which are hiredis' own")
    work.check(parked - own <= MOST_BYTES, f"a call that waits takes {parked - own} bytes")
    if work.bench:
        waiting(work, threads, socket)
        waiting(work, events, socket)

    work.say_colours(tasks, "libhiredis.a")
    pair = timing.programs(work, "hiredis", ["hiredis_bench.c"],
                           [f"-I{t} {t}/libhiredis.a" for t in (plain, woven)])  # fmt: skip
    for what, words in (("20,000 PING", f"{socket} 20000"), ("1,000,000 replies", "- 1000000")):
        timing.against_plain(work, what, [f"{bench} {words}" for bench in pair])
    size = work.text_bytes(threads, r"libhiredis\.a")
    work.say_size("-O3", size, work.text_bytes(tasks, r"libhiredis\.a"), 1.6)
    small(work, make, program)
    walk_through(work, port)


def walk_through(work, port):
    """The lines of docs/auto.md, with an installed co4."""
    place, prefix = work.folder / "ten-lines", work.folder / "prefix"
    work.run(f"cmake --install {BUILD} --prefix {prefix}", work.folder)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    real.unpack(work.archives.get(*HIREDIS), place)
    shutil.copy(ROOT / "docs" / "samples" / "auto" / "hiredis.c", place)
    page = (ROOT / "docs" / "auto.md").read_text()
    lines = re.search("^## A library in ten lines$.*?^```sh\n(.*?)^```$", page, re.M | re.S)[1]
    fetch, rest = lines.split("\n", 1)
    work.check(fetch == "apt-get source hiredis", "docs/auto.md fetches something else")
    text = work.run(rest.replace("6379", str(port)), place, 120,
                    PATH=f"{prefix}/bin:{os.environ['PATH']}",
                    PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig")
    work.check("1000 replies" in text, "the program of docs/auto.md prints something else")


def own_tests(work, plain, woven, socket, port):
    counts = []
    for tree in (plain, woven):
        work.run(f"redis-cli -s {socket} flushall", tree)
        text = work.run(f"./hiredis-test -s {socket} -h 127.0.0.1 -p {port}", tree)
        work.check("ALL TESTS PASSED" in text, "hiredis-test does not say that all have passed")
        counts.append(len(re.findall("^#.*PASSED", text, re.MULTILINE)))
    work.check(counts[0] == counts[1] > 80, f"{counts} tests of hiredis pass, plain and woven")
    work.say(f"its own tests: {counts[1]} pass, plain and woven")


def waiting(work, program, socket, *arguments):
    """Runs a program with all its clients. Returns the bytes that each takes."""
    work.run(f"redis-cli -s {socket} flushall", work.folder)
    text = work.run(f"{program} {socket} {CLIENTS} {' '.join(arguments)}", work.folder, 300)
    for line in text.splitlines():
        work.say(line)
    return int(re.search("wait, ([0-9]+) bytes each", text)[1])


def small(work, make, program):
    """The same for size: -Os, and one body for both ways into a function."""
    make += " OPTIMIZATION=-Os"
    plain, _ = work.build(HIREDIS, make, "plain-small")
    woven, _ = work.build(HIREDIS, make, "auto-small", " --entry=single")
    one = program("threads-small", ["hiredis_threads.c", "hiredis_client.c"], plain)
    other = program("tasks-small", ["hiredis_tasks.c", "hiredis_client.c"], woven, woven=True,
                    options=" --entry=single")
    work.say_size("-Os --entry=single", work.text_bytes(one, r"libhiredis\.a"),
                  work.text_bytes(other, r"libhiredis\.a"), 1.75)
