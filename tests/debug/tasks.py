"""tasks.py - inside gdb: what co4.py says of the tasks of crowd.c, in the program and in a core
file of it. See check.

CO4_DEBUG_CORE: where the core file goes, or is. CO4_DEBUG_LEVEL as in visit.py.
"""
import os
import re

import gdb
from said import Source, begin, end, has, say

line_of = Source("crowd.c").line_of
CORE = os.environ["CO4_DEBUG_CORE"]


def number_of(words):
    for line in say("info co4 tasks").split("\n"):
        if words in line:
            return line.split()[0]
    return "?"


begin()
live = not os.path.exists(CORE)
if live:
    has("info co4 tasks",
        "^No tasks" if "No tasks" in say("info co4 tasks") else "Cannot access|no libco4|No symbol")
    say("break stop_here")
    say("run")

has(
    "info co4 tasks", r"^ +\d+  0x[0-9a-f]+  paused   watch, sleeps, ",
    r"^ +\d+  0x[0-9a-f]+  running ",
    r"^ +\d+  0x[0-9a-f]+  paused   'Ann' clerk, receives from mailbox 0x[0-9a-f]+, receive \(\) at .*crowd\.c:%d$"
    % line_of("gets"),
    r"^ +\d+  0x[0-9a-f]+  paused   sender, sends to mailbox 0x[0-9a-f]+, sender \(\) at .*crowd\.c:%d$"
    % line_of("puts"),
    r"^ +\d+  0x[0-9a-f]+  paused   sleeper, sleeps, sleeper \(\) at .*crowd\.c:%d$" %
    line_of("sleeps"),
    r"^ +\d+  0x[0-9a-f]+  paused   waits_for, joins task 0x[0-9a-f]+, waits_for \(\) at .*crowd\.c:%d$"
    % line_of("joins"), r"^ +\d+  0x[0-9a-f]+  ready    clerk$")
ann = number_of("'Ann'")
has("co4 bt " + ann,
    r"^#0  receive \(\) at .*crowd\.c:%d in co4_mailbox_receive\(\)$" % line_of("gets"), "^ +sum = 42$",
    r"^#1  clerk \(\) at .*crowd\.c:%d in receive\(\)$" % line_of("the clerk's call"),
    "^ +before = 4$")
busy = [
    words.split(" mailbox ")[1].split(",")[0] for words in say("info co4 tasks").split("\n")
    if "taker, receives" in words or "giver, sends" in words
]
if len(busy) != 2 or busy[0] != busy[1]:
    has("info co4 tasks", "one mailbox for the taker and the giver, not %s" % busy)
# Numbers are those of the dump; a task from before the watch has that of its memory.
dump = gdb.parse_and_eval("(char *)&dumped").string()
shown = {line.split()[1]: line.split()[0] for line in say("info co4 tasks").split("\n") if line}
counted = re.findall(r"^  task (\d+) (0x[0-9a-f]+)", dump, re.M)
wrong = [(number, shown.get(at)) for number, at in counted if shown.get(at) != number]
if len(counted) < 7 or wrong:
    has("info co4 tasks", "the numbers of the dump, not %s of %d" % (wrong, len(counted)))
# What is said of a wait is that of the dump, but for selects: gdb does not list their cases.
waits = re.findall(r"^  task \d+ (0x[0-9a-f]+) (.+): paused for [^,\n]*, ([^,\n]+)", dump, re.M)
tasks = say("info co4 tasks")
wrong = [wait for wait in waits if "  %s  paused   %s, %s, " % wait not in tasks
         and not re.match("selects|waits for source ", wait[2])]
if len(waits) < 8 or wrong:
    has("info co4 tasks", "the waits of the dump, not those of %s" % wrong)
has("info co4 tasks", r" hears, receives from broadcast as subscriber 0x[0-9a-f]+, hears \(\) at ",
    r" scoped, waits for semaphore 0x[0-9a-f]+, acquires \(\) at ")
has("co4 bt " + number_of(" scoped, "), r"^#1  co4_scope_run \(\) at ", r"^#2  scoped \(\) at ",
    r"^#3  co4_scope_run \(\) at ")
has("info co4 tasks", r"^ +s\d+  0x[0-9a-f]+  paused   sleeper, sleeps, ")
address = [line.split()[1] for line in say("info co4 tasks").split("\n") if "'Ann'" in line]
has("co4 bt " + (address or ["?"])[0], "^#1  clerk")
has("co4 bt " + number_of(" running "), "It is running")
has("co4 bt 99999", "There is no task 99999")
has("info co4 callers 99999", "There is no task 99999")
has("co4 bt", "Which task")
if live:
    say("gcore " + CORE)
    say("kill")
end()
