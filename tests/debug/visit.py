"""visit.py - inside gdb: goes through shop.c as a person would, and compares what gdb shows. See
check.

CO4_DEBUG_LEVEL: O0, where all has to be seen, or O2: there a value may be optimized out and a
line be left out, but nothing that is shown may be wrong.
"""
import os
import re
import gdb
from said import EXACT, Source, begin, end, fail, has, say, value_of

shop = Source("shop.c")
line_of, SHOP = shop.line_of, shop.path


def run_to(comment, command="continue"):
    breakpoint = gdb.Breakpoint("shop.c:%d" % line_of(comment), temporary=True)
    say(command)
    if not gdb.selected_inferior().pid:
        fail("comes to '%s'" % comment, "it has ended")
        gdb.execute("quit 1")
    frame = gdb.selected_frame()
    if not os.path.samefile(frame.find_sal().symtab.fullname(), SHOP):
        fail("stops in shop.c at '%s'" % comment, frame.find_sal().symtab)
    if EXACT and frame.find_sal().line != line_of(comment):
        fail("stops at '%s'" % comment, frame.find_sal().line)
    if breakpoint.is_valid():
        breakpoint.delete()


def steps(command, *comments):
    """Each `command` leads to the next of the lines."""
    for comment in comments if EXACT else comments[:1]:
        said = say(command)
        sal = gdb.selected_frame().find_sal()
        if not sal.symtab or not os.path.samefile(sal.symtab.fullname(), SHOP):
            fail("%s stays in shop.c" % command, said)
        if EXACT and sal.line != line_of(comment):
            fail("%s goes to '%s'" % (command, comment), said)


def prints(**values):
    for name, value in values.items():
        shows('print %s' % name, value)


def pinned(**values):
    for name, value in values.items():
        shows('print $co4("%s")' % name, value)


def shows(command, value):
    got = value_of(command)
    if got == value or not EXACT and re.search("optimized out|declared in lines|No symbol", got):
        return
    fail("%s gives %s" % (command, value), got)


def has_exact(command, *patterns):
    if EXACT:
        has(command, *patterns)


begin()
say("set print frame-arguments all")

# the direct pass
run_to("fetch begins", "run")
has("bt", r"#0 .*\bfetch(__\w+)? \(.*shop\.c:\d+", r"#\d .*\bserve(__\w+)? \(", r"#\d .*\bmain \(")
if EXACT and re.search(r"__co4|__resume|__run|co4=", say("bt")):
    fail("bt leaves out what weaving adds", say("bt"))
prints(item="0")
run_to("after the call")
has("bt", r"#0 .*\bserve(__\w+)? \(.*shop\.c:%s" % (line_of("after the call") if EXACT else r"\d+"))
prints(price="11", i="0", sum="5", round="1", order="{item = 3, count = 4}",
       last="{item = 3, count = 4}")
has_exact("info locals", "^price = 11$", "^i = 0$", "^sum = 5$",
          r"^last = \{item = 3, count = 4\}$")
pinned(level="7", prices="{0, 0, 0}", sum="5")
prints(level="7", prices="{0, 0, 0}")
has_exact("info locals", "^level = 7$", r"^prices = \{0, 0, 0\}$")
has_exact("info args", r"^order = \{item = 3, count = 4\}\nround = 1$")
has_exact("bt", r"#0 .*\bserve \(order=\{item = 3, count = 4\}, round=1\)")
has(
    "info co4 locals", r"^prices = (\{0, 0, 0\}|<optimized out>) \(pinned, of line %d\)$" %
    line_of("pinned: an array"))
has("info co4 callers", "No callers")
steps("next", "the loop's end", "the loop", "the call in the loop")
if EXACT:
    steps_left = 5
    while steps_left and gdb.selected_frame().find_sal().line != line_of("fetch begins"):
        say("step")
        steps_left -= 1
    if not steps_left:
        fail("step goes into fetch", say("bt"))
    prints(item="1")

# behind a resume: the caller stands on no stack
run_to("fetch resumed")
has("bt", r"#0 .*\bfetch(__\w+)? \(")
has_exact("bt", r"#0 .*\bfetch \(item=1\)")
prints(before="101", item="1")
has("info co4 callers",
    r"^#0  serve \(\) at .*shop\.c:%d in fetch\(\)$" % line_of("the call in the loop"),
    "^ +sum = 16$", "^ +i = 1$", "^ +level = 7$", r"^ +prices = \{11, 0, 0\}$",
    r"^ +last = \{item = 3, count = 4\}$")
run_to("after the call")
prints(price="13", i="1", sum="16", round="1", order="{item = 3, count = 4}",
       last="{item = 3, count = 4}")
pinned(level="7", prices="{11, 0, 0}")
steps("next", "the loop's end", "the loop", "the call in the loop")
prints(level="7", prices="{11, 13, 0}")
has_exact("bt full 1", r"^#0  serve \(.*shop\.c:", "^ +i = 2$", "^ +level = 7$",
          r"^ +prices = \{11, 13, 0\}$")

# a struct without a name outside its function, and a pointer into a caller's frame
run_to("restock resumed")
if EXACT:
    # clang loses the type of every function that it inlines
    if "No data fields" not in say("print change"):
        prints(change="{from = 7, to = 11}")
    prints(**{"*level": "7"})

# scopes
run_to("in the inner scope")
prints(level="88")
if EXACT:
    pinned(level="88")
shows('print $co4("level", %d)' % line_of("pinned: its address is taken"), "11")
shows('print $co4("level", %d)' % line_of("the inner level"), "88")
if EXACT:
    run_to("after the inner call")
    prints(level="88", sum="230")
    run_to("the end")
    prints(sum="230", last="{item = 3, count = 92}")
    steps("next", "the return")
else:
    run_to("the return")
pinned(level="11", prices="{11, 13, 15}")
has('print $co4("nothing")', "There is no local 'nothing' here")

has_exact("info args", "^order = <not kept>\nround = <not kept>$")
say("delete")

# over calls that pause, and out of functions, in the direct pass and behind a resume
if EXACT:
    run_to("the call in the loop", "run")
    steps("next", "after the call", "the loop's end", "the loop", "the call in the loop",
          "after the call", "the loop's end", "the loop", "the call in the loop", "after the call",
          "the loop's end", "the loop", "call restock")
    prints(level="7")
    steps("next", "the inner level", "in the inner scope", "after the inner call", "the end",
          "the return")
    prints(level="11")
    steps_out = [line_of("main calls serve"), line_of("main ends")]
    for _ in range(3):
        said = say("next")
        if gdb.selected_frame().name() == "main":
            break
    if gdb.selected_frame().name() != "main" or gdb.selected_frame().find_sal(
    ).line not in steps_out:
        fail("next out of serve ends in main", said)

    def goes_out(start, *lines):
        """next from there leaves fetch for serve; not by way of anything else."""
        run_to(start, "run" if start == "fetch begins" else "continue")
        for _ in range(12):
            said = say("next")
            frame = gdb.selected_frame()
            if frame.name() != "fetch":
                break
        if frame.name() != "serve" or frame.find_sal().line not in [
                line_of(line) for line in lines
        ]:
            fail("next out of fetch ends in serve", said)
        if re.search("__co4|__resume|co4__", said):
            fail("next says nothing of what is between", said)

    goes_out("fetch begins", "the call in the loop", "after the call")
    prints(level="7", i="0")
    goes_out("fetch resumed", "the call in the loop", "after the call")
    prints(i="1", level="7")
    has("display level", "^1: level = 7$")
    has("next", "^1: level = 7$")
    has("info display", "^1:   y  level$")
    say("undisplay 1")
    has("info display", "no auto-display")
    say("set var level = 70")
    has("call level", "= 70$")
    has("p/x level", "= 0x46$")
    has("print level + prices[0]", "= 81$")
    has("print sizeof(prices)", "= 12$")
    has("print -elements 1 -- prices", r"= \{11\.\.\.\}$")
    say("set var level = 7")
say("continue")
if gdb.selected_inferior().pid:
    fail("the program ends", "it goes on")
end()
