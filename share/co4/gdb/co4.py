"""co4.py - gdb and woven code: locals that live in frames, callers that stand on no stack.

    (gdb) source .../share/co4/gdb/co4.py        or in ~/.gdbinit

    info co4 locals          the locals of the selected frame: those on the C stack, and the pinned ones
    info co4 callers         who goes on when the running task's C stack has ended: name, place, what is kept
    info co4 callers TASK    the same of a task or a generator that is paused, leaf first
    info co4 tasks           all tasks: number, state, name or function, what it waits in, and where
    co4 bt N                 the async backtrace of the task with that number: name, place, what is kept; or of one by its address
    print $co4("x")          a local by its name, wherever it lives; $co4("x", 30) the one declared in line 30

`bt` leaves out what weaving adds to the arguments, and `bt full` has the pinned locals, too. `step` does not stop
in co4/abi.h.

All is read from the tables that woven code carries (co4_abi_func) and from the debug information, so it works on core
files and without a running program where that makes sense. The tables do not say where a scope ends: a pinned local
is shown as long as its frame lives, with the line of its declaration, and a name that may mean two things is an error.
"""
import importlib.util

import gdb
from gdb.FrameDecorator import FrameDecorator

HIDDEN = ("co4", "co4_f", "co4_resumed")


def made(name):
    """Is this a name that weaving has put in?"""
    return name in HIDDEN or name.startswith("co4_")


def woven_tag(frame):
    """f of `struct f__frame *co4_f`, when the frame is the body of a woven function; else None."""
    if frame.function() is None:
        return None
    for symbol in arguments(frame):
        if symbol.name == "co4_f" and symbol.type.code == gdb.TYPE_CODE_PTR:
            tag = symbol.type.target().tag or ""
            return tag[: -len("__frame")] if tag.endswith("__frame") else None
    return None


def function_block(frame):
    try:
        block = frame.block()
    except RuntimeError:  # no debug information there
        return None
    while block is not None and block.function is None:
        block = block.superblock
    return block


def arguments(frame):
    # with one body for both entries the frame is a local or an argument, as the function has it
    return [symbol for symbol in function_block(frame) or [] if symbol.is_argument or symbol.is_variable]


class Field:
    """A line of the table of fields, and its value in a frame."""

    def __init__(self, entry):
        self.name = entry["name"].string()
        self.type = entry["type"].string()
        self.offset = int(entry["offset"])
        self.pinned = bool(int(entry["pinned"]))
        self.line = int(entry["line"])

    def value(self, struct):
        """In `struct f__frame`; what is kept as bytes, its type having no name there, by the type's name."""
        for member in struct.type.fields():
            if member.bitpos == 8 * self.offset and member.name != "head":
                value = struct[member]
                if value.type.code == gdb.TYPE_CODE_ARRAY and str(value.type.target()) == "unsigned char":
                    return self.typed(value)
                return value
        return None

    def typed(self, value):
        try:
            wanted = gdb.lookup_type(self.type.strip())
        except gdb.error:
            return value
        return value.cast(wanted) if wanted.sizeof == 0 else value.address.cast(wanted.pointer()).dereference()


def fields_of(func):
    return [Field(func["fields"][i]) for i in range(int(func["nfields"]))]


def pinned(frame):
    """The pinned locals of a woven frame, as (field, value or None where gdb cannot know it)."""
    tag = woven_tag(frame)
    if tag is None:
        return []
    found = gdb.lookup_symbol(tag + "__func", function_block(frame))[0]
    if found is None:
        return []
    fields = [field for field in fields_of(found.value()) if field.pinned and not made(field.name)]
    try:
        address = frame.read_var("co4_f")
        struct = address.dereference() if int(address) != 0 else None
    except (gdb.error, ValueError):  # optimized out
        struct = None
    return [(field, struct and field.value(struct)) for field in fields]


def visible(frame):
    """The locals on the C stack, innermost scope first, each name once."""
    try:
        block = frame.block()
    except RuntimeError:
        return
    seen = set()
    while block is not None:
        for symbol in block:
            if (symbol.is_variable or symbol.is_argument) and symbol.name not in seen and not made(symbol.name):
                seen.add(symbol.name)
                yield symbol
        if block.function is not None:
            return
        block = block.superblock


def shown(value):
    if value is None:
        return "<optimized out>"
    try:
        return value.format_string()
    except gdb.error as problem:
        return "<%s>" % problem


class InfoCo4(gdb.Command):
    """What gdb knows of woven code."""

    def __init__(self):
        super().__init__("info co4", gdb.COMMAND_STACK, prefix=True)


class InfoLocals(gdb.Command):
    """The locals of the selected frame of a pausable function, pinned ones included."""

    def __init__(self):
        super().__init__("info co4 locals", gdb.COMMAND_STACK)

    def invoke(self, _argument, _from_tty):
        frame = gdb.selected_frame()
        if woven_tag(frame) is None:
            raise gdb.GdbError("%s is no pausable function" % (frame.name() or "this"))
        for symbol in visible(frame):
            print("%s = %s" % (symbol.name, shown(symbol.value(frame))))
        for field, value in pinned(frame):
            print("%s = %s (pinned, of line %d)" % (field.name, shown(value), field.line))


def func_and_site(head):
    """Whose frame it is, and what is told of where it goes on: None when it has not begun, or nothing is."""
    func, number = head["at"]["func"].dereference(), int(head["at"]["id"])
    return func, func["sites"][number - 1] if number > 0 and int(func["sites"]) != 0 else None


def print_chain(head):
    """A chain of frames that stand in memory: what each goes on with."""
    number = 0
    while int(head) != 0:
        func, site = func_and_site(head)
        name = func["name"].string()
        line = int(func["line"] if site is None else site["line"])
        waits = "" if site is None else " in %s()" % site["callee"].string()
        print("#%d  %s () at %s:%d%s" % (number, name, func["file"].string(), line, waits))
        if site is not None:
            print_kept(head, func, name, site)
        number += 1
        head = head["caller"]


def print_kept(head, func, name, site):
    # the frame's type by the file of its resume entry: static functions of other files may have the same name
    file = gdb.decode_line("*%d" % int(head["at"]["resume"]))[1][0].symtab
    if file is None:
        return
    struct = head.cast(gdb.lookup_type("struct %s__frame" % name, file.static_block()).pointer()).dereference()
    fields = fields_of(func)
    for i in range(int(site["nlive"])):
        field = fields[int(site["live"][i])]
        if not made(field.name):
            print("        %s = %s" % (field.name, shown(field.value(struct))))


class InfoCallers(gdb.Command):
    """The frames that go on when the C stack of the running task has ended; or those of a paused task."""

    def __init__(self):
        super().__init__("info co4 callers", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        if argument:
            fiber = gdb.parse_and_eval(argument).cast(gdb.lookup_type("struct co4_fiber").pointer())
            print_chain(fiber["leaf"])
            return
        frame = gdb.selected_frame()
        while frame is not None:
            if (frame.name() or "").endswith("__resume"):
                head = frame.read_var("co4_head")
                if head.is_optimized_out:
                    raise gdb.GdbError("The frame of %s is optimized out." % frame.name()[: -len("__resume")])
                print_chain(head["caller"])
                return
            frame = frame.older()
        print("No callers but those that bt shows.")


# ORDER struct co4__layout in the library's insight.h
LAYOUT_FIELDS = """
    slab_next slab_first slab_bytes
    hidden_next hidden_task
    task_bytes task_home task_extra task_state task_wait task_cancel task_leaf task_buffer task_where
    timer_place
    extra_name extra_watched watched_function
    runtime_next runtime_number runtime_main
    mailbox_place lock_place
""".split()
LAYOUT_VERSION = 3

STATES = ("new", "ready", "running", "running", "paused", "stopped")  # ORDER state, in the library
RUNNING, PAUSED, STOPPED = (2, 3), 4, 5
TIMED, WHAT_FOR = 2, 7 << 3
WAITS = ("", "sleeps", "gets from mailbox", "puts into mailbox", "joins task", "selects", "waits to read at", "waits at")


class Library:
    """What is read of the library's memory: by offsets that it tells, for it may have no debug information."""

    def __init__(self):
        try:
            table = int(gdb.parse_and_eval("(char *)&co4__layout"))
        except gdb.error:
            raise gdb.GdbError("There is no libco4 here that tells its layout.")
        self.pointer_bytes = gdb.lookup_type("char").pointer().sizeof
        if self.number(table, 4) != LAYOUT_VERSION:
            raise gdb.GdbError("This libco4 has another layout than this co4.py knows.")
        at = table + 8
        self.runtimes, self.slabs, self.fresh, self.hidden = [self.pointer(at + i * self.pointer_bytes) for i in range(4)]
        at += 4 * self.pointer_bytes
        for i, name in enumerate(LAYOUT_FIELDS):
            setattr(self, name, self.number(at + 4 * i, 4))

    def number(self, address, size):
        # both byte orders: gdb knows which
        kind = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}[size]
        return int(gdb.Value(address).cast(gdb.lookup_type(kind).pointer()).dereference())

    def pointer(self, address):
        return self.number(address, self.pointer_bytes)

    def string(self, address):
        return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string(errors="replace") if address else ""

    def slots(self):
        """The memory of all tasks there have been, oldest first: a task keeps its number while it lives."""
        slabs, slab, end = [], self.pointer(self.slabs), self.pointer(self.fresh)
        while slab:
            first = self.pointer(slab + self.slab_first)
            slabs.append((first, end))
            slab = self.pointer(slab + self.slab_next)
            if slab:
                end = self.pointer(slab + self.slab_first) + self.pointer(slab + self.slab_bytes)
        for first, end in reversed(slabs):
            yield from range(first, end, self.task_bytes)
        one = self.pointer(self.hidden)  # each by itself, for the address sanitizer and valgrind
        while one:
            yield self.pointer(one + self.hidden_task) ^ ((1 << 8 * self.pointer_bytes) - 1)
            one = self.pointer(one + self.hidden_next)

    def tasks(self):
        """(number, Task) of those that live; the calls of co4_run() have an m in front of theirs."""
        rts = []
        rt = self.pointer(self.runtimes)
        while rt:
            rts.append(rt)
            rt = self.pointer(rt + self.runtime_next)
        for rt in reversed(rts):
            main = self.pointer(rt + self.runtime_main)
            if main:
                yield "m%d" % self.number(rt + self.runtime_number, 4), Task(self, main)
        for number, slot in enumerate(self.slots(), 1):
            task = Task(self, slot)
            if task.home and task.state != STOPPED:
                yield str(number), task


class Task:
    def __init__(self, library, address):
        self.library, self.address = library, address
        self.home = library.number(address + library.task_home, 2)
        self.state = library.number(address + library.task_state, 1)
        self.wait = library.number(address + library.task_wait, 1)
        self.cancelled = library.number(address + library.task_cancel, 1) != 0
        self.leaf = library.pointer(address + library.task_leaf) if self.state not in RUNNING else 0

    def head(self):
        """The leaf as a frame that gdb knows by type."""
        try:
            return gdb.Value(self.leaf).cast(gdb.lookup_type("struct co4_frame").pointer())
        except gdb.error:
            raise gdb.GdbError("No woven code here has debug information.")

    def name(self):
        library, extra = self.library, self.library.pointer(self.address + self.library.task_extra)
        name = library.string(extra + library.extra_name) if extra else ""
        watched = library.pointer(extra + library.extra_watched) if extra else 0
        function = library.string(library.pointer(watched + library.watched_function)) if watched else ""
        head = self.head()
        while not function and int(head) != 0 and int(head["caller"]) != 0:
            head = head["caller"]
        if not function and int(head) != 0:
            function = head["at"]["func"]["name"].string()
        return "'%s' %s" % (name, function) if name else function

    def waits(self):
        """In words; object and deadline where it has them."""
        library, what = self.library, (self.wait & WHAT_FOR) >> 3
        if self.state != PAUSED:
            return ""
        where = library.pointer(self.address + library.task_where)
        if self.wait & TIMED:
            where = library.pointer(where + library.timer_place)
        thing = 0
        if where and what in (2, 3):
            thing = where - library.mailbox_place
        elif where and what in (6, 7):
            thing = where - library.lock_place
        elif what == 4:
            thing = library.pointer(self.address + library.task_buffer)
        return WAITS[what] + (" 0x%x" % thing if thing else "")

    def place(self):
        """The user's deepest function, as far as names tell."""
        head = self.head()
        while int(head) != 0:
            func, site = func_and_site(head)
            if int(head["at"]["id"]) > 0 and (not func["name"].string().startswith("co4_") or int(head["caller"]) == 0):
                line = int(func["line"] if site is None else site["line"])  # None: --tables=none
                return "%s () at %s:%d" % (func["name"].string(), func["file"].string(), line)
            head = head["caller"]
        return ""


class InfoTasks(gdb.Command):
    """All tasks: number, address, state, name or function, what it waits in, where."""

    def __init__(self):
        super().__init__("info co4 tasks", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        count = 0
        for number, task in Library().tasks():
            count += 1
            words = [task.name(), task.waits(), task.place()]
            print("%5s  0x%x  %-7s  %s" % (number, task.address, STATES[task.state] + ("!" if task.cancelled else ""),
                                          ", ".join(word for word in words if word)))
        if count == 0:
            print("No tasks.")


class Co4Command(gdb.Command):
    """What gdb does with tasks."""

    def __init__(self):
        super().__init__("co4", gdb.COMMAND_STACK, prefix=True)


class Backtrace(gdb.Command):
    """co4 bt N: the async backtrace of task N of `info co4 tasks`, or of the task at an address."""

    def __init__(self):
        super().__init__("co4 bt", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        library = Library()
        if not argument:
            raise gdb.GdbError("Which task? See `info co4 tasks`.")
        found = [task for number, task in library.tasks() if number == argument]
        if not found:
            address = int(gdb.parse_and_eval(argument))
            found = [task for _, task in library.tasks() if task.address == address]
        if not found:
            raise gdb.GdbError("There is no task %s." % argument)
        task = found[0]
        if task.state in RUNNING:
            print("It is running: its calls are on the C stack of a thread, `thread apply all bt`.")
        elif int(task.leaf) == 0:
            print("It has no frames: it waits in the call that it was started as.")
        else:
            print_chain(task.head())


class Co4Function(gdb.Function):
    """$co4(NAME [, LINE]): the local NAME of the selected frame, pinned or not; the one declared in LINE."""

    def __init__(self):
        super().__init__("co4")

    def invoke(self, name, line=None):
        frame, name = gdb.selected_frame(), name.string()
        found = [(symbol.line, symbol.value(frame)) for symbol in visible(frame) if symbol.name == name]
        found += [(field.line, value) for field, value in pinned(frame) if field.name == name]
        if line is not None:
            found = [one for one in found if one[0] == int(line)]
        if not found:
            raise gdb.GdbError("There is no local '%s' here." % name)
        if len(found) > 1:
            lines = " and ".join(str(one[0]) for one in sorted(found))
            raise gdb.GdbError("'%s' is declared in lines %s: say $co4(\"%s\", LINE)." % (name, lines, name))
        if found[0][1] is None:
            raise gdb.GdbError("'%s' is optimized out." % name)
        return found[0][1]


class Named:
    """What frame decorators give for a variable."""

    def __init__(self, name, its_value):
        self.name, self.its_value = name, its_value

    def symbol(self):
        return self.name

    def value(self):
        return self.its_value


class WovenDecorator(FrameDecorator):
    def frame_args(self):
        return [one for one in super().frame_args() or [] if str(one.symbol()) not in HIDDEN]

    def frame_locals(self):
        own = [one for one in super().frame_locals() or [] if not made(str(one.symbol()))]
        own += [Named(field.name, value if value is not None else shown(value))
                for field, value in pinned(self.inferior_frame())]
        return own


class WovenFilter:
    def __init__(self):
        self.name, self.priority, self.enabled = "co4", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        for one in frames:
            yield WovenDecorator(one) if woven_tag(one.inferior_frame()) is not None else one


def register():
    InfoCo4()
    InfoLocals()
    InfoCallers()
    InfoTasks()
    Co4Command()
    Backtrace()
    Co4Function()
    WovenFilter()
    gdb.execute("skip -gfi */co4/abi.h", to_string=True)


if __name__ == "__main__":  # gdb runs what it sources in one namespace for all scripts; this one takes its own
    spec = importlib.util.spec_from_file_location("co4_gdb", __file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.register()
