"""sqlite_threads.py - SQLite's own tests of threads, whose threads are tasks (--auto=threads).

threadtest3 to 5, and with --bench the scripts of testfixture, whose threads thread1.test and
thread2.test start themselves; those of the others are Tcl's, a shared library, and stay threads.
What passes with threads has to pass with tasks, on one worker and on two.

Left out: threadtest1 and 2 are for SQLite 2, and do not compile. mptest has processes, no threads.
threadtest5 with a file does not wait for locks, and fails with threads, too. threadtest4 calls
sched_yield ten times for a lock, then gives up. A turn of the other tasks is shorter than a slice
of the system's, so that happens more often: then it runs again."""

import shutil
import time
from pathlib import Path

from sqlite import SQLITE
from work import Missing

NEEDS = ["tclsh", "make"]
CONFIGURE = ("./configure --disable-readline --disable-shared {tcl} CFLAGS='-O1 -w'"
             " && make sqlite3.c shell.c")  # fmt: skip
COMMANDS = ("threadtest4 -wal 4", "threadtest4 -serialized 4", "threadtest4 -multithread 4",
            "threadtest5")
SHORT = ("walthread5", "cgt_pager_1")  # the others of threadtest3 take ten to sixty seconds each
# What the tests say of races that they lose at times, with threads as well; then they run again.
LOST, TRIES = (b"Deadlock in thread", b"schema is locked", b"incorrect result"), 10
LONG = ("walthread[1-4]", "dynamic_triggers", "checkpoint_*", "create_drop_index_1", "lookaside1",
        "vacuum1", "stress[12]", "shared1")
SCRIPTS = ("thread1", "thread2", "thread001", "thread002", "thread003", "thread004", "thread005",
           "walthread")


def sources(_):
    return [SQLITE]


def build(work, how):
    """Returns the tree; says how long its programs take."""
    tcl = "" if work.bench else "--disable-tcl"
    tree, _ = work.build(SQLITE, CONFIGURE.format(tcl=tcl), how, options="=threads")
    begin = time.monotonic()
    work.run("make threadtest3 threadtest5" + (" testfixture" if work.bench else ""), tree, 3000)
    work.run(f"{work.compiler(how == 'auto', '=threads')} -O1 -w -I. test/threadtest4.c sqlite3.o"
             " -lm -lz -ldl -pthread -o threadtest4", tree)
    work.say(f"build of its programs, {how}: {time.monotonic() - begin:.0f} s")
    return tree


def prove(work):
    if work.bench and not list(Path("/usr/include").glob("tcl*/tcl.h")):
        raise Missing("there is no tcl.h: scripts/prepare real")
    trees = {how: build(work, how) for how in ("plain", "auto")}
    commands = [*COMMANDS, *(f"threadtest3 '{name}'" for name in SHORT)]
    if work.bench:
        commands += [f"threadtest3 '{name}'" for name in LONG]
        commands += [f"testfixture ../tree/*/test/{name}.test" for name in SCRIPTS]
    for program in ("threadtest3", "threadtest4", "threadtest5"):
        work.check(work.coloured(trees["auto"] / program), f"nothing pauses in {program}")
    folder = work.folder / "databases"
    passed = 0
    for command in commands:
        results = []
        for how, workers in (("plain", ""), ("auto", "1"), ("auto", "2")):
            run = command.replace("../tree/*", str(trees[how]))
            variables = {"CO4_WORKERS": workers} if workers else {}
            for _ in range(TRIES):
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                status = work.status(f"{trees[how]}/{run}", folder, 900, **variables)
                said = (work.folder / "log").read_bytes()
                if status == 0 or not any(text in said for text in LOST):
                    break
            results.append(status)
        work.say(f"{command}: {results[0]} with threads, {results[1]} and {results[2]} with tasks")
        work.check(results[0] != 0 or results[1:] == [0, 0], f"{command} fails with tasks")
        passed += results == [0, 0, 0]
    work.check(passed > len(COMMANDS), "its tests fail with threads, too")
    work.say(f"{passed} of {len(commands)} of its tests of threads pass, with threads and tasks")
