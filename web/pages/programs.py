"""programs.py - the programs of the terminal's page: real ones, as Debian's archives have them.

Purpose: one entry for each: where its source is, what has to be made of it first, which sources and
flags it is compiled with. scripts/web builds them.

Invariants: no source is changed. `prepare` is shell text that runs in the source's folder with the
machine's own compiler, for what a build makes on the way: a header of settings, a table. The C
library of Emscripten is as POSIX as the machine's, so the settings that configure finds hold.

Extend: add an entry to PROGRAMS, and look whether `scripts/web --build-only` builds it."""

import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "real"))
from projects import PROJECTS  # noqa: E402


def archive_of(project):
    """The archive of a code base of tests/real."""
    one = PROJECTS[project]
    return one.package, one.version, one.sha256


@dataclass
class Program:
    archive: tuple  # Debian's source package, the upstream version, the archive's SHA-256
    title: str  # in the page's menu
    about: str  # a line there
    sources: str  # shell patterns in the source's folder
    prepare: str = "true"
    flags: str = ""
    weaver: str = "--auto-yields --tables=lines"
    arguments: tuple = ()
    needs: tuple = ("cc", "make")  # commands of `prepare`


BC = ("bc", "1.07.1", "62adfca89b0a1c0164c2cdca59ca210c1d44c3ffc46daf9931cf4942664cb02a")
ED = ("ed", "1.19", "8e5c3e7c84972e73957ff396b8318a21795f86547dd1fe4ec4232a9e6e44ca1d")
GAMES = ("bsdgames", "2.17", "066f924aef6c1c5ea946f588e36f303021f5dfc093944738f025d8edbc6fff60")

PROGRAMS = {
    "bc": Program(
        archive=BC, title="bc", about="a calculator of any precision",
        prepare="./configure CFLAGS=-O1 && make -C lib libbc.a && make -C bc libmath.h",
        sources="bc/main.c bc/bc.c bc/scan.c bc/execute.c bc/load.c bc/storage.c bc/util.c "
        "bc/global.c bc/warranty.c lib/getopt.c lib/getopt1.c lib/number.c",
        flags="-DHAVE_CONFIG_H -I. -Ih -Ibc", arguments=("-l", ), needs=("cc", "make", "ed")),
    "dc": Program(
        archive=BC, title="dc", about="a calculator with a stack",
        prepare="./configure CFLAGS=-O1",
        sources="dc/dc.c dc/misc.c dc/eval.c dc/stack.c dc/array.c dc/numeric.c dc/string.c "
        "lib/getopt.c lib/getopt1.c lib/number.c",
        flags="-DHAVE_CONFIG_H -I. -Ih -Idc"),
    "ed": Program(
        archive=ED, title="ed", about="the standard editor",
        sources="*.c", flags=f"-DPROGVERSION='\"{ED[1]}\"'", arguments=("-p", "* ")),
    "sqlite3": Program(
        archive=archive_of("sqlite"), title="SQLite", about="the shell of the database",
        prepare="./configure --disable-tcl --disable-readline && make sqlite3.c shell.c",
        sources="shell.c sqlite3.c",
        flags="-I. -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_NOHAVE_SYSTEM",
        arguments=("-interactive", ), needs=("cc", "make", "tclsh")),
    "lua": Program(
        archive=archive_of("lua"), title="Lua", about="the interpreter of the language",
        sources="src/l*.c", prepare="rm -f src/luac.c", flags="-DLUA_USE_POSIX",
        arguments=("-i", )),
    "adventure": Program(
        archive=GAMES, title="Adventure", about="a cave, a lamp, and a dwarf with an axe",
        # configure asks no question; musl has no sys/cdefs.h. The data are encrypted by random(),
        # so that has to be the program's own.
        prepare="""
printf 'bsd_games_cfg_build_dirs=adventure\\nbsd_games_cfg_non_interactive=y\\n' >config.params
./configure </dev/null
mkdir -p compat/sys && : >compat/sys/cdefs.h
emcc -w -Iinclude -idirafter compat adventure/setup.c -o setup.js -sNODERAWFS=1
node --no-experimental-fetch setup.js adventure/glorkz >adventure/data.c
""", sources="adventure/main.c adventure/init.c adventure/done.c adventure/save.c "
        "adventure/subr.c adventure/vocab.c adventure/wizard.c adventure/io.c adventure/data.c "
        "adventure/crc.c lib/fgetln.c lib/getprogname.c lib/strlcpy.c",
        flags="-Iinclude -Iadventure -idirafter compat", needs=("cc", "emcc", "node")),
}
