"""co4.py - gdb and woven code: locals that live in frames, callers that are on no stack.

    (gdb) source PATH        or in ~/.gdbinit; `pkg-config --variable=gdb co4` prints the path

In woven functions print, p, call, display, set var, info locals and info args know all locals by
their names, wherever they live. next and step go where the function's caller goes on, or where
the function itself does after a pause.

    info co4 locals          the locals of the selected frame, and for pinned ones the line of their
                             declaration
    info co4 callers         the functions that go on when the running task's C stack has ended:
                             name, place, values
    info co4 callers TASK    the same of a task or a generator that is paused, leaf first
    info co4 tasks           all tasks: number, state, name or function, what it waits in, and where
    co4 bt N                 the async backtrace of the task with that number, or at that address:
                             name, place, values
    print $co4("x")          a local by its name, for all other commands; $co4("x", 30) the one
                             declared in line 30

`bt` leaves out what weaving adds, arguments and functions, and `bt full` has the pinned locals,
too. `step` does not stop in co4/abi.h.

All is read from the tables that woven code carries (co4_abi_func) and from the debug
information, so it works on core files and without a running program where that makes sense. The
tables do not say where a scope ends: a pinned local is shown as long as its frame lives, and a
name that may mean two things is an error. An argument that a resume did not need is not there
any more.
"""
import importlib.util
import os
import re
import sys

import gdb
from gdb.FrameDecorator import FrameDecorator

HIDDEN = ("co4", "co4_f", "co4_resumed")


def made(name):
    """Is this a name that weaving has put in?"""
    return name in HIDDEN or name.startswith("co4_")


def own_symbol(frame, name):
    """The symbol of that name that weaving has put into the frame's function; or None."""
    for symbol in arguments(frame):
        if symbol.name == name:
            return symbol
    return None


def woven_tag(frame):
    """f of `struct f__frame *co4_f`, when the frame is the body of a woven function; else None."""
    if frame.function() is None or own_symbol(frame, "co4_resumed") is None:
        return None
    symbol = own_symbol(frame, "co4_f")
    if symbol is None or symbol.type.code != gdb.TYPE_CODE_PTR:
        return None
    tag = symbol.type.target().tag or ""
    return tag[: -len("__frame")] if tag.endswith("__frame") else None


GLUE = re.compile(
    "__(co4|resume|job_resume|run|spawn|task|start|call|args|unwind|job|generate|blocking|root)$")


def is_glue(frame):
    """Is it a function that weaving has put between the user's?"""
    if frame.function() is None or woven_tag(frame) is not None:
        return False
    names = [symbol.name for symbol in arguments(frame)]
    if GLUE.search(frame.name() or "") and (not names or any(made(name) for name in names)):
        return True
    fiber = own_symbol(frame, "co4")  # a local in the plain entry of a function for both worlds
    return fiber is not None and not fiber.is_argument


def library_folder():
    """Where the library's sources were; None: its code has no debug information."""
    symbol = gdb.lookup_global_symbol("co4_abi_run_begin")
    if symbol is None or symbol.symtab is None:
        return None
    # its file is in a folder of its layer
    return os.path.dirname(os.path.dirname(symbol.symtab.fullname()))


def is_users(frame):
    """Is it code that the user has written?"""
    symtab = frame.find_sal().symtab
    if symtab is None or is_glue(frame):
        return False
    name, folder = symtab.fullname(), library_folder()
    if folder is not None and name.startswith(folder + os.sep):
        return False
    return not (name.endswith("/co4/abi.h"))


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
    return [
        symbol for symbol in function_block(frame) or [] if symbol.is_argument or symbol.is_variable
    ]


class Field:
    """A line of the table of fields, and its value in a frame."""

    def __init__(self, entry, text):
        self.name = (text + int(entry["name"])).string()
        self.type = (text + int(entry["type"])).string()
        self.offset = int(entry["offset"])
        self.pinned = bool(int(entry["pinned"]))
        self.line = int(entry["line"])

    def member(self, type):
        """Its member of `struct f__frame`."""
        for member in type.fields():
            if member.bitpos == 8 * self.offset and member.name != "head" and not re.match(
                    r"co4_z\d", member.name):
                return member
        return None

    def value(self, struct):
        """In `struct f__frame`; what is kept as bytes, its type having no name there, by the
        type's name."""
        member = self.member(struct.type)
        if member is None:
            return None
        value = struct[member]
        return self.typed(value) if self.is_bytes(member) else value

    def local_type(self):
        """A type of the function itself; its name is in the function's outermost block, or
        in that where it is declared."""
        words = self.type.split()
        try:
            block = gdb.selected_frame().block()
        except (gdb.error, RuntimeError):
            return None
        while block is not None and len(words) == 2:
            for symbol in block:
                if symbol.name == words[1] and symbol.addr_class == gdb.SYMBOL_LOC_TYPEDEF:
                    return symbol.type
            block = block.superblock
        return None

    def is_bytes(self, member):
        if member.type.code != gdb.TYPE_CODE_ARRAY or str(member.type.target()) != "unsigned char":
            return False
        return "unsigned char" not in self.type

    def typed(self, value):
        try:
            wanted = gdb.lookup_type(self.type.strip())
        except gdb.error:
            wanted = self.local_type()
        if wanted is None:
            return value
        return value.cast(wanted) if wanted.sizeof == 0 else value.address.cast(
            wanted.pointer()).dereference()


def fields_of(func):
    if int(func["info"]) == 0:
        return []
    info = func["info"]
    return [Field(info["fields"][i], func["name"]) for i in range(int(info["nfields"]))]


def live_at(func, site):
    """The fields in use at a point: a set has its length in front of it."""
    fields, at = fields_of(func), int(site["live"])
    live = func["info"]["live"]
    return [fields[int(live[at + 1 + i])] for i in range(int(live[at]))]


class Activation:
    """A woven function that runs, by its tables and its frame."""

    def __init__(self, frame, tag):
        self.frame, self.func, self.fields, self.head, self.struct = frame, None, [], None, None
        found = gdb.lookup_symbol(tag + "__func", function_block(frame))[0]
        if found is not None:
            self.func = found.value()["func"]
            self.fields = fields_of(self.func)
        self.known = False  # where the frame is
        try:
            address = frame.read_var("co4_f")
            self.known = not address.is_optimized_out
            if self.known and int(address) != 0:
                self.struct, self.head = address.dereference(), address.cast(
                    gdb.lookup_type("co4_frame").pointer())
        except (gdb.error, ValueError):
            pass
        if is_beginning(frame) and not is_resumed(frame):  # its parameters are not stored yet
            self.known, self.struct = True, None

    def pinned(self):
        return [field for field in self.fields if field.pinned and not made(field.name)]

    def value(self, field):
        """None: gdb cannot know it."""
        return field.value(self.struct) if self.struct is not None else None

    def lacks(self, name, value):
        """Did the resume that has begun this stretch leave the argument out? It was not needed
        any more. Then it is zero, but for what was assigned since."""
        if self.head is None or self.func is None or site_of(self.func, 1) is None:
            return False
        try:
            resumed, number = int(self.frame.read_var("co4_resumed")), int(self.head["at"]["id"])
        except (gdb.error, ValueError):
            resumed, number = is_resumed(self.frame), int(self.head["at"]["id"])
        if not resumed or number == 0:
            return False
        site = site_of(self.func, number)
        live = [field.name for field in live_at(self.func, site)]
        return name not in live and not any(bytes_of(value))


def bytes_of(value):
    try:
        return value.cast(gdb.lookup_type("unsigned char").array(value.type.sizeof - 1)).bytes
    except (AttributeError, gdb.error):
        pass
    try:
        return bytes(gdb.selected_inferior().read_memory(int(value.address), value.type.sizeof))
    except (TypeError, gdb.error):
        return bytes([int(value) != 0])


def is_beginning(frame):
    """Is the frame at the entry code, which has the lines of the header?"""
    found = gdb.lookup_symbol(woven_tag(frame) + "__func", function_block(frame))[0]
    line = line_of(found.value()["func"]) if found is not None else 0
    first = line if line > 0 else frame.function().line
    return first <= frame.find_sal().line <= frame.function().line


def is_resumed(frame):
    while frame is not None and (is_glue(frame) or woven_tag(frame) is not None):
        if (frame.name() or "").endswith("__resume"):
            return True
        frame = frame.older()
    return False


def activation(frame):
    """None: no woven function."""
    tag = woven_tag(frame)
    return Activation(frame, tag) if tag is not None else None


def pinned(frame):
    """The pinned locals of a woven frame, as (field, value or None where gdb cannot know it)."""
    here = activation(frame)
    return [(field, here.value(field)) for field in here.pinned()] if here is not None else []


def visible(frame):
    """The locals on the C stack, innermost scope first, each name once."""
    try:
        block = frame.block()
    except RuntimeError:
        return
    seen = set()
    while block is not None:
        for symbol in block:
            if (symbol.is_variable
                    or symbol.is_argument) and symbol.name not in seen and not made(symbol.name):
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
    """The locals and callers of woven functions."""

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


def func_of(head):
    """The description of a frame's function, which is in front of its points."""
    at = head["at"]
    return (at - int(at["id"])).cast(gdb.lookup_type("co4_abi_func").pointer()) - 1


def in_source(name):
    """The name of a function as the user's source has it."""
    return {"co4_abi_scope_run": "co4_scope_run",
            "co4__select_wait": "co4_select_until"}.get(name, name)


def site_of(func, number):
    """The point of that number in the tables; None: they lack it."""
    if number <= 0 or int(func["info"]) == 0 or int(func["info"]["sites"]) == 0:
        return None
    return func["info"]["sites"][number - 1]


def line_of(func):
    """0: not known (--tables=none)."""
    return int(func["info"]["line"]) if int(func["info"]) != 0 else 0


def place_of(func, site):
    """ at its file and line, if known."""
    if int(func["info"]) == 0:
        return ""
    line = line_of(func) if site is None else int(site["line"])
    return " at %s:%d" % (func["info"]["file"].string(), line)


def func_and_site(head):
    """The function of a frame, and the point at which it goes on: None when it has not begun, or
    has no tables."""
    func = func_of(head).dereference()
    return func, site_of(func, int(head["at"]["id"]))


def print_chain(head):
    """Prints a chain of frames in memory, each with the point at which it goes on."""
    number = 0
    while int(head) != 0:
        func, site = func_and_site(head)
        name = func["name"].string()
        waits = "" if site is None else " in %s()" % (func["name"] + int(site["callee"])).string()
        print("#%d  %s ()%s%s" % (number, in_source(name), place_of(func, site), waits))
        if site is not None:
            print_kept(head, func, name, site)
        number += 1
        head = head["caller"]


def print_kept(head, func, name, site):
    # the frame's type by the file of its resume entry: static functions of other files may have the
    # same name
    file = gdb.decode_line("*%d" % int(head["at"]["resume"]))[1][0].symtab
    if file is None:
        return
    struct = head.cast(gdb.lookup_type("struct %s__frame" % name,
                                       file.static_block()).pointer()).dereference()
    for field in live_at(func, site):
        if not made(field.name):
            print("        %s = %s" % (field.name, shown(field.value(struct))))


def head_of(frame):
    """The frame in memory of a resume entry's call; None: the debug information does not say."""
    try:
        head = frame.read_var("co4_head")
    except ValueError:  # -g1 has no variables
        return None
    return None if head.is_optimized_out else head


class InfoCallers(gdb.Command):
    """The frames that go on when the C stack of the running task has ended, or those of a paused
    task."""

    def __init__(self):
        super().__init__("info co4 callers", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        if argument:
            numbered = [task for number, task in Library().tasks() if number == argument]
            address = numbered[0].address if numbered else gdb.parse_and_eval(argument)
            fiber = gdb.Value(address).cast(gdb.lookup_type("struct co4_fiber").pointer())
            try:
                fiber["leaf"].fetch_lazy()
            except gdb.MemoryError:
                raise gdb.GdbError("There is no task %s." % argument) from None
            print_chain(fiber["leaf"])
            return
        frame = gdb.selected_frame()
        while frame is not None:
            if (frame.name() or "").endswith("__resume"):
                head = head_of(frame)
                if head is None:
                    raise gdb.GdbError("The frame of %s is optimized out." %
                                       frame.name()[:-len("__resume")])
                print_chain(head["caller"])
                return
            frame = frame.older()
        print("No callers but those that bt shows.")


# ORDER struct co4__layout in the library's layout.h
LAYOUT_FIELDS = """
    slab_next slab_first slab_bytes
    hidden_next hidden_task
    task_bytes task_runtime_id task_extension task_state task_wait task_cancel task_leaf task_buffer task_where
    timer_queue queue_second queue_bytes
    extension_name extension_record record_function record_number
    runtime_next runtime_number runtime_main
    mailbox_queue lock_queue
    queue_gate gate_of_descriptors descriptor_fd
    selecting_count selecting_cases case_source
""".split()
LAYOUT_VERSION = 8

STATES = ("new", "ready", "running", "running", "paused", "stopped")  # ORDER state, in the library
RUNNING, PAUSED, STOPPED = (2, 3), 4, 5
TIMED, WHAT_FOR = 2, 7 << 3
WAITS = ("", "sleeps", "receives from mailbox", "sends to mailbox", "joins task", "selects",
         "waits at", "waits at")


class Library:
    """Reads the library's memory by the offsets that the library gives: it may have no debug
    information."""

    def __init__(self):
        try:
            table = int(gdb.parse_and_eval("(char *)&co4__layout"))
        except gdb.error:
            raise gdb.GdbError("There is no libco4 here that tells its layout.")
        self.pointer_bytes = gdb.lookup_type("char").pointer().sizeof
        if self.number(table, 4) != LAYOUT_VERSION:
            raise gdb.GdbError("This libco4 has another layout than this co4.py knows.")
        at = table + 8
        self.runtimes, self.slabs, self.fresh, self.hidden = [
            self.pointer(at + i * self.pointer_bytes) for i in range(4)
        ]
        self.words = list(self.words_at(self.pointer(at + 4 * self.pointer_bytes)))
        at += 5 * self.pointer_bytes
        for i, name in enumerate(LAYOUT_FIELDS):
            setattr(self, name, self.number(at + 4 * i, 4))

    def number(self, address, size):
        # both byte orders: gdb knows which
        kind = {
            1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"
        }[size]
        return int(gdb.Value(address).cast(gdb.lookup_type(kind).pointer()).dereference())

    def pointer(self, address):
        return self.number(address, self.pointer_bytes)

    def string(self, address):
        return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string(
            errors="replace") if address else ""

    def words_at(self, at):
        """(How the name of a call begins, what is said of a wait in it) of the library's text."""
        while at and self.number(at, 1):
            call = self.string(at)
            words = self.string(at + len(call) + 1)
            yield "co4_" + call, words
            at += len(call) + len(words) + 2

    def slots(self):
        """The memory of each task so far, oldest first. It stays where it is while a task lives."""
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
        """(number, Task) of each live task. While the program watches its tasks, the number is that
        of dumps, traces and co4top. Else it is the one of its memory, behind an s, so that it is
        not taken for a number; that of a co4_run() call is the one of its runtime, behind an m."""
        rts = []
        rt = self.pointer(self.runtimes)
        while rt:
            rts.append(rt)
            rt = self.pointer(rt + self.runtime_next)
        for rt in reversed(rts):
            main = self.pointer(rt + self.runtime_main)
            if main:
                task = Task(self, main)
                runtime = self.number(rt + self.runtime_number, 4)
                yield str(task.number) if task.number else "m%d" % runtime, task
        all_slots = enumerate((Task(self, at) for at in self.slots()), 1)
        for slot, task in all_slots:
            if task.runtime_id and task.state != STOPPED:
                yield str(task.number) if task.number else "s%d" % slot, task


class Task:
    def __init__(self, library, address):
        self.library, self.address = library, address
        self.runtime_id = library.number(address + library.task_runtime_id, 2)
        self.state = library.number(address + library.task_state, 1)
        self.wait = library.number(address + library.task_wait, 1)
        self.cancelled = library.number(address + library.task_cancel, 1) != 0
        self.leaf = library.pointer(address + library.task_leaf) if self.state not in RUNNING else 0
        lives = self.runtime_id and self.state != STOPPED
        extension = library.pointer(address + library.task_extension) if lives else 0
        record = library.pointer(extension + library.extension_record) if extension else 0
        self.number = library.number(record + library.record_number, 4) if record else 0

    def head(self):
        """The leaf as a frame that gdb knows by type."""
        try:
            return gdb.Value(self.leaf).cast(gdb.lookup_type("struct co4_frame").pointer())
        except gdb.error:
            raise gdb.GdbError("No woven code here has debug information.")

    def name(self):
        library = self.library
        extension = library.pointer(self.address + library.task_extension)
        name = library.string(extension + library.extension_name) if extension else ""
        record = library.pointer(extension + library.extension_record) if extension else 0
        function = library.string(library.pointer(record +
                                                  library.record_function)) if record else ""
        names = []  # of the calls, leaf first
        head = self.head()
        while int(head) != 0:
            names.append(func_of(head)["name"].string())
            head = head["caller"]
        function = function or (names or [""])[-1]
        if function.startswith("co4_"):  # the outermost call that is the user's
            function = ([one for one in names if not one.startswith("co4_")] or [function])[-1]
        function = in_source(function)
        return "'%s' %s" % (name, function) if name else function

    def words_of_calls(self):
        """What the library says of waits in the call that waits; None: nothing more."""
        head = self.head()
        while int(head) != 0:
            func, site = func_and_site(head)
            name = func["name"].string()
            callee = "" if site is None else (func["name"] + int(site["callee"])).string()
            own = name.startswith("co4_")
            for call, words in self.library.words:
                if callee.startswith(call) or (own and name.startswith(call)):
                    return words
            if not own:
                break
            head = head["caller"]
        return None

    def only_source(self):
        """The source of a select that has one; 0: it has several, or is not of the library."""
        library, func = self.library, func_of(self.head()).dereference()
        for field in fields_of(func) if func["name"].string() == "co4__select_wait" else []:
            at = self.leaf + field.offset
            if field.name == "s" and library.number(at + library.selecting_count, 4) == 1:
                return library.pointer(library.pointer(at + library.selecting_cases) +
                                       library.case_source)
        return 0

    def waits(self):
        """The reason of the wait in words, with its object and deadline if it has them."""
        library, what = self.library, (self.wait & WHAT_FOR) >> 3
        if self.state != PAUSED:
            return ""
        where = library.pointer(self.address + library.task_where)
        if self.wait & TIMED:
            where = library.pointer(where + library.timer_queue)
        thing = 0
        if where and what in (2, 3):
            where -= library.number(where + library.queue_second, 1) * library.queue_bytes
            thing = where - library.mailbox_queue
        elif (where and what in (6, 7) and
              library.number(where + library.queue_gate, 1) == library.gate_of_descriptors):
            where -= library.number(where + library.queue_second, 1) * library.queue_bytes
            fd = library.number(where + library.descriptor_fd, 4)
            return "%s descriptor %d" % ("reads from" if what == 6 else "writes to", fd)
        elif where and what in (6, 7):
            thing = where - library.lock_queue
        elif what == 4:
            thing = library.pointer(self.address + library.task_buffer)
        elif what == 5:
            thing = self.only_source()
        words = self.words_of_calls() if thing and what >= 5 else None
        if what == 5 and not words:
            thing = 0
        return (words or WAITS[what]) + (" 0x%x" % thing if thing else "")

    def place(self):
        """The user's deepest function, as far as names tell."""
        head = self.head()
        while int(head) != 0:
            func, site = func_and_site(head)
            if int(head["at"]["id"]) > 0 and (not func["name"].string().startswith("co4_")
                                              or int(head["caller"]) == 0):
                return "%s ()%s" % (in_source(func["name"].string()), place_of(func, site))
            head = head["caller"]
        return ""


class InfoTasks(gdb.Command):
    """All tasks: number, address, state, name or function, the wait, the place."""

    def __init__(self):
        super().__init__("info co4 tasks", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        count = 0
        for number, task in Library().tasks():
            count += 1
            words = [task.name(), task.waits(), task.place()]
            print("%5s  0x%x  %-7s  %s" %
                  (number, task.address, STATES[task.state] +
                   ("!" if task.cancelled else ""), ", ".join(word for word in words if word)))
        if count == 0:
            print("No tasks.")


class Co4Command(gdb.Command):
    """The commands about tasks."""

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


def declared(lines, name):
    return gdb.GdbError("'%s' is declared in lines %s: say $co4(\"%s\", LINE)." % (
        name, " and ".join(str(line) for line in sorted(lines)), name))


class Local:
    """The meaning of a name in a woven frame: a symbol of gdb's, or a field of a pinned local."""

    def __init__(self, here, symbol, field):
        self.here, self.symbol, self.field = here, symbol, field

    def value(self):
        value = self.symbol.value(self.here.frame) if self.symbol is not None else self.here.value(
            self.field)
        if value is None:
            raise gdb.GdbError("'%s' is optimized out." % self.field.name)
        return value

    def text(self):
        """As an expression, for a pinned one."""
        self.value()
        member = self.field.member(self.here.struct.type)
        if self.field.is_bytes(member):
            return '$co4("%s", %d)' % (self.field.name, self.field.line)
        return "(co4_f->%s)" % member.name


def find_local(here, name):
    """None: there is no pinned local of that name, or not yet; gdb knows the rest. Declarations
    come before uses, and of two the later is the inner one, if its scope has not ended: a
    symbol's has not, of a pinned local's nothing is known."""
    line = here.frame.find_sal().line
    fields = [field for field in here.pinned() if field.name == name]
    if not fields:
        return None
    symbols = [symbol for symbol in visible(here.frame) if symbol.name == name]
    # of a pinned parameter, as it was passed
    copy = [symbol for symbol in symbols if symbol.is_argument]
    if copy and fields[0].line <= copy[0].line:
        if not here.known or here.struct is not None:
            symbols = [symbol for symbol in symbols if not symbol.is_argument]
        else:
            fields = fields[1:]  # it has no frame yet
    fields = [field for field in fields if field.line <= line]
    if symbols and all(field.line <= symbols[0].line for field in fields):
        return None
    if len(fields) + len(symbols) > 1:
        raise declared([one.line for one in fields + symbols], name)
    return Local(here, None, fields[0]) if fields else None


TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|\$\w*|\d[\w.]*|[A-Za-z_]\w*|->|::|\s+|.', re.S)
NO_NAME_BEHIND = (".", "->", "::", "struct", "union", "enum")


def with_fields(text):
    """The expression with pinned locals as the fields that they are."""
    try:
        here = activation(gdb.selected_frame())
    except gdb.error:
        here = None  # no process
    if here is None:
        return text
    out, before = [], ""
    for token in TOKEN.findall(text):
        word = token
        if (token[0].isalpha() or token[0] == "_") and before not in NO_NAME_BEHIND:
            local = find_local(here, token)
            word = local.text() if local is not None else token
        out.append(word)
        before = before if token.isspace() else token
    return "".join(out)


class Co4Function(gdb.Function):
    """$co4(NAME [, LINE]): the local NAME of the selected frame, pinned or not; the one declared
    in LINE."""

    def __init__(self):
        super().__init__("co4")

    def invoke(self, name, line=None):
        frame, name = gdb.selected_frame(), name.string()
        here = activation(frame)
        if line is None and here is not None:
            local = find_local(here, name)
            if local is not None:
                return local.value()
        found = [(symbol.line, symbol.value(frame)) for symbol in visible(frame)
                 if symbol.name == name]
        if line is not None or not found:
            found += [(field.line, value) for field, value in pinned(frame) if field.name == name]
        if line is not None:
            found = [one for one in found if one[0] == int(line)]
        if not found:
            raise gdb.GdbError("There is no local '%s' here." % name)
        if len(found) > 1:
            raise declared([one[0] for one in found], name)
        if found[0][1] is None:
            raise gdb.GdbError("'%s' is optimized out." % name)
        return found[0][1]


def converted(method):
    """gdb's errors, as gdb says them."""
    def call(self, argument, from_tty):
        try:
            method(self, argument, from_tty)
        except gdb.error as problem:
            raise gdb.GdbError(str(problem))
    return call


PRINT_OPTION = re.compile(r"-([a-z][a-z-]*)(?:\s+(on|off|unlimited|\d+)\b)?\s*")


class Print(gdb.Command):
    """Print value of expression EXP, as gdb does; in woven functions with all locals by their
    names.

    print [[OPTION]... --] [/FMT] [EXP]"""

    def __init__(self, name, shows_void):
        super().__init__(name, gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)
        self.shows_void = shows_void

    @converted
    def invoke(self, argument, _from_tty):
        options, argument = self.options(argument.strip())
        letters = re.match(r"/(\S*)\s*", argument)
        form = "/" + letters.group(1) if letters and letters.group(1) else ""
        text = argument[letters.end():] if letters else argument
        value = gdb.parse_and_eval(with_fields(text) if text else "$")
        if value.type.code == gdb.TYPE_CODE_VOID:
            if self.shows_void:
                gdb.write("$%d = void\n" % gdb.add_history(value))
            return
        number = gdb.add_history(value)
        shown = gdb.execute("%soutput%s $%d" % (options, form, number), to_string=True)
        gdb.write("$%d = %s\n" % (number, shown))

    def options(self, argument):
        """`-pretty on -elements 3 -- x`: (`with print pretty on -- with print elements 3 -- `,
        `x`)."""
        at, settings = 0, []
        while True:
            option = PRINT_OPTION.match(argument, at)
            if option is None:
                break
            settings.append("with print %s %s -- " % (option.group(1), option.group(2) or "on"))
            at = option.end()
        if not settings or not re.match(r"--(\s|$)", argument[at:]):
            return "", re.sub(r"^--\s+", "", argument)
        return "".join(settings), argument[at + 2:].strip()


class SetVariable(gdb.Command):
    """Evaluate expression EXP and assign result to variable VAR, as gdb does; all locals have
    their names."""

    def __init__(self):
        super().__init__("set variable", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    @converted
    def invoke(self, argument, _from_tty):
        value = gdb.parse_and_eval(with_fields(argument))
        if value.is_lazy:
            value.fetch_lazy()


class Displays:
    """Expressions that are shown at each stop, in the function that they are about."""

    def __init__(self):
        self.items, self.last = [], 0
        gdb.events.stop.connect(lambda _event: None if stepping.running else self.show())

    def add(self, form, text):
        function, mentions = self.place(), with_fields(text) != text
        try:
            names = [symbol.name for symbol in visible(gdb.selected_frame())]
            mentions |= any(word in names for word in TOKEN.findall(text))
            if not form.strip("/") in ("i", "s"):
                gdb.parse_and_eval(with_fields(text))
        except gdb.error:
            if gdb.selected_inferior().pid:
                raise
        self.last += 1
        self.items.append((self.last, form, text, function if mentions else None))
        self.show(self.items[-1:])

    def place(self):
        try:
            return gdb.selected_frame().name()
        except gdb.error:
            return None

    def show(self, items=None):
        for number, form, text, function in items if items is not None else self.items:
            if function is not None and function != self.place():
                continue
            try:
                if re.search(r"[is]|\d", form):
                    shown = "\n" + gdb.execute("x%s %s" % (form, with_fields(text)), to_string=True)
                    gdb.write("%d: x%s %s%s" % (number, form, text, shown))
                    continue
                shown = gdb.execute("output%s %s" % (form, with_fields(text)), to_string=True)
            except gdb.error:
                continue
            gdb.write("%d: %s%s = %s\n" % (number, form + " " if form else "", text, shown))

    def remove(self, numbers):
        for number in numbers:
            if number not in [item[0] for item in self.items]:
                raise gdb.GdbError("Could not find display number %d." % number)
        self.items = [item for item in self.items if numbers and item[0] not in numbers]


class Display(gdb.Command):
    """Print value of expression EXP each time the program stops, as gdb does; all locals have
    their names."""

    def __init__(self):
        super().__init__("display", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    @converted
    def invoke(self, argument, _from_tty):
        letters = re.match(r"(/\S+)?\s*(.*)$", argument.strip(), re.S)
        if letters.group(2):
            displays.add(letters.group(1) or "", letters.group(2))
        else:
            displays.show()


class Undisplay(gdb.Command):
    """Cancel some expressions to be displayed when program stops: by their numbers, or all."""

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_DATA)

    def invoke(self, argument, _from_tty):
        numbers = []
        for word in argument.split():
            first, _, last = word.partition("-")
            if not first.isdigit() or not (last or first).isdigit():
                raise gdb.GdbError("Arguments must be display numbers.")
            numbers += range(int(first), int(last or first) + 1)
        displays.remove(numbers)


class InfoDisplay(gdb.Command):
    """Expressions to display when program stops, with code numbers."""

    def __init__(self):
        super().__init__("info display", gdb.COMMAND_DATA)

    def invoke(self, _argument, _from_tty):
        if not displays.items:
            gdb.write("There are no auto-display expressions now.\n")
            return
        gdb.write("Auto-display expressions now in effect:\nNum Enb Expression\n")
        for number, form, text, _ in displays.items:
            gdb.write("%d:   y  %s%s\n" % (number, form + " " if form else "", text))


def woven_arguments(here):
    """(name, value or what to say instead), in the order of the function's declaration."""
    symbols = [
        symbol for symbol in function_block(here.frame) or []
        if symbol.is_argument and not made(symbol.name)
    ]
    entry = gdb.lookup_symbol((here.func["name"].string() if here.func is not None else "") +
                              "__co4")[0]
    if entry is not None and entry.type.code == gdb.TYPE_CODE_FUNC:
        block = gdb.block_for_pc(int(entry.value().address))
        while block is not None and block.function is None:
            block = block.superblock
        order = [symbol.name for symbol in block or [] if symbol.is_argument]
        symbols.sort(
            key=lambda symbol: order.index(symbol.name) if symbol.name in order else len(order))
    for symbol in symbols:
        fields = [
            field for field in here.pinned()
            if field.name == symbol.name and field.line <= symbol.line
        ]
        value = symbol.value(here.frame)
        if fields and (here.struct is not None or not here.known):
            value = here.value(fields[0])
        elif not fields and not value.is_optimized_out and here.lacks(symbol.name, value):
            value = "<not kept>"
        yield symbol.name, value if value is not None else "<optimized out>"


def said(value):
    return value if isinstance(value, str) else shown(value)


class InfoVariables(gdb.Command):
    """`info args` and `info locals`: [-q] [-t TYPEREGEXP] [NAMEREGEXP]."""

    @converted
    def invoke(self, argument, _from_tty):
        quiet, wanted, name = False, None, None
        words = gdb.string_to_argv(argument)
        while words and words[0].startswith("-"):
            word = words.pop(0)
            if word == "-q":
                quiet = True
            elif word == "-t" and words:
                wanted = re.compile(words.pop(0))
            elif word == "--":
                break
        if words:
            name = re.compile(" ".join(words))
        frame, count = gdb.selected_frame(), 0
        if function_block(frame) is None:
            gdb.write("No symbol table info available.\n")
            return
        for one, value in self.variables(frame):
            if name is not None and not name.search(one):
                continue
            if wanted is not None and (isinstance(value, str)
                                       or not wanted.search(str(value.type))):
                continue
            gdb.write("%s = %s\n" % (one, said(value)))
            count += 1
        if count == 0 and not quiet:
            gdb.write("No %s.\n" %
                      self.what if name is None and wanted is None else "No matching %s.\n" %
                      self.what)


class InfoArguments(InfoVariables):
    """All argument variables of current stack frame, as the function has them."""

    what = "arguments"

    def __init__(self):
        super().__init__("info args", gdb.COMMAND_STACK)

    def variables(self, frame):
        here = activation(frame)
        if here is not None:
            yield from woven_arguments(here)
            return
        for symbol in function_block(frame):
            if symbol.is_argument and not (is_glue(frame) and made(symbol.name)):
                yield symbol.name, symbol.value(frame)


class InfoAllLocals(InfoVariables):
    """All local variables of current stack frame, wherever they live."""

    what = "locals"

    def __init__(self):
        super().__init__("info locals", gdb.COMMAND_STACK)

    def variables(self, frame):
        block, woven = frame.block(), woven_tag(frame) is not None or is_glue(frame)
        while block is not None:
            for symbol in block:
                if symbol.is_variable and not (woven and made(symbol.name)):
                    yield symbol.name, symbol.value(frame)
            if block.function is not None:
                break
            block = block.superblock
        passed = [symbol.name for symbol in function_block(frame) if symbol.is_argument]
        line = frame.find_sal().line
        for field, value in pinned(frame):
            if field.name not in passed and field.line <= line:
                yield field.name, value if value is not None else "<optimized out>"


class Named:
    """A variable, as frame decorators hand it to gdb."""

    def __init__(self, name, its_value):
        self.name, self.its_value = name, its_value

    def symbol(self):
        return self.name

    def value(self):
        return self.its_value


class WovenDecorator(FrameDecorator):
    def frame_args(self):
        return [
            Named(name, value) for name, value in woven_arguments(activation(self.inferior_frame()))
        ]

    def frame_locals(self):
        passed = [name for name, _ in woven_arguments(activation(self.inferior_frame()))]
        own = [one for one in super().frame_locals() or [] if not made(str(one.symbol()))]
        own += [Named(field.name, value if value is not None else shown(value))
                for field, value in pinned(self.inferior_frame()) if field.name not in passed]
        return own


class WovenFilter:
    """Leaves out the functions that weaving has put between the user's."""

    def __init__(self):
        self.name, self.priority, self.enabled = "co4", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        for one in frames:
            frame = one.inferior_frame()
            if woven_tag(frame) is not None:
                yield WovenDecorator(one)
            elif not is_glue(frame):
                yield one


# Where the second argument is when a function begins: debug information says it only behind the
# prologue, and gdb takes for the end of that what may be far inside an inlined body.
SECOND_ARGUMENT = (("i386:x86-64", "$rsi"), ("i386", "*(void **)($esp + 8)"), ("aarch64", "$x1"),
                   ("arm", "$r1"), ("riscv", "$a1"), ("s390", "$r3"), ("powerpc", "$r4"))


class ResumeBreakpoint(gdb.Breakpoint):
    """Where one frame is resumed, and no other."""

    def __init__(self, head, architecture):
        self.argument = [text for name, text in SECOND_ARGUMENT if architecture.startswith(name)]
        super().__init__("*%d" % int(head["at"]["resume"]), internal=True)
        self.silent, self.head = True, int(head)

    def stop(self):
        return not self.argument or int(gdb.parse_and_eval(
            "(unsigned long)(%s)" % self.argument[0])) == self.head


class Stepping:
    """Takes `next` and `step` over pauses, by hooks around gdb's own commands. When these end in
    the library or in functions that weaving has added, the program runs on. A function that
    pauses is followed to its resume; otherwise its caller is, on the C stack or at the caller's
    resume. Meanwhile gdb prints no stops. A command that is typed, and not one of a script,
    returns before the program has stopped: then its end comes with the stop."""

    def __init__(self):
        self.running, self.silent, self.going_on = False, False, False
        self.signal, self.met, self.numbers, self.awaited = None, [], [], None
        gdb.events.stop.connect(self.stopped)
        gdb.events.exited.connect(self.exited)

    def stopped(self, event):
        """Notes the reason of the stop: a signal, or breakpoints, the user's or our own."""
        command, self.awaited = self.awaited, None
        if command is not None:
            gdb.post_event(lambda: self.end_late(command))
        self.signal = event.stop_signal if isinstance(event, gdb.SignalEvent) else None
        self.met = list(event.breakpoints) if isinstance(event, gdb.BreakpointEvent) else []
        self.numbers = [one.number for one in self.met if one.number > 0]

    def quiet(self, on):
        try:
            gdb.execute("set suppress-cli-notifications %s" % ("on" if on else "off"),
                        to_string=True)
            self.silent = on
        except gdb.error:  # an old gdb says more than it should
            pass

    def begin(self):
        if self.going_on:
            return
        self.end_silence()
        try:
            frame = gdb.newest_frame()
            here = activation(frame)
            if here is None and not is_glue(frame):
                return
            self.before, self.thread = frame, gdb.selected_thread().num
            self.name, self.line, self.depth = frame.name(), frame.find_sal().line, self.depth_of(
                frame)
            self.caller, self.fiber = self.caller_of(frame), None
            self.fiber = self.fiber_of(frame)
        except gdb.error:
            return
        self.running, self.signal, self.met, self.numbers = True, None, [], []
        # others say what they have seen
        if all(one.type == gdb.BP_BREAKPOINT for one in gdb.breakpoints()):
            self.quiet(True)

    def end_silence(self):
        if self.running or self.silent:
            self.running = False
            self.quiet(False)

    def depth_of(self, frame):
        depth = 0
        while frame is not None:
            frame, depth = frame.older(), depth + 1
        return depth

    def caller_of(self, frame):
        """The frame in memory that goes on when this function ends; 0: none; None: it is on the
        C stack, or not known."""
        while frame is not None and (woven_tag(frame) is not None or is_glue(frame)):
            if (frame.name() or "").endswith("__resume"):
                head = head_of(frame)
                return None if head is None else head["caller"]
            frame = frame.older()
        return None

    def exited(self, _):
        if self.awaited is not None:
            self.awaited = None
            self.end_silence()

    def end_late(self, command):
        """The prompt is there already."""
        gdb.write("\n")
        self.end(command)
        gdb.write(gdb.parameter("prompt"))
        gdb.flush()

    def end(self, command):
        if not self.running or self.going_on:
            return
        thread = gdb.selected_thread()
        if thread is not None and thread.is_running():
            self.awaited = command
            return
        said, self.going_on = self.silent, True
        try:
            message = self.go_on(command)
        except gdb.error as problem:
            message = str(problem)
        finally:
            self.going_on = False
        self.end_silence()
        thread = gdb.selected_thread()
        if thread is not None and not thread.is_running():  # else gdb says where it stops
            self.tell(said, message)

    def is_at_breakpoint(self):
        """Did a breakpoint of the user's stop the program? One at a function's name is also met at
        the resume of the function; a step passes over that."""
        if self.numbers and woven_tag(gdb.newest_frame()) is not None:
            if is_beginning(gdb.newest_frame()) and is_resumed(gdb.newest_frame()):
                self.numbers = []
        return bool(self.numbers)

    def is_over(self):
        """Has another event stopped the program, or is it in the user's code?"""
        thread = gdb.selected_thread()
        if thread is None or thread.num != self.thread:
            return True
        if self.signal is not None or self.is_at_breakpoint():
            return True
        frame = gdb.newest_frame()
        return is_users(frame) and not (woven_tag(frame) is not None and self.pauses(frame))

    def fiber_of(self, frame):
        """The fiber, by the innermost woven frame in which it is not optimized out; or None."""
        while frame is not None and (woven_tag(frame) is not None or is_glue(frame)):
            for symbol in arguments(frame):
                if symbol.name == "co4":
                    fiber = symbol.value(frame)
                    if not fiber.is_optimized_out and fiber.type.code == gdb.TYPE_CODE_PTR:
                        return fiber
            frame = frame.older()
        return self.fiber

    def pauses(self, frame):
        fiber = self.fiber_of(frame)
        return fiber is not None and int(fiber["pausing"]) != 0

    def go_on(self, command):
        """Returns a message for the user, or None."""
        for _ in range(100):
            if self.is_over():
                return None
            frame = gdb.newest_frame()
            if is_glue(frame) and self.depth_of(frame) > self.depth:  # on the way into a function
                gdb.execute("step" if command == "step" else "next", to_string=True)
                continue
            last = self.fiber_of(frame)["last"] if is_glue(frame) and self.pauses(frame) else None
            if last is not None and int(last) != 0:
                if not self.wait_for(last, self.line):
                    return None
            elif woven_tag(frame) is not None:  # it leaves, to pause
                gdb.execute("next", to_string=True)
            elif self.caller is not None and int(self.caller) != 0:
                caller, self.caller = self.caller, None
                if not self.wait_for(caller, None):
                    return None
            elif self.caller is not None:
                return self.root()
            elif is_glue(frame):
                gdb.execute("next", to_string=True)
            elif not self.finish():
                return None
        return None

    def root(self):
        """The first function of a task has ended: co4_run() has its caller on the C stack."""
        self.caller = None
        return None if self.finish() else "The first function of the task has ended."

    def finish(self):
        """Runs out of the library. False: no function of the user's is on this stack, or another
        event has come."""
        frame = gdb.newest_frame()
        while frame is not None and not is_users(frame):
            frame = frame.older()
        if frame is None:
            return False
        place = gdb.Breakpoint("*%d" % frame.pc(), internal=True)
        place.silent, place.thread = True, self.thread
        wanted = self.depth_of(frame)
        try:
            while True:
                ours = self.run_on(place)
                if not ours or self.depth_of(gdb.newest_frame()) <= wanted:
                    return ours
        finally:
            place.delete()

    def run_on(self, place):
        """False: another event has come."""
        while True:
            gdb.execute("continue", to_string=True)
            passed_by = bool(self.numbers)
            if self.signal is not None or gdb.selected_thread() is None or self.is_at_breakpoint():
                return False
            if place in self.met:
                return True
            if not passed_by:
                return False

    def wait_for(self, head, left):
        """Runs until that frame is resumed, and there to the user's line, behind the line
        `left`. False: another event has come."""
        tag = func_of(head)["name"].string()
        place = ResumeBreakpoint(head, gdb.newest_frame().architecture().name())
        try:
            ours = self.run_on(place)
        finally:
            place.delete()
        if not ours:
            return False
        self.thread, self.caller = gdb.selected_thread().num, head["caller"]
        self.depth = self.depth_of(gdb.newest_frame()) + 1
        entered = False
        for _ in range(40):
            frame = gdb.newest_frame()
            inside = woven_tag(frame) == tag
            if entered and not inside or self.signal is not None or self.is_at_breakpoint():
                return True
            line = frame.find_sal().line
            if inside and line != left and not is_beginning(frame):
                return True
            entered |= inside
            gdb.execute("next" if inside else "step", to_string=True)
        return True

    def tell(self, silent, message):
        if silent:
            if self.signal is not None:
                gdb.write("\nProgram received signal %s.\n" % self.signal)
            elif self.numbers:
                gdb.write("\nBreakpoint %d, " % self.numbers[0])
            if gdb.selected_frame().name() != self.name or self.signal is not None or self.numbers:
                place = gdb.execute("bt 1", to_string=True).partition("\n")[0]
                gdb.write(re.sub(r"^#\d+ +", "", place) + "\n")
            gdb.write(gdb.execute("frame", to_string=True).partition("\n")[2])
        displays.show()
        if message:
            gdb.write(message + "\n")


def define_hooks():
    for command in ("next", "step"):
        try:
            gdb.execute("help hook-" + command, to_string=True)
        except gdb.error:  # the user has none
            gdb.execute("define hook-%s\npython import co4_gdb; co4_gdb.stepping.begin()\nend" %
                        command)
            gdb.execute(
                "define hookpost-%s\npython import co4_gdb; co4_gdb.stepping.end('%s')\nend" %
                (command, command))


def add_body(one):
    """A breakpoint at `f` is at the form of f for plain callers, where there is one: adds what
    tasks run."""
    match = re.match(r"^(?:-function |[^:]+:)?([A-Za-z_]\w*)$", one.location or "")
    if match is None or one.number < 0 or match.group(1) == "main":  # which the system calls
        return
    for form in ("__body", "__co4"):
        try:
            gdb.decode_line(match.group(1) + form)
        except gdb.error:
            continue
        more = gdb.Breakpoint(match.group(1) + form, temporary=one.temporary)
        if one.condition:
            more.condition = one.condition
        return


stepping, displays = None, None


def register():
    global stepping, displays
    InfoCo4()
    InfoLocals()
    InfoCallers()
    InfoTasks()
    Co4Command()
    Backtrace()
    Co4Function()
    WovenFilter()
    InfoArguments()
    InfoAllLocals()
    SetVariable()
    stepping = Stepping()
    displays = Displays()
    if hasattr(gdb, "add_history"):
        Print("print", True)
        Print("call", False)
    Display()
    Undisplay("undisplay")
    Undisplay("delete display")
    InfoDisplay()
    define_hooks()
    if "CO4_SEED" in os.environ:  # a run of --auto=test has plain forms, but no plain callers
        gdb.events.breakpoint_created.connect(add_body)
    gdb.execute("skip -gfi */co4/abi.h", to_string=True)


# gdb runs what it sources in one namespace for all scripts; this one takes its own
if __name__ == "__main__":
    spec = importlib.util.spec_from_file_location("co4_gdb", __file__)
    module = importlib.util.module_from_spec(spec)
    sys.modules["co4_gdb"] = module  # hooks import it
    spec.loader.exec_module(module)
    module.register()
