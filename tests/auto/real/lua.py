"""lua.py - Lua 5.4: ten thousand states whose scripts wait, at once on one thread.

Debian has no archive of Lua 5.4's own test suite. In its place stand the suite of 5.1 and the
samples of 5.1, as far as 5.4 takes them; LPeg's tests, of which the C functions are a shared
library, and throw; LuaUnit's; and lua.lua of tests/real. Each prints what it prints plain, also
when every wait really pauses, and ends alike."""

import re

import timing
from work import HERE, PROJECTS, pinned

LUA = pinned("lua")
SUITE = PROJECTS["lua51"]
LPEG = ("lua-lpeg", "1.0.2", "48d66576051b6c78388faad09b70493093264588fcd0f258ddaab1cdd4a15ffe")
UNIT = ("lua-unit", "3.4", "b8aea5826f09749d149efa8ef1b13f81e6a9fc6abfbe4c1cbf87a558a6d4e8d0")
NEEDS = ["make"]
STATES = 10000
UNSTABLE = (*PROJECTS["lua"].unstable, *SUITE.unstable, (r"/tmp/lua_\w+", "FILE"),
            (r"[0-9.]+ seconds|test done on .*", "TIME"))  # fmt: skip
MOST_BYTES = 6 * 1024  # of a script that waits, beside what its state takes


def sources(_):
    return [LUA, *PROJECTS["lua"].also, *SUITE.also, LPEG, UNIT]


def own_tests(tree, extra):
    """Name -> shell text."""
    lua = tree / "src/lua"
    tests = dict(PROJECTS["lua"].tests)
    for name in SUITE.tests:
        tests[f"5.1 {name}"] = f"cd {extra}/{SUITE.also[0][0]}/*/_lua5.1-tests && {lua} {name}.lua"
    tests["lpeg"] = f"cd {extra}/lua-lpeg/* && {lua} test.lua"
    tests["luaunit"] = f"cd {extra}/lua-unit/* && {lua} run_unit_tests.lua"
    return tests


def results(work, tree):
    found = {}
    for name, test in own_tests(tree, work.folder / "extra").items():
        status = work.status(test, tree, TREE=str(tree), EXTRA=str(work.folder / "extra"),
                             REAL=str(HERE.parent.parent / "real"))  # fmt: skip
        text = (work.folder / "log").read_text(errors="replace").replace(str(tree), "TREE")
        for pattern, instead in UNSTABLE:
            text = re.sub(pattern, instead, text)
        found[name] = (status, text)
    return found


def prove(work):
    work.need_files(STATES + 100)
    for source in sources("")[1:]:
        work.unpack(source, work.folder / "extra" / source[0])
    make = PROJECTS["lua"].build.replace("-O1", "-O2")
    plain, before = work.build(LUA, make, "plain")
    woven, seconds = work.build(LUA, make, "auto")
    forced, _ = work.build(LUA, make.replace(" linux", " SYSCFLAGS=-DLUA_USE_LINUX"
                                             " SYSLIBS='-Wl,-E -ldl' lua"),
                           "auto-forced", " --force-pauses")  # fmt: skip
    work.say(f"build: {before:.0f} s plain, {seconds:.0f} s woven, two programs")
    work.run(f"cc -O2 -shared -fPIC -I{plain}/src *.c -o lpeg.so",
             next((work.folder / "extra/lua-lpeg").iterdir()))
    expected = results(work, plain)
    for name in ("features", "lpeg", "luaunit", "5.1 strings"):
        work.check(expected[name][0] == 0, f"{name} fails plain")
    for tree, how in ((woven, "woven"), (forced, "with pauses forced")):
        work.check(b"lua_pcallk" in work.coloured(tree / "src/lua"), "lua_pcallk() does not pause")
        for name, got in results(work, tree).items():
            if name == "compiler" and tree == forced:  # there is none
                continue
            work.check(got == expected[name], f"{name}: not what the plain one gives, {how}")
    work.say(f"its own tests and others: {len(expected)} give the same, plain, woven and forced")
    states(work, plain, woven)
    timing.against_plain(work, "scripts of lua_bench.lua", [
        f"{tree}/src/lua {HERE}/programs/lua_bench.lua" for tree in (plain, woven)])  # fmt: skip


def states(work, plain, woven):
    programs = [
        work.program(f"lua-{name}", [f"lua_{name}.c", "lua_state.c"], name == "tasks",
                     f"-I{tree}/src {tree}/src/liblua.a -lm -ldl")
        for name, tree in (("plain", plain), ("tasks", woven))
    ]  # fmt: skip
    texts = [work.run(f"{program} {STATES}", work.folder, 120) for program in programs]
    sums = [re.findall("^[0-9]+: [0-9a-f]{4,}$", text, re.MULTILINE) for text in texts]
    work.check(sums[0] == sums[1] and len(set(sums[0])) == STATES, "a script has another result")
    own, parked = (int(re.search("([0-9]+) bytes each", text)[1]) for text in texts)
    took = re.search(r"^[0-9.]+ s$", texts[1], re.MULTILINE)[0]
    work.say(f"{STATES} scripts wait at once on one thread, and end as plain, in {took}")
    work.say(f"memory of a script that waits: {parked} bytes, {own} of which are its state's own")
    work.check(parked - own <= MOST_BYTES, f"a wait takes {parked - own} bytes")
    work.say_colours(programs[1], "liblua.a")
    sizes = [work.text_bytes(program, r"liblua\.a") for program in programs]
    work.say_size("-O2", sizes[0], sizes[1], 4.2)
