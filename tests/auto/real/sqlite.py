"""sqlite.py - SQLite, whose reads wait: a thousand queries at once on one thread.

A VFS of ours waits a millisecond before each read. The shell, which is woven too, gives for scripts
what the plain one gives."""

import re
import sqlite3
import time

import timing

from work import HERE, pinned

SQLITE = pinned("sqlite")
NEEDS = ["tclsh", "make"]
QUERIES = 1000
FLAGS = "-O2 -w"


def sources(_):
    return [SQLITE]


def write_database(path):
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.execute("PRAGMA page_size = 1024")
    db.execute("CREATE TABLE a(id INTEGER PRIMARY KEY, other INTEGER, text)")
    db.execute("CREATE TABLE b(id INTEGER PRIMARY KEY, n INTEGER, text)")
    for i in range(2000):
        db.execute("INSERT INTO a VALUES(?, ?, ?)", (i, i * 7919 % 2000, f"row {i}" * 5))
        db.execute("INSERT INTO b VALUES(?, ?, ?)", (i, i * i, "x" * (i % 50)))
    db.commit()
    db.close()


def prove(work):
    work.need_files(QUERIES + 100)
    configure = (f"./configure --disable-tcl --disable-readline --disable-shared CFLAGS='{FLAGS}'"
                 " && make sqlite3.c shell.c")  # fmt: skip
    trees, seconds = {}, {}
    for variant in ("plain", "auto"):
        tree, _ = work.build(SQLITE, configure, variant)
        (tree / "sqlite3").unlink(missing_ok=True)
        begin = time.monotonic()
        work.run("make sqlite3", tree)
        trees[variant], seconds[variant] = tree, time.monotonic() - begin
    work.say(f"build of the shell: {seconds['plain']:.0f} s plain, {seconds['auto']:.0f} s woven")

    said = [work.run(f"sh {HERE.parent.parent}/real/sqlite.sh ./sqlite3", tree)
            for tree in trees.values()]  # fmt: skip
    work.check(said[0] == said[1] and "status 0" in said[0], "the shells print different lines")
    work.say(f"its shell prints the same {len(said[0].splitlines())} lines")
    timing.against_plain(work, "the shell, with a database in memory", [
        f"{tree}/sqlite3 :memory: <{HERE}/programs/sqlite_bench.sql" for tree in trees.values()
    ])  # fmt: skip
    queries(work, trees)


def queries(work, trees):
    files = ["sqlite_query.c", "sqlite_slow_vfs.c"]
    library = "sqlite3.o"
    for tree, woven in ((trees["plain"], False), (trees["auto"], True)):
        if not (tree / library).exists():
            work.run(f"{work.compiler(woven)} {FLAGS} -DSQLITE_THREADSAFE=1 -c sqlite3.c", tree)
    plain = work.program("queries-plain", ["sqlite_plain.c", *files], False,
                         f"-I{trees['plain']} {trees['plain'] / library} -lm")
    database = work.folder / "database"
    write_database(database)
    size = work.text_bytes(plain, r"sqlite3\.o|woven")
    expected = ask(work, plain, database)
    # The memory of SQLite has a lock, so all that allocates pauses if locks do. Here each query has
    # a connection of its own, on one worker: its locks need not wait. Nor need its printf, whose
    # arguments may be values, which may be read from a file: all that reports an error calls it.
    ready = " --plain=pthreadMutexEnter --plain=sqlite3_str_vappendf"
    for options, most in (("", 3.5), (ready, 2.5)):
        tasks = work.program("queries-tasks", ["sqlite_tasks.c", *files], True,
                             f"-I{trees['auto']} {trees['auto'] / library} -lm", options)
        got = ask(work, tasks, database)
        work.check(got[:2] == expected[:2], "the queries give other rows, or make other reads")
        work.say(f"{QUERIES} queries with {got[1]} reads: {expected[2]} s one after the other,"
                 f" {got[2]} s at once on one thread")
        work.check(float(got[2]) * 2 < float(expected[2]), "the queries do not wait at once")
        work.say_colours(tasks, library)
        work.say_size(f"-O2{options}", size, work.text_bytes(tasks, r"sqlite3\.o|woven"), most)


def ask(work, program, database):
    """Runs all queries; returns their rows, the reads and the seconds."""
    text = work.run(f"{program} {database} {QUERIES}", work.folder, 300)
    rows = re.findall("^[0-9]+: -?[0-9]+$", text, re.MULTILINE)
    work.check(len(rows) == QUERIES, "a query has no row")
    work.check(not any(row.endswith(" -1") for row in rows), "a query fails")
    return rows, *re.search(r"([0-9]+) reads in ([0-9.]+) s", text).groups()
