"""parsers.py - expat, jansson, libyaml and zlib: documents that come in pieces, a thousand at once.

Each library calls back: for more of a document, or with what it has found. The callback waits, and
so does the parser, on one thread. Their own tests pass; the sums of what they find are those of the
plain program."""

import gzip
import json
import zlib

import timing

from work import PROJECTS, pinned

TASKS = 1000
LIBRARIES = {  # library -> archive in the build's tree, headers, programs and their documents
    "expat": ("b/libexpat.a", "lib", {"expat": "xml"}),
    "jansson": ("b/lib/libjansson.a", "b/include", {"jansson": "json"}),
    "libyaml": ("b/libyaml.a", "include", {"libyaml": "yaml"}),
    "zlib": ("libz.a", ".", {"zlib": "gz", "inflate": "deflate"}),
}
TIMES = {"expat": 3000, "jansson": 600, "libyaml": 1000, "zlib": 600, "inflate": 600}  # 0.2 s
NEEDS = ["cmake"]


def write_documents(folder):
    rows = [{"name": f"row {i}", "values": [i, i * i, "é" * (i % 7)], "on": i % 2 == 0}
            for i in range(200)]  # fmt: skip
    text = json.dumps(rows, indent=1)
    xml = "".join(f"<row on='{r['on']}' name='{r['name']}'>{r['values']}<i/></row>\n"
                  for r in rows)  # fmt: skip
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    long = "".join(json.dumps([i * 7919 % 9973, i]) for i in range(10000)).encode()
    documents = {
        "json": text.encode(), "yaml": ("---\n" + text).encode(),
        "xml": f"<?xml version='1.0'?><rows>{xml}</rows>".encode(), "gz": gzip.compress(long),
        "deflate": raw.compress(long) + raw.flush(),
    }  # fmt: skip
    for kind, document in documents.items():
        (folder / f"document.{kind}").write_bytes(document)


def sources(name):
    return [pinned(name)]


def prove(work):
    work.need_files(2 * TASKS + 100)
    write_documents(work.folder)
    name = work.name
    library, headers, programs = LIBRARIES[name]
    project = PROJECTS[name]
    # CMake takes a compiler of several words from CC only
    build = project.build.replace("-O1", "-O2").replace('-DCMAKE_C_COMPILER="$CC" ', "")
    plain, before = work.build(pinned(name), build, "plain", folder=project.folder)
    woven, seconds = work.build(pinned(name), build, "auto", folder=project.folder)
    work.say(f"build: {before:.0f} s plain, {seconds:.0f} s woven")
    for test in project.tests.values():
        # some end with what the last of many documents gave
        expected = work.status(test, plain)
        work.check(expected not in (126, 127), f"{test}: cannot run")
        got = work.status(test, woven)
        work.check(got == expected, f"{test}: {got}, not {expected}")
    work.say("its own tests pass, plain and woven")
    for program, document in programs.items():
        pull(work, program, work.folder / f"document.{document}", plain, woven, library, headers)


def pull(work, name, document, plain, woven, library, headers):
    source = f"pull_{name}.c"
    one = work.program(f"{name}-plain", ["pull_plain.c", source], False,
                       f"-I{plain}/{headers} {plain}/{library}")  # fmt: skip
    all_at_once = work.program(f"{name}-tasks", ["pull_tasks.c", source], True,
                               f"-I{woven}/{headers} {woven}/{library}")  # fmt: skip
    expected = work.run(f"{one} <{document}", work.folder)
    got = work.run(f"{all_at_once} {document} {TASKS}", work.folder, 120)
    work.check(got == expected, f"{name}: {got.strip()} as tasks, {expected.strip()} plain")
    work.say(f"{name}: {TASKS} documents at once on one thread, the same as plain")
    work.say_colours(all_at_once, library)
    member = library.split("/")[-1].replace(".", r"\.")
    size = work.text_bytes(one, member)
    work.say_size(name, size, work.text_bytes(all_at_once, member), 2.5)
    pair = timing.programs(work, name, ["pull_bench.c", source],
                           [f"-I{t}/{headers} {t}/{library}" for t in (plain, woven)])  # fmt: skip
    timing.against_plain(work, f"a document in a file, {TIMES[name]} times",
                         [f"{bench} {document} {TIMES[name]}" for bench in pair])  # fmt: skip
