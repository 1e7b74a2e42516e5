"""libpq.py - libpq and a PostgreSQL server: 500 calls of PQexec() at once on two threads.

Queries also end early: the server is told by PQcancel(), its statement_timeout passes, or the task
is cancelled. libpq_pipeline, of PostgreSQL's own tests, gives the traces that it has to give."""

import os
import shutil
from pathlib import Path

import timing
from work import Missing

POSTGRES = ("postgresql-15", "15.18",
            "11df0df97fe3ea4ba9a791faaf39cee1d2fe571e78885b5b55d8517d27c323b4")  # fmt: skip
NEEDS = ["make", "perl", "bison"]
QUERIES = 500
BUILD = ("./configure --without-readline --without-zlib --without-icu --without-openssl"
         " CFLAGS=-O2 && make -C src/backend generated-headers"
         " && make -C src/interfaces/libpq all-static-lib"
         " && make -C src/test/modules/libpq_pipeline libpq_pipeline")  # fmt: skip
LIBRARIES = ("interfaces/libpq/libpq", "common/libpgcommon_shlib", "port/libpgport_shlib")


def sources(_):
    return [POSTGRES]


def start_server(work, initdb="-A trust", port=5432, *settings):
    """Its files in work.sockets are its own. Returns a connection string, of the user of initdb."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        raise Missing("there is no postgresql: scripts/prepare real")
    as_user = []
    if os.getuid() == 0:  # the server refuses root
        if not shutil.which("runuser"):
            raise Missing("there is no runuser")
        as_user = ["runuser", "-u", "postgres", "--"]
        work.run(f"chown -R postgres {work.sockets}", work.sockets)
    data = work.sockets / "data"
    work.run(" ".join([*as_user, str(found[-1]), initdb, "-N", "-U", "postgres", "-D",
                       str(data)]), work.sockets)  # fmt: skip
    work.server([*as_user, str(found[-1].parent / "postgres"), "-D", str(data), "-k",
                 str(work.sockets), "-p", str(port), "-c", "listen_addresses=", "-c", "fsync=off",
                 "-c", f"max_connections={QUERIES + 60}", "-c", "shared_buffers=16MB",
                 *(word for setting in settings for word in ("-c", setting))],
                (work.sockets / f".s.PGSQL.{port}").exists)  # fmt: skip
    return f"host={work.sockets} user=postgres dbname=postgres"


def arguments(tree):
    """Of a program with libpq."""
    return (f"-I{tree}/src/interfaces/libpq -I{tree}/src/include "
            + " ".join(f"{tree}/src/{library}.a" for library in LIBRARIES) + " -lm")  # fmt: skip


def own_tests(work, tree, server):
    folder = tree / "src/test/modules/libpq_pipeline"
    names = work.run("./libpq_pipeline tests", folder).split()
    for name in names:
        trace = folder / "traces" / f"{name}.trace"
        told = work.folder / "trace"
        option = f"-t {told}" if trace.exists() else ""
        work.run(f"./libpq_pipeline -r 700 {option} {name} '{server}'", folder)
        if trace.exists():
            work.check(told.read_bytes() == trace.read_bytes(), f"{name}: another trace")
    return len(names)


def prove(work):
    server = start_server(work)
    plain, before = work.build(POSTGRES, BUILD, "plain")
    woven, seconds = work.build(POSTGRES, BUILD, "auto")
    work.say(f"build: {before:.0f} s plain, {seconds:.0f} s woven")
    # the traces are those of a database that has no tables
    counts = [own_tests(work, plain, server),
              own_tests(work, woven, server.replace("dbname=postgres", "dbname=template1"))]
    work.check(counts[0] == counts[1] > 5, f"{counts} tests")
    work.say(f"libpq_pipeline: {counts[1]} tests pass, plain and woven")
    coloured = work.coloured(woven / "src/test/modules/libpq_pipeline/libpq_pipeline")
    work.check(b"PQexec" in coloured, "PQexec() does not pause in libpq_pipeline")

    programs = [
        work.program(f"libpq-{name}", [f"libpq_{name}.c", "libpq_query.c"], name == "tasks",
                     arguments(tree))
        for name, tree in (("plain", plain), ("tasks", woven))
    ]
    one = work.run(f"{programs[0]} '{server}'", work.folder).strip()
    work.say(f"one query after the other, plain: {one}")
    for line in work.run(f"{programs[1]} '{server}' {QUERIES}", work.folder, 120).splitlines():
        work.say(line)
    work.say_colours(programs[1], "libpq.a")
    pair = timing.programs(work, "libpq", ["libpq_bench.c"],
                           [arguments(tree) for tree in (plain, woven)])  # fmt: skip
    timing.against_plain(work, "5000 SELECT 1", [f"{bench} '{server}' 5000" for bench in pair])
    sizes = [work.text_bytes(program, r"libp(q|gcommon_shlib|gport_shlib)\.a")
             for program in programs]  # fmt: skip
    work.say_size("-O2", sizes[0], sizes[1], 2.5)
