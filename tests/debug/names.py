"""names.py - inside gdb: names.c, where names mean more than one thing and functions end on
other threads. See check.

CO4_DEBUG_LEVEL as in visit.py; here only O0 is looked at closely, for what is optimized out has
no value to compare.
"""
import re
import gdb
from said import EXACT, Source, begin, end, fail, say, value_of

line_of = Source("names.c").line_of


def prints(expression, value):
    said = value_of("print " + expression)
    if said != value:
        fail("print %s gives %s" % (expression, value), said)


def run_to(comment, command="continue"):
    say("tbreak names.c:%d" % line_of(comment))
    said = say(command)
    if gdb.selected_frame().find_sal().line != line_of(comment):
        fail("stops at '%s'" % comment, said)


def goes(function, *comments):
    """`next` leads there."""
    said = say("next")
    frame = gdb.selected_frame()
    if frame.name() != function or frame.find_sal().line not in [
            line_of(comment) for comment in comments
    ]:
        fail("next leads to '%s' in %s" % (comments[0], function),
             "%s\n  in %s" % (said, frame.name()))


begin()
if EXACT:
    run_to("main calls both", "run")
    goes("main", "after both")
    prints("sum", "6")

    say("tbreak use")
    say("continue")
    if "count = 1\npart = {level = 5, text = 6}\n" != say("info args"):
        fail("info args where the function begins", say("info args"))
    run_to("before touch")
    prints("count", "1")
    prints("part", "{level = 5, text = 6}")
    prints("part.level", "5")
    prints("p->level + part.text", "11")
    prints("level", "1000")
    prints("sizeof text", "8")
    prints("*to@1", "{4}")
    prints('"level"', '"level"')
    prints("&count == &co4_f->count", "1")
    # clang loses the types of functions that it inlines
    if "No data fields" not in say("print *to") and "a = 3" in say("print pair"):
        prints("pair", "{a = 3, b = 4}")
        prints("pair.b", "4")
    goes("use", "after touch")
    prints("count", "2")
    if not re.search("^count = 2\npart = {level = 5, text = 6}$", say("info args"), re.M):
        fail("info args behind a resume", say("info args"))
    goes("use", "inner")
    run_to("end of inner")
    prints("level", "7")
    prints("part.level", "5")
    goes("use", "arguments")
    goes("use", "call deep")
    goes("use", "use returns")
    prints("count", "17")
    say("delete")
    for _ in range(3):  # its last line, with clang its bracket
        said = say("next")
        if gdb.selected_frame().name() == "task":
            break
    if gdb.selected_frame().find_sal().line not in (line_of("the call of use"),
                                                    line_of("after use")):
        fail("next out of use leads to task", said)
    prints("n", "1")
    run_to("deep returns", "run")
    for _ in range(9):
        said = say("next")
        if gdb.selected_frame().find_sal().line == line_of("use returns"):
            break
        if gdb.selected_frame().name() not in ("deep", "use"):
            fail("next leads from caller to caller", said)
            break
    else:
        fail("next leads from caller to caller", said)
    run_to("both returns")
    if "here = {2, 1}\n" not in say("info locals"):
        fail("info locals in both", say("info locals"))
say("delete")
say("continue" if gdb.selected_inferior().pid else "run")
if gdb.selected_inferior().pid:
    fail("the program ends", say("bt"))
end()
