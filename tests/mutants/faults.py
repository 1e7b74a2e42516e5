"""faults.py - small faults that a programmer could make, found in C sources and planted there.

A fault is a change of a few tokens: a statement, a condition, an operand, a case that is
forgotten, a bound that is off by one, operands or arguments that are swapped, a wrong result.
All chosen faults are planted at once, each behind `co4_fault(NUMBER)`, so that one build serves
them all: the environment says which one acts (faults.h). A change is a list of insertions around
what stands there, so that faults may lie in one another; those that repeat a piece of the source
may not.
"""
import collections
import fnmatch
import os
import random
import sys
from pathlib import Path

sys.path.append("/usr/lib/python3/dist-packages")   # where the system's Python has its packages
try:
    from clang import cindex
    from clang.cindex import CursorKind as Kind, TypeKind
except ImportError:
    cindex = None

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = os.environ.get("CO4_BUILD", ROOT / "build")
FOLDERS = ("weaver", "runtime", "tls", "nats", "http", "websocket",
           "examples/servers")
LEFT_OUT = ("runtime/platform/none.c", "runtime/small/*")   # not in the build

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SUMS = {"+": "-", "-": "+"}
FIXED = ("CASE_STMT", "ENUM_CONSTANT_DECL", "STATIC_ASSERT", "DEFAULT_STMT", "LABEL_STMT")
SYMMETRIC = ("strcmp", "strncmp", "memcmp")
LIBRARY_ENDS = ("abort", "assert", "exit", "_exit", "free", "fflush")
INTEGERS = ("BOOL", "INT", "UINT", "LONG", "ULONG", "ENUM", "SHORT", "USHORT", "CHAR_S", "UCHAR",
            "SCHAR")


class Fault:
    """edits: (where, the rank among insertions at that place, text to insert); `within`: what is
    repeated, or None."""

    def __init__(self, kind, source, node, edits, repeats=False):
        self.kind, self.source = kind, source
        self.start, self.end = node
        self.edits, self.repeats = edits, repeats
        self.number = 0

    def says(self, text):
        line = text.count(b"\n", 0, self.start) + 1
        words = b" ".join(text[self.start:self.end].split()).decode()
        return line, words if len(words) <= 100 else words[:97] + "..."

    def stands(self, text):
        """Where it is, for excuses: the line and the one before, which edits elsewhere do not
        change."""
        lines = text[:self.start].decode().split("\n")
        line = lines[-1] + text[self.start:].decode().split("\n")[0]
        return " ".join(" ".join(lines[-2:-1] + [line]).split())


def library():
    for folder in ("/usr/lib/llvm-19/lib/libclang.so", "/usr/lib/llvm-19/lib/libclang-19.so.1"):
        if os.path.exists(folder):
            return folder
    return None


def available():
    return cindex is not None and library() is not None


def sources():
    """The names of all sources in which faults are planted."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.c")):
            name = str(path.relative_to(ROOT))
            if not any(fnmatch.fnmatch(name, pattern) for pattern in LEFT_OUT):
                yield name


def find(name):
    """The Finder of a source of the tree."""
    llvm = Path(library()).parent.parent
    version = sorted((llvm / "lib/clang").iterdir())[-1]
    arguments = [f"-I{ROOT}/include", f"-I{llvm}/include", f"-I{ROOT}/{name.split('/')[0]}",
                 f"-I{BUILD}/weaver", f"-I{version}/include", "-std=gnu11",
                 '-DCO4_VERSION=""', '-DCO4_LIB_FOLDER=""', '-DCO4_LIBCLANG_PATHS=""',
                 '-DCO4_ABI=""']
    if name.startswith(("weaver/", "runtime/")):
        arguments.append("-D_XOPEN_SOURCE=700")
    else:
        arguments.append("-D_GNU_SOURCE")
    if "/woven/" in name or name.startswith("examples/"):
        arguments.append("-DCO4_PLAIN")
    return Finder(str(ROOT / name), name, arguments)


def excuses():
    """equal.txt: what is said of each fault, and where it stands. Lines `source: kind: words`;
    below each, indented, `at: ` with each place, and the reason."""
    says, found, reasons = None, set(), collections.Counter()
    for line in (HERE / "equal.txt").read_text().splitlines():
        if line[:1] not in ("", " ", "#"):
            says = line.rstrip()
            reasons[says] = 0
        elif line.startswith("    at: "):
            found.add((says, line[8:].rstrip()))
        elif line.startswith("    "):
            reasons[says] += 1
    for says, count in reasons.items():
        if not count:
            raise SystemExit(f"equal.txt: no reason: {says}")
    return found


class Finder:
    """All faults of one source."""

    def __init__(self, path, name, arguments):
        if not cindex.Config.loaded:
            cindex.Config.set_library_file(library())
        with open(path, "rb") as file:
            self.text = file.read()
        self.path, self.name = path, name
        self.found = []
        unit = cindex.Index.create().parse(path, args=arguments, options=1)
        wrong = [d for d in unit.diagnostics if d.severity >= 3]
        if wrong:
            raise SystemExit(f"{name}: {wrong[0].spelling}")
        self.macros = []
        for cursor in unit.cursor.get_children():
            if cursor.location.file is None or cursor.location.file.name != path:
                continue
            if cursor.kind == Kind.MACRO_INSTANTIATION:
                self.macros.append(self.extent(cursor))
        self.macros.sort()
        for cursor in unit.cursor.get_children():
            if cursor.kind == Kind.FUNCTION_DECL and cursor.is_definition(
            ) and cursor.location.file.name == path:
                for child in cursor.get_children():
                    if child.kind == Kind.COMPOUND_STMT:
                        self.block(child)

    # ---- places ----

    @staticmethod
    def extent(cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def words(self, cursor):
        start, end = self.extent(cursor)
        return self.text[start:end].decode()

    def plain(self, cursor):
        """Whether the node's own ends are characters of this source: not those of a macro's
        arguments or body."""
        start, end = self.extent(cursor)
        file = cursor.extent.start.file
        if end <= start or file is None or file.name != self.path:
            return False
        for first, last in self.macros:
            if first <= start and end <= last or first < start < last or first < end < last:
                return False
        return True

    def add(self, kind, node, *edits, repeats=False):
        self.found.append(Fault(kind, self.name, node, list(edits), repeats))

    def around(self, kind, cursor, before, after):
        start, end = self.extent(cursor)
        size = end - start
        self.add(kind, (start, end), (start, -size, before), (end, size, after))

    def instead(self, kind, cursor, other):
        """`other` in place of the node, whose text stays beside it."""
        start, end = self.extent(cursor)
        size = end - start
        self.add(kind, (start, end), (start, -size, "(co4_fault(@) ? (" + other + ") : ("),
                 (end, size, "))"), repeats=True)

    # ---- statements ----

    def block(self, cursor):
        for child in cursor.get_children():
            self.statement(child)

    def statement(self, cursor):
        kind = cursor.kind.name
        children = list(cursor.get_children())
        if kind == "COMPOUND_STMT":
            self.block(cursor)
        elif kind == "IF_STMT":
            self.condition(children[0])
            for child in children[1:]:
                self.statement(child)
        elif kind in ("WHILE_STMT", "DO_STMT"):
            at = 0 if kind == "WHILE_STMT" else -1
            self.loop_condition(children[at])
            self.statement(children[1 if at == 0 else 0])
        elif kind == "FOR_STMT":
            self.for_loop(cursor, children)
        elif kind == "SWITCH_STMT":
            self.switch(children[0], children[1])
        elif kind in ("CASE_STMT", "DEFAULT_STMT", "LABEL_STMT"):
            self.statement(children[-1])
        elif kind == "DECL_STMT":
            self.declaration(children)
        elif kind == "RETURN_STMT":
            self.result(cursor, children)
        elif kind in ("BREAK_STMT", "CONTINUE_STMT", "GOTO_STMT"):
            self.drop("forgets a jump", cursor)
        elif kind == "NULL_STMT":
            pass
        else:
            self.expression_statement(cursor)

    def drop(self, kind, cursor):
        if self.plain(cursor):
            start, end = self.extent(cursor)
            self.add(kind, (start, end), (start, -(end - start) - 1, "if (co4_fault(@)) ; else "))

    def expression_statement(self, cursor):
        if self.text[cursor.extent.start.offset:].startswith(b"(void)"):
            return # it says that a value is not used
        if cursor.kind == Kind.CALL_EXPR and cursor.spelling in LIBRARY_ENDS:
            return
        if cursor.kind.is_expression():
            self.drop("forgets a statement", cursor)
            self.expression(cursor)

    def for_loop(self, cursor, children):
        """libclang leaves out the parts of a header that are not there: only headers with all
        three are looked at."""
        self.statement(children[-1])
        if len(children) != 4:
            return
        first, test, step, _ = children
        if first.kind == Kind.DECL_STMT:
            self.declaration(list(first.get_children()))
        else:
            self.expression(first)
        self.loop_condition(test)
        self.expression(step)

    def declaration(self, variables):
        for variable in variables:
            if variable.kind != Kind.VAR_DECL or variable.storage_class.name == "STATIC":
                continue
            children = list(variable.get_children())
            if children and children[-1].kind.is_expression() and variable.type.kind not in (
                    TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.VARIABLEARRAY):
                self.expression(children[-1])

    def switch(self, test, body):
        statements = list(body.get_children())
        for place, child in enumerate(statements):
            # the last is as good as none
            if place < len(statements) - 1 or child.kind != Kind.BREAK_STMT:
                self.statement(child)
        if not self.plain(test) or body.kind != Kind.COMPOUND_STMT:
            return
        start, end = self.extent(test)
        for place, label in enumerate(self.labels(body)):
            value = next(label.get_children())
            if self.plain(value):
                self.add("forgets a case", self.extent(value),
                         (start, -(end - start) - 2 - place, "co4_forget(@, "),
                         (end, end - start + 2 + place, ", " + self.words(value) + ")"))
        self.expression(test)

    def labels(self, cursor):
        for child in cursor.get_children():
            if child.kind == Kind.SWITCH_STMT:
                continue
            if child.kind == Kind.CASE_STMT:
                yield child
            yield from self.labels(child)

    def result(self, cursor, children):
        if not children:
            self.drop("forgets a return", cursor)
            return
        value = children[0]
        self.expression(value)
        if not self.plain(value):
            return
        type_ = value.type.get_canonical()
        if value.kind == Kind.UNEXPOSED_EXPR:
            type_ = next(iter(value.get_children()), value).type.get_canonical()
        if type_.kind == TypeKind.BOOL:
            self.around("a wrong result", value, "co4_fault(@) != (", ")")
        elif type_.kind.name in INTEGERS:
            self.around("a wrong result", value, "co4_fault(@) + (", ")")
        elif type_.kind == TypeKind.POINTER and self.words(value) != "NULL":
            self.around("a wrong result", value, "co4_fault(@) ? (void *)0 : (", ")")

    # ---- expressions ----

    def condition(self, cursor):
        if self.plain(cursor):
            self.around("a condition turned round", cursor, "co4_fault(@) != !!(", ")")
            self.around("a condition always true", cursor, "co4_fault(@) || (", ")")
            self.around("a condition never true", cursor, "!co4_fault(@) && (", ")")
        self.expression(cursor)

    def loop_condition(self, cursor):
        if self.plain(cursor):
            self.around("a loop that ends at once", cursor, "!co4_fault(@) && (", ")")
        self.expression(cursor)

    def operator(self, cursor, children):
        """The text of a binary operator, and nothing when a macro stands in the way."""
        between = self.text[children[0].extent.end.offset:children[1].extent.start.offset].decode()
        words = between.replace("(", " ").replace(")", " ").split()
        return words[0] if len(words) == 1 else ""

    def expression(self, cursor):
        children = list(cursor.get_children())
        kind = cursor.kind
        if kind == Kind.INTEGER_LITERAL:
            if self.plain(cursor) and self.words(cursor)[0].isdigit():
                self.around("off by one", cursor, "(", " + co4_fault(@))")
            return
        if kind in (Kind.CXX_UNARY_EXPR, Kind.INIT_LIST_EXPR,
                    Kind.StmtExpr) or not kind.is_expression():
            return
        if kind == Kind.UNEXPOSED_EXPR and cursor.type.kind == TypeKind.POINTER and children and \
                children[0].kind == Kind.INTEGER_LITERAL:
            return
        if kind == Kind.BINARY_OPERATOR and len(children) == 2 and self.plain(cursor):
            self.binary(cursor, children)
        elif kind == Kind.CONDITIONAL_OPERATOR and self.plain(cursor):
            self.condition(children[0])
            for child in children[1:]:
                self.expression(child)
            return
        elif kind == Kind.CALL_EXPR and self.plain(cursor):
            self.call(cursor)
        for child in children:
            self.expression(child)

    def binary(self, cursor, children):
        left, right = children
        operator = self.operator(cursor, children)
        if operator == "&&":
            self.around("forgets a condition", left, "(co4_fault(@) || (", "))")
            self.around("forgets a condition", right, "(co4_fault(@) || (", "))")
        elif operator == "||":
            self.around("forgets a condition", left, "(!co4_fault(@) && (", "))")
            self.around("forgets a condition", right, "(!co4_fault(@) && (", "))")
        elif operator in RELATIONS and operator not in ("==", "!="):
            self.instead("off by one", cursor,
                         f"({self.words(left)}) {RELATIONS[operator]} ({self.words(right)})")
        elif operator in RELATIONS:
            self.instead("a comparison turned round", cursor,
                         f"({self.words(left)}) {RELATIONS[operator]} ({self.words(right)})")
        elif operator in SUMS:
            self.instead("a wrong operator", cursor,
                         f"({self.words(left)}) {SUMS[operator]} ({self.words(right)})")

    def call(self, cursor):
        arguments = list(cursor.get_arguments())
        if cursor.spelling in SYMMETRIC or not all(self.plain(argument) for argument in arguments):
            return
        for one, other in zip(arguments, arguments[1:]):
            same = one.type.get_canonical().spelling == other.type.get_canonical().spelling
            if not same or self.words(one) == self.words(
                    other) or one.kind == other.kind == Kind.INTEGER_LITERAL:
                continue
            start, end = self.extent(cursor)
            first, last = self.extent(one), self.extent(other)
            text = self.text.decode("latin-1")
            changed = (text[start:first[0]] + text[last[0]:last[1]] + text[first[1]:last[0]] +
                       text[first[0]:first[1]] + text[last[1]:end])
            self.instead("arguments swapped", cursor, changed)


def choose(found, count, seed):
    """`count` of the faults: from each kind alike as far as there are, over all sources, none in
    what another repeats."""
    dice = random.Random(seed)
    kinds = collections.defaultdict(list)
    for fault in found:
        kinds[fault.kind].append(fault)
    for faults in kinds.values():
        dice.shuffle(faults)
    chosen = []
    taken = collections.defaultdict(list)
    names = sorted(kinds)
    while len(chosen) < count and names:
        for name in list(names):
            if not kinds[name]:
                names.remove(name)
                continue
            fault = kinds[name].pop()
            if len(chosen) < count and fits(fault, taken[fault.source]):
                taken[fault.source].append(fault)
                chosen.append(fault)
    chosen.sort(key=lambda fault: (fault.source, fault.start, fault.end, fault.kind))
    for number, fault in enumerate(chosen, 1):
        fault.number = number
    return chosen


def fits(fault, others):
    """One fault a place; none in a text that is repeated."""
    for other in others:
        apart = fault.end <= other.start or other.end <= fault.start
        if apart:
            continue
        if fault.repeats or other.repeats or (fault.start, fault.end) == (other.start, other.end):
            return False
    return True


def plant(text, faults, header):
    """The text of a source with these faults in it."""
    edits = []
    for fault in faults:
        for where, rank, insertion in fault.edits:
            edits.append(
                (where, 0 if rank > 0 else 1, rank, insertion.replace("@", str(fault.number))))
    edits.sort(key=lambda edit: edit[:3])
    pieces, at = [f'#include "{header}"\n#line 1\n'.encode()], 0
    for where, _, _, insertion in edits:
        pieces += [text[at:where], insertion.encode("latin-1")]
        at = where
    return b"".join(pieces + [text[at:]])
