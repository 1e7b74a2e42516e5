"""said.py - inside gdb: what visit.py, names.py and tasks.py ask of gdb and of the source, and
how a failure is told."""
import os
import re
import gdb

FOLDER = os.path.dirname(os.path.abspath(__file__))
# all has to be seen; else a value may be optimized out
EXACT = os.environ["CO4_DEBUG_LEVEL"] == "O0"
failures = 0


class Source:
    """A program of this folder."""

    def __init__(self, name):
        self.path = os.path.join(FOLDER, name)
        with open(self.path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")

    def line_of(self, comment):
        """The number of the one line that has the comment."""
        mark = "/* %s */" % comment
        (line,) = [number for number, text in enumerate(self.lines, 1) if mark in text]
        return line


def say(command):
    """What gdb prints, or what it complains of."""
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error as problem:
        return str(problem)


def value_of(command):
    """What gdb prints behind the number of the value."""
    return re.sub(r"^\$\d+ = ", "", say(command).strip())


def fail(what, said):
    global failures
    failures += 1
    frame = gdb.selected_frame() if gdb.selected_inferior().pid else None
    line = frame.find_sal().line if frame else None
    print("FAILED: %s\n  gdb says: %s\n  at line %s" % (what, said, line))


def has(command, *patterns):
    """Each pattern is found in what the command prints."""
    said = say(command)
    for pattern in patterns:
        if not re.search(pattern, said, re.M):
            fail("%s has /%s/" % (command, pattern), said)


def begin():
    say("set pagination off")
    say("set width 0")


def end():
    """Ends gdb; check looks at the last line and at the status."""
    print("%d failed" % failures)
    gdb.execute("quit %d" % (failures != 0))
