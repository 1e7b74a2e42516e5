"""sessions.py - a terminal program as a hundred sessions over TCP, in one process on one thread.

The program is GNU bc or dc, built by its own build system; no line of it is changed, but the source
of its main() is compiled once more with another name for that. programs/sessions.c serves it. Each
session has variables of its own, makes errors, and ends by a command or by the end of its input."""

import math
import re
import socket
import subprocess
import time
from pathlib import Path

import timing
from work import HERE, ROOT, WEAVER, Failed

BC = ("bc", "1.07.1", "62adfca89b0a1c0164c2cdca59ca210c1d44c3ffc46daf9931cf4942664cb02a")
NEEDS = ["make", "ed", "nm"]
SESSIONS = 100
BUILD = './configure CC="$CC" CFLAGS=-O2 && make MAKEINFO=true'
# program -> the source of its main(), its arguments, its words for a test of the program itself
PROGRAMS = {"bc": ("main", "-q -i -l"), "dc": ("dc", "")}
WORK = {
    "bc": "scale = 1200; 4 * a(1); e(1); for (i = 0; i < 300; i++) x = x * 3 + i; x\n",
    "dc": "[la1+dsa*plb1+dsb300>c]sc 1sa 0sb lcx 3000k 2v p\n",
}


def sources(_):
    return [BC]


def prove(work):
    name = work.name
    plain, before = work.build(BC, BUILD, "plain")
    woven, seconds = work.build(BC, BUILD, "auto")
    work.say(f"build of bc and dc: {before:.0f} s plain, {seconds:.0f} s woven")
    (work.folder / "work").write_text(WORK[name])
    commands = [f"{tree}/{name}/{name} {'-l' if name == 'bc' else ''} <{work.folder}/work"
                for tree in (plain, woven)]  # fmt: skip
    said = [work.run(command, work.folder) for command in commands]
    work.check(said[0] == said[1] and len(said[0]) > 500, f"{name} woven prints something else")
    work.say(f"{name} on its standard input prints the same, plain and woven")

    program = build_sessions(work, woven)
    begun = time.monotonic()
    said = serve(work, program)
    work.say(f"{said} in {time.monotonic() - begun:.2f} s")
    work.say_colours(program)
    work.say_own_colours(program, rf"/{name}/\w+\.o|/libbc\.a")
    code = re.search(r"with the others ([0-9]+), before ([0-9]+)$",
                     Path(f"{program}.report").read_text(), re.MULTILINE)  # fmt: skip
    work.say_size("-O2, with sessions.c", int(code[2]), int(code[1]), 4)
    timing.against_plain(work, "long numbers", commands)


def build_sessions(work, tree):
    """The program as many sessions, and the file of its static variables beside it."""
    name, folder = work.name, work.folder
    source, _ = PROGRAMS[name]
    (tree / name / f"{source}.o").unlink()
    work.run(f"make -C {name} {source}.o CFLAGS='-O2 -Dmain=program_main'", tree)
    (folder / "session.roots").write_text("root exit session_exit\n")
    work.run(f"{WEAVER} --auto cc -O2 -I{ROOT / 'include'} -c {HERE}/programs/sessions.c", folder)
    own = sorted(path for path in (tree / name).glob("*.o") if path.stem not in ("fbc", "libmath"))
    if name == "bc":
        own = [path for path in own if path.stem in (
            "main bc scan execute load storage util warranty global".split())]  # fmt: skip
    objects = [*own, tree / "lib" / "libbc.a"]
    program = folder / "sessions"
    text = work.run(f"{WEAVER} --auto --auto-report --roots=session.roots cc sessions.o "
                    + " ".join(map(str, objects)) + f" -o {program}", folder)  # fmt: skip
    (folder / "sessions.report").write_text(text)
    (folder / "regions").write_text(variables(work, objects, program))
    return program


def relocated_constants(work, program):
    """Where constants are that hold addresses: nm takes them for variables."""
    segments = work.run(f"readelf -lW {program}", work.folder)
    found = re.search(r"GNU_RELRO +0x[0-9a-f]+ 0x([0-9a-f]+) 0x[0-9a-f]+ 0x[0-9a-f]+ 0x([0-9a-f]+)",
                      segments)  # fmt: skip
    begin = int(found[1], 16) if found else 0
    return begin, begin + (int(found[2], 16) if found else 0)


def variables(work, objects, program):
    """The lines of REGIONS: the static variables of the program's own objects."""
    names = {"session_anchor"}
    shown = work.run("nm " + " ".join(map(str, objects)), work.folder)
    for line in shown.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "dDbBC":
            names.add(words[2].split(".")[0])
    lines = []
    constant = range(*relocated_constants(work, program))
    for line in work.run(f"nm -S {program}", work.folder).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "dDbB" and words[3].split(".")[0] in names:
            if int(words[0], 16) in constant:
                names.remove(words[3].split(".")[0])
                continue
            lines.append(f"{words[0]} {words[1]} {words[3]}")
    missing = names - {line.split()[2].split(".")[0] for line in lines}
    work.check(not missing, f"the linked program lacks variables: {sorted(missing)}")
    return "\n".join(lines) + "\n"


def serve(work, program):
    name = work.name
    with subprocess.Popen(
        [program, "regions", str(SESSIONS), name, *PROGRAMS[name][1].split()],
        cwd=work.folder, stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        try:
            {"bc": talk_bc, "dc": talk_dc}[name](connect(int(server.stdout.readline())))
            said = server.stdout.read().strip()
            work.check(server.wait(30) == 0 and re.match(f"{SESSIONS} sessions", said), said)
            return said
        finally:
            server.kill()


def connect(port):
    """All sessions are under way at once."""
    return [socket.create_connection(("127.0.0.1", port), 30) for _ in range(SESSIONS)]


def expect(connection, want):
    got = b""
    while len(got) < len(want) or not want:
        part = connection.recv(65536)
        if not part:
            break
        got += part
    if got.decode() != want:
        raise Failed(f"a session says {got.decode()!r}, not {want!r}")


def leave(sessions, command):
    for i, one in enumerate(sessions):
        if i % 2:
            one.sendall(command)
        else:
            one.shutdown(socket.SHUT_WR)
    for one in sessions:
        expect(one, "")
        one.close()


def talk_bc(sessions):
    factorial = "define f(n) { if (n < 2) return (1); return (n * f(n - 1)); }"
    for i, one in enumerate(sessions):
        one.sendall(f"x = {i}\n{factorial}\nscale = {i % 10}\n".encode())
    for turn in range(5):
        for one in sessions:
            one.sendall(b"x = x + 1; x\n")
        for i, one in enumerate(sessions):
            expect(one, f"{i + turn + 1}\n")
    for i, one in reversed(list(enumerate(sessions))):
        one.sendall(f"f({i % 20}) + x\n1/3\n".encode())
        third = "." + "3" * (i % 10) if i % 10 else "0"
        expect(one, f"{math.factorial(i % 20) + i + 5}\n{third}\n")
        if i % 3 == 0:
            one.sendall(b"1/0\n")
            expect(one, "Runtime error (func=(main), adr=3): Divide by zero\n")
    leave(sessions, b"quit\n")


def talk_dc(sessions):
    for i, one in enumerate(sessions):
        one.sendall(f"{i}sx {i % 10}k [lx1+dsxpst]sm {i} {i}".encode())  # the line goes on later
    for turn in range(5):
        for one in sessions:
            one.sendall(b"\nlmx\n")
        for i, one in enumerate(sessions):
            expect(one, f"{i + turn + 1}\n")
    for i, one in reversed(list(enumerate(sessions))):
        one.sendall(b"*p 1 3/p\n")  # the numbers of the first line, which are on its stack
        third = "." + "3" * (i % 10) if i % 10 else "0"
        expect(one, f"{i * i}\n{third}\n")
        if i % 3 == 0:
            one.sendall(b"c+\n")
            expect(one, "dc: stack empty\n")
    leave(sessions, b"q\n")
