"""sqlite_crash.py - transactions of SQLite on a simulated disk that crashes (--auto=test).

Each life finds a whole database with all transactions that were acknowledged, in each journal mode
that promises that. Where SQLite's documentation says that a transaction may be lost, one is:
synchronous=OFF, and a journal that is deleted with synchronous=FULL, whose folder is not synced."""

from sqlite import SQLITE
from work import ROOT

NEEDS = ["tclsh", "make"]
CONFIGURE = "./configure --disable-tcl --disable-readline --disable-shared && make sqlite3.c"
KEEPS = ("delete extra", "truncate full", "persist full", "wal full")
LOSES = ("delete off", "wal off", "wal normal", "delete full")
SEEDS, SHARE = 10000, 500


def sources(_):
    return [SQLITE]


def prove(work):
    tree, _ = work.build(SQLITE, CONFIGURE, "plain-crash")
    program = work.program("crash", ["sqlite_crash.c"], True,
                           f"-O1 -w -DSQLITE_THREADSAFE=1 -I{tree} {tree}/sqlite3.c -lm",
                           options="=test")  # fmt: skip
    folder = work.folder / "crashes"
    folder.mkdir(exist_ok=True)
    seeds = SHARE if work.share else SEEDS
    search = f"{ROOT}/scripts/co4test --keep {folder}/seeds --show 1 --crash"
    for how in KEEPS:
        text = work.run(f"rm -f seeds; {search} --seeds {seeds} {program} {how} 2>&1", folder, 3000)
        work.say(f"{how}: {text.splitlines()[-1]}")
    for how in LOSES:
        status = work.status(f"rm -f seeds; {search} --seeds 1000 --most 1 {program} {how}", folder)
        said = (work.folder / "log").read_text(errors="replace")
        work.check(status == 1, f"{how}: nothing is lost")
        work.check("is lost" in said or "is torn" in said or "malformed" in said or "***" in said,
                   f"{how}: fails otherwise")
        work.say(f"{how}: loses a transaction, as it says")
