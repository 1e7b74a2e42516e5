"""programs.py - random programs that are hard on the weaver, where csmith's are hard on compilers.

csmith knows neither switch nor while nor do, calls functions in few places, runs little of what
it writes, and looks at its globals alone. These programs have every statement, calls in every
place an expression has, jumps into and out of blocks, recursion, calls through tables, results
from a byte to a large struct, real pauses; nearly all of it runs; and each scope mixes its
locals into a sum before it ends, so that a value that a pause loses is seen.

What they print does not depend on what C leaves open. Everything is computed in unsigned
arithmetic, loops and recursion are bounded. Of the operands whose order C leaves open one at
most has an effect, and the others read nothing that it may write: `expression` returns with each
text what evaluating it may write.

Beside these functions each program has some with random declarators (declarators.py) and some
with constructs that seldom come about at random (constructs.py). Comments, splices and
directives stand between tokens of half of the programs.
"""
import random
import re

import constructs
import declarators

HEAD = """
#ifdef UNMARKED
#define pausable
#define pausable_or_plain
#define co4_run(call) call
#define CO4_PLAIN
#else
#include <co4.h>
#endif
#ifdef CO4_PLAIN
#define co4_yield() 0
#endif
#include <stdio.h>
#include <stdlib.h>
struct s { int a; unsigned b : 5; signed int c : 7; short d; unsigned char e[3]; };
struct w { unsigned long v[6]; int tail; };
union u { unsigned all; unsigned char byte[4]; };
static unsigned long sum = 5381;
static unsigned steps;
static unsigned g0 = 1, g1 = 2, g2[4] = { 3, 4, 5, 6 };
static void note(unsigned long n)
{
    sum = (sum * 33u) ^ n;
    if (++steps > 20000u) {
        printf("%lu, stopped\\n", sum);
        exit(0);
    }
}
"""

# Scalars: how C calls the type, and what may be done to a variable of it with an unsigned operand.
EVERY_OP = ["=", "+=", "-=", "^=", "|=", "&=", "*="]
SCALARS = {
    "unsigned": EVERY_OP, "int": ["=", "^=", "+=", "-="], "unsigned char": EVERY_OP,
    "short": EVERY_OP, "signed char": EVERY_OP, "_Bool": ["=", "|=", "&=",
                                                          "^="], "long": ["=", "+=", "^="],
    "unsigned long": EVERY_OP, "double": ["=", "+="], "float": ["="], "long double": ["=", "+="],
}
FLOATING = ("double", "float", "long double")
SHAKY = "what pointers reach"   # in a set of names: all that other functions may write


class Var:
    def __init__(self, name, type_, shape="scalar", shaky=False, fixed=False):
        self.name, self.type, self.shape = name, type_, shape
        self.shaky = shaky      # others may write it: a global, or its address was given away
        self.fixed = fixed      # not to be written: const, or it counts a loop


class Function:
    def __init__(self, number, pure, result, params):
        self.name = f"f{number}"
        self.pure, self.result, self.params = pure, result, params

    def head(self):
        words = ", ".join(f"{t} {n}" if not t.endswith("*") else f"{t}{n}" for t, n in self.params)
        return f"static pausable {self.result} {self.name}({words})"


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.turn = seed // 2   # every other seed has such a program
        self.names = 0
        self.functions = []

    # ---- small choices ----

    def pick(self, items):
        return items[self.random.randrange(len(items))]

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def name(self, letter):
        self.names += 1
        # some names again and again: scopes then hide each other's
        return f"{letter}{self.names}" if self.chance(70) else self.pick(["x", "y", "z"])

    def label(self):  # a name that is used once
        self.names += 1
        return f"l{self.names}"

    # ---- what can be read and written ----

    def visible(self):
        seen, found = set(), []
        for var in reversed(self.scope):
            if var.name not in seen:
                seen.add(var.name)
                found.append(var)
        return found

    def read(self, avoid):
        """An unsigned expression with no effect that reads nothing in `avoid`."""
        found = [v for v in self.visible()
                 if v.name not in avoid and not (v.shaky and SHAKY in avoid)]
        if not found or self.chance(15):
            return f"{self.random.randrange(60)}u"
        return self.value_of(self.pick(found))

    def value_of(self, var):
        if var.shape == "array":
            return f"(unsigned){var.name}[{self.random.randrange(4)}]"
        if var.shape == "s":
            return f"(unsigned){var.name}.{self.pick(['a', 'b', 'c', 'd', 'e[1]'])}"
        if var.shape == "w":
            return f"(unsigned){var.name}.{self.pick(['v[0]', 'v[5]', 'tail'])}"
        if var.shape == "u":
            return f"{var.name}.all"
        if var.shape == "pointer":
            return f"*{var.name}"
        if var.type in FLOATING:
            return f"(unsigned)(long){var.name}"
        return f"(unsigned){var.name}"

    def targets(self, avoid):
        return [v for v in self.visible() if not v.fixed and v.name not in avoid
                and not (v.shaky and (SHAKY in avoid or self.function.pure))]

    def target(self, avoid):
        """(what to write, operators for it, names that are written) or None."""
        found = self.targets(avoid)
        if not found:
            return None
        var = self.pick(found)
        written = {SHAKY} if var.shaky else {var.name}
        if var.shape == "array":
            return f"{var.name}[{self.random.randrange(4)}]", EVERY_OP, written
        if var.shape == "s":
            field, ops = self.pick([("a", ["=", "^=", "+="]), ("b", EVERY_OP), ("c", ["=", "^="]),
                                    ("d", EVERY_OP), ("e[2]", EVERY_OP)])
            return f"{var.name}.{field}", ops, written
        if var.shape == "w":
            return f"{var.name}.v[{self.random.randrange(6)}]", EVERY_OP, written
        if var.shape == "u":
            return f"{var.name}.all", EVERY_OP, written
        if var.shape == "pointer":
            return f"(*{var.name})", EVERY_OP, written
        return var.name, SCALARS[var.type], written

    def as_operand(self, target, text):
        """What may be assigned to it without leaving what C defines."""
        for var in self.visible():
            if var.name == target and var.type in FLOATING:
                return f"(({text}) & 1023u)"
        return f"({text})"

    # ---- expressions: (text, set of names they may write) ----

    def expression(self, depth, effect, avoid=frozenset()):
        """Unsigned. `effect`: may it have one? Reads and writes nothing in `avoid`."""
        if depth == 0:
            return self.read(avoid), set()
        kind = self.random.randrange(100)
        make = (self.call if kind < 30 else self.operands if kind < 50 else
                self.sequenced if kind < 62 else self.conditional if kind < 70 else
                self.unary if kind < 76 else self.assignment if kind < 84 and effect else
                self.element if kind < 88 else self.inside if kind < 92 else None)
        if make is None:
            return self.read(avoid), set()
        text, written = make(depth, effect, avoid)
        # lines of its own: what pauses in it is seen
        return f"\n{constructs.between(make.__name__, text)}\n", written

    def unary(self, depth, effect, avoid):
        text, written = self.expression(depth - 1, effect, avoid)
        return self.pick([f"(~{text})", f"(unsigned)!{text}", f"({text} << 3)",
                          f"(unsigned)(unsigned char)({text})"]), written

    def element(self, depth, effect, avoid):
        text, written = self.expression(depth - 1, effect, avoid)
        steady = SHAKY not in avoid and SHAKY not in written
        return f"g2[({text}) & 3u]" if steady else text, written

    def inside(self, depth, effect, avoid):
        text, written = self.expression(depth - 1, effect, avoid)
        return self.pick([f"((struct s){{ .a = 3, .d = (short)({text}) }}).d + 0u",
                          f"((unsigned[]){{ 1u, {text}, 2u }})[1]"]), written

    def operands(self, depth, effect, avoid):
        first, second = self.several(2, depth, effect, avoid)
        op = self.pick(["+", "-", "*", "^", "|", "&", "/", "%", "<", "==", ">>"])
        if op in "/%":
            second = f"({second} | 1u)"
        if op == ">>":
            second = f"({second} & 15u)"
        text = f"({first} {op} {second})"
        if op in ("<", "=="):
            text = "(unsigned)" + text
        return text, self.written

    def several(self, count, depth, effect, avoid):
        """Operands in no order: one of them may have an effect. Leaves in self.written what they
        write."""
        chosen = self.random.randrange(count)
        text, written = self.expression(depth - 1, effect, avoid)
        texts = []
        for i in range(count):
            texts.append(text if i == chosen else
                         self.expression(depth - 1, False, frozenset(avoid) | written)[0])
        self.written = written
        return texts

    def sequenced(self, depth, effect, avoid):
        first, one = self.expression(depth - 1, effect, avoid)
        second, other = self.expression(depth - 1, effect, avoid)
        op = self.pick(["&&", "||", ","])
        if op == ",":
            return f"((void)({first}), {second})", one | other
        return f"(unsigned)({first} {op} {second})", one | other

    def conditional(self, depth, effect, avoid):
        texts, written = [], set()
        for _ in range(3):
            text, more = self.expression(depth - 1, effect, avoid)
            texts.append(text)
            written |= more
        return f"(({texts[0]}) & 1u ? {texts[1]} : {texts[2]})", written

    def assignment(self, depth, _effect, avoid):
        target = self.target(avoid)
        if target is None:
            return self.read(avoid), set()
        place, ops, written = target
        if self.chance(30) and "*=" in ops:
            step = self.pick(["++", "--"])
            return f"(unsigned)({place}{step})" if self.chance(
                50) else f"(unsigned)({step}{place})", written
        # the value and the place are not sequenced: the value may not write, but by calls that
        # cannot reach the place
        text, more = self.expression(depth - 1, SHAKY not in written, frozenset(avoid) | written)
        return f"(unsigned)({place} {self.pick(ops)} {self.as_operand(place, text)})" \
            if place.split("[")[0].split(".")[0] not in self.floating() else text, written | more

    def floating(self):
        return {v.name for v in self.visible() if v.type in FLOATING}

    def call(self, depth, effect, avoid):
        found = [f for f in self.functions if f.pure or (effect and SHAKY not in avoid)]
        if self.function.pure:
            found = [f for f in found if f.pure]
        if self.chance(25) and any(f.pure for f in self.table):
            first, second, deep = self.several(3, depth - 1 if depth > 1 else 1, effect, avoid)
            return f"table[({deep}) % {len(self.table)}u](1u, {first}, {second})", self.written
        if self.chance(
                15
        ) and self.loops < 2 and effect and SHAKY not in avoid and self.own_result != "void":
            return self.itself(depth, avoid)
        if not found or self.loops > 2:
            return self.read(avoid), set()
        return self.call_of(self.pick(found), depth, effect, avoid)

    def itself(self, depth, avoid):
        text, written = self.call_of(self.function, depth, not self.function.pure, avoid,
                                     "depth - 1u")
        return f"(depth > 0u ? {text} : 9u)", written

    def call_of(self, function, depth, effect, avoid, deep=None):
        texts = iter(self.several(len(function.params), depth, effect, avoid))
        written = set(self.written)
        arguments = []
        for type_, name in function.params:
            text = next(texts)
            if name == "depth":
                text = deep or self.pick(["0u", "1u", "2u"])
            elif type_ == "unsigned *":
                text = self.address(avoid, written)
            elif type_ == "struct s":
                text = self.whole("s", avoid, written) or \
                    f"(struct s){{ .b = ({text}) & 31u, .e = {{ 1, 2 }} }}"
            elif type_ == "struct w":
                text = self.whole("w", avoid,
                                  written) or f"(struct w){{ .v = {{ 1, [3] = {text} }} }}"
            arguments.append(text)
        if not function.pure:
            written.add(SHAKY)
        called = f"{function.name}({', '.join(arguments)})"
        value = {"struct s": f"(unsigned){called}.d", "struct w": f"(unsigned){called}.v[3]",
                 "double": f"(unsigned)(long){called}", "void": f"({called}, 3u)"}
        return value.get(function.result, f"(unsigned){called}"), written

    def address(self, avoid, written):
        found = [v for v in self.visible() if v.shaky and v.shape in ("scalar", "array", "pointer")
                 and v.type == "unsigned" and not v.fixed and v.name not in written]
        if not found:
            return "&g0"
        var = self.pick(found)
        return {"scalar": f"&{var.name}", "array": f"{var.name} + {self.random.randrange(4)}",
                "pointer": var.name}[var.shape]

    def whole(self, shape, avoid, written):
        found = [
            v.name for v in self.visible() if v.shape == shape and v.name not in avoid
            and v.name not in written and not (v.shaky and (SHAKY in avoid or SHAKY in written))
        ]
        return self.pick(found) if found and self.chance(70) else None

    # ---- statements: lists of lines ----

    def value(self, depth=None):
        return self.expression(self.random.randrange(1, 4) if depth is None else depth, True)[0]

    def declaration(self):
        name = self.name("v")
        kind = self.random.randrange(100)
        text = self.value()  # before it is in scope
        shaky = self.chance(35) and not self.function.pure
        if kind < 55:
            type_ = self.pick(list(SCALARS)) if not shaky else "unsigned"
            qualifier = "const " if self.chance(
                10) else "volatile " if self.chance(8) and not shaky else ""
            if type_ in FLOATING:
                text = f"({text}) & 1023u"
            var = Var(name, type_, shaky=shaky and not qualifier, fixed=qualifier == "const ")
            line = f"{qualifier}{type_} {name} = {cast(type_)}({text});"
        elif kind < 68:
            var = Var(name, "unsigned", "array", shaky=shaky)
            line = f"unsigned {name}[4] = {{ {text}, [2] = {self.value(1)} }};"
        elif kind < 80:
            var = Var(name, "struct s", "s")
            made = [
                f for f in self.functions
                if f.result == "struct s" and (f.pure or not self.function.pure)
            ]
            line = f"struct s {name} = {{ .a = 1, .b = ({text}) & 31u, .e = {{ [1] = 7 }} }};"
            if made and self.chance(60):
                line = f"struct s {name} = {self.bare_call(self.pick(made))};"
        elif kind < 87:
            var = Var(name, "struct w", "w")
            made = [
                f for f in self.functions
                if f.result == "struct w" and (f.pure or not self.function.pure)
            ]
            line = f"struct w {name} = {{ .v = {{ 2, {text} }}, .tail = 4 }};"
            if made and self.chance(60):
                line = f"struct w {name} = {self.bare_call(self.pick(made))};"
        elif kind < 93:
            var = Var(name, "union u", "u")
            line = f"union u {name} = {{ .all = {text} }};"
        elif self.function.pure:
            var = Var(name, "unsigned")
            line = f"unsigned {name} = {text};"
        else:
            var = Var(name, "unsigned", "pointer", shaky=True)
            line = f"unsigned *{name} = {self.address(set(), set())};"
        # one it hides: C would read the new one
        if re.search(rf"\b{name}\b", line.split("=", 1)[1]):
            fresh = self.label()
            line, var.name = line.replace(name, fresh, 1), fresh
        self.scope.append(var)
        return [line]

    def bare_call(self, function):
        text, _ = self.call_of(function, 1, not function.pure, frozenset())
        return text[len("(unsigned)"):].rsplit(".", 1)[0]

    def mix(self, first):
        """Lines that use every variable declared since the scope had `first` variables."""
        lines, seen = [], set()
        for var in reversed(self.scope[first:]):
            if var.name in seen:
                continue
            seen.add(var.name)
            value = self.value_of(var)
            lines.append(f"h = h * 31u + ({value});")
        return lines

    def block(self, depth, declares=True, count=None):
        """The lines of a compound statement, with its braces."""
        first = len(self.scope)
        lines = []
        # distinct names within one scope
        for _ in range(self.random.randrange(1, 5) if count is None else count):
            if declares and self.chance(35):
                before = len(self.scope)
                line = self.declaration()
                names = [v.name for v in self.scope[first:before]]
                if self.scope[-1].name in names:
                    self.scope.pop()
                    continue
                lines += line
            else:
                lines += self.statement(depth)
        lines += self.mix(first)
        del self.scope[first:]
        return ["{"] + ["    " + line for line in lines] + ["}"]

    def loop_block(self, depth):
        self.loops += 1
        self.jumps.append(True)
        lines = self.block(depth)
        self.jumps.pop()
        self.loops -= 1
        return lines

    def statement(self, depth):
        plain = [self.assign, self.assign, self.called, self.pausing, self.compound_assign]
        if self.jumps and self.jumps[-1]:
            plain.append(self.jump)
        if depth == 0:
            return self.pick(plain)(depth)
        nested = [
            self.if_, self.if_, self.while_, self.do_, self.for_, self.for_, self.switch_,
            self.duff, self.forward, self.backward, self.inward, self.nested, self.early
        ]
        make = self.pick(plain if self.chance(50) else nested)
        lines = make(depth)
        return [constructs.between(make.__name__.strip("_"), "\n".join(lines))]

    def assign(self, _depth):
        return [self.assignment(3, True, frozenset())[0] + ";"]

    compound_assign = assign

    def called(self, _depth):
        return [f"h ^= {self.value()};"] if self.chance(60) else [f"(void)({self.value()});"]

    def pausing(self, _depth):
        if self.function.pure:
            return ["h += (unsigned)co4_yield();"]
        return self.pick([["co4_yield();"], [f"note({self.value()});"],
                          ["if (co4_yield() != 0)", f"    h ^= {self.value(1)};"]])

    def jump(self, _depth):
        return [f"if (({self.value()}) % 5u == 0u)", "    " + self.pick(["break;", "continue;"])]

    def early(self, _depth):
        if self.own_result == "void":
            return [f"if (({self.value()}) % 7u == 0u)", "    return;"]
        return [f"if (({self.value()}) % 7u == 0u)", f"    return {self.result('h')};"]

    def nested(self, depth):
        return self.block(depth - 1)

    def if_(self, depth):
        lines = [f"if ({self.value()})"]
        if self.chance(25):
            lines += ["    h ^= " + self.value(2) + ";"]
        else:
            lines += self.block(depth - 1)
        if self.chance(50):
            lines += ["else"] + self.block(depth - 1)
        return lines

    def counter(self):
        self.names += 1
        return f"n{self.names}"

    def while_(self, depth):
        n = self.counter()
        return ["{", f"    unsigned {n} = 0;"] + [
            "    " + line for line in
            [f"while ({n}++ < {self.random.randrange(1, 4)}u && ({self.value()}) % 9u != 1u)"]
            + self.loop_block(depth - 1)] + ["}"]

    def do_(self, depth):
        n = self.counter()
        body = self.loop_block(depth - 1)
        return ["{", f"    unsigned {n} = 0;", "    do"] + ["    " + line for line in body] + [
            f"    while (++{n} < {self.random.randrange(1, 4)}u && ({self.value()}) % 9u != 1u);",
            "}"
        ]

    def for_(self, depth):
        n = self.counter()
        bound = self.random.randrange(1, 4)
        form = self.random.randrange(4)
        start = self.value(2)
        first = len(self.scope)
        if form == 0:
            self.scope.append(Var(n, "unsigned", fixed=True))
            head = f"for (unsigned {n} = 0; {n} < {bound}u; {n}++)"
        elif form == 1:
            self.scope.append(Var(n, "unsigned", fixed=True))
            head = f"for (unsigned {n} = 0, m{n} = {start}; {n} < {bound}u; h ^= {self.value(2)} + m{n}, {n}++)"
        elif form == 2:
            self.scope.append(Var(n, "unsigned", fixed=True))
            head = f"for (unsigned {n} = 0; {n} < {bound}u && ({self.value(2)}) % 11u != 3u; h += {n}++)"
        else:
            self.scope.append(Var(n, "unsigned", fixed=True))
            head = f"for (unsigned {n} = 0;; {n}++)"
        self.loops += 1
        self.jumps.append(True)
        body = self.block(depth - 1)
        self.jumps.pop()
        self.loops -= 1
        if form == 3:
            body = [
                "{", f"    if ({n} >= {bound}u || ({self.value(2)}) % 13u == 2u)", "        break;"
            ] + body[1:]
        del self.scope[first:]
        return [head] + body

    def switch_(self, depth):
        cases = self.random.randrange(2, 5)
        lines = [f"switch (({self.value()}) % {cases + 1}u)", "{"]
        order = list(range(cases))
        self.random.shuffle(order)
        self.jumps.append(False)
        default_at = self.random.randrange(cases + 2)
        for at, case in enumerate(order):
            if at == default_at:
                lines += ["default:", f"    h += {self.value(1)};", "    break;"]
            lines.append(f"case {case}:")
            if self.chance(20):
                continue
            lines += ["    " + line for line in self.pick([self.block, self.statement])(depth - 1)]
            if self.chance(60):
                lines.append("    break;")
            elif any(self.jumps) and self.chance(20):
                lines.append("    continue;")
        lines += ["    h++;", "}"]
        self.jumps.pop()
        return lines

    def duff(self, depth):
        n = self.counter()
        self.jumps.append(False)
        self.loops += 1
        parts = [self.statement(max(depth - 2, 0)) for _ in range(3)]
        self.loops -= 1
        self.jumps.pop()
        return ([
            "{", f"    unsigned {n} = 2;", f"    switch (({self.value()}) % 3u) {{", "    case 0:",
            "        do {"
        ] + ["            " + line for line in parts[0]] + ["    case 2:;"] +
                ["            " + line for line in parts[1]] + ["    case 1:;"] +
                ["            " + line
                 for line in parts[2]] + [f"        }} while (--{n} > 0u);", "    }", "}"])

    def forward(self, depth):
        """Over statements, none of which declares for those behind the label."""
        label = self.label()
        return ["{", f"    if (({self.value()}) & 1u)", f"        goto {label};"] + [
            "    " + line for line in self.block(depth - 1) + self.block(depth - 1)] + [
            f"{label}:", f"    h ^= {self.value()};", "}"]

    def backward(self, depth):
        label, n = self.label(), self.counter()
        self.loops += 1
        self.jumps.append(False)
        body = self.block(depth - 1)
        again = self.value(2)
        self.jumps.pop()
        self.loops -= 1
        return ["{", f"    unsigned {n} = 0;", f"{label}:;"] + ["    " + line for line in body] + [
            f"    if ({n}++ < 2u && ({again}) % 3u != 0u)", f"        goto {label};", "}"]

    def inward(self, depth):
        """Into the middle of a loop, past a declaration."""
        label, n, v = self.label(), self.counter(), self.label()
        self.loops += 1
        self.jumps.append(False)
        start = self.value(2)
        first = len(self.scope)
        before = self.block(depth - 1)
        again = self.value(2)
        self.scope.append(Var(v, "unsigned"))
        after = self.block(depth - 1)
        del self.scope[first:]
        self.jumps.pop()
        self.loops -= 1
        return ([
            "{", f"    unsigned {n} = 1;", f"    if (({start}) & 1u)", f"        goto {label};",
            f"    for ({n} = 0; {n} < 3u; {n}++) {{", f"        unsigned {v};"
        ] + ["        " + line for line in before] + [f"{label}:", f"        {v} = {again};"] +
                ["        " + line
                 for line in after] + [f"        h = h * 7u + {v};", "    }", "}"])

    # ---- functions ----

    def result(self, text):
        if self.own_result == "struct s":
            return f"(struct s){{ .d = (short)({text}), .e = {{ 1 }} }}"
        if self.own_result == "struct w":
            return f"(struct w){{ .v = {{ [3] = {text} }} }}"
        if self.own_result == "double":
            return f"(double)(({text}) & 1023u)"
        return f"({self.own_result})({text})"

    def define(self, number):
        pure = number % 2 == 1
        if number < 2:
            result, params = "unsigned", [("unsigned", "depth"), ("unsigned", "p"),
                                          ("unsigned", "q")]
        else:
            result = self.pick([
                "unsigned", "unsigned char", "struct s", "struct w", "short", "unsigned long",
                "double", "void" if not pure else "int"
            ])
            kinds = ["unsigned", "unsigned char", "struct s", "struct w", "long"
                     ] + ([] if pure else ["unsigned *"])
            params = [("unsigned", "depth")] + [(self.pick(kinds), f"p{i}")
                                                for i in range(self.random.randrange(1, 5))]
        function = Function(number, pure, result, params)
        self.function, self.own_result, self.loops, self.jumps = function, result, 0, []
        self.scope = []
        if not pure:
            self.scope += [Var("g0", "unsigned", shaky=True), Var("g1", "unsigned", shaky=True),
                           Var("g2", "unsigned", "array", shaky=True)]
        self.scope.append(Var("depth", "unsigned", fixed=True))
        shapes = {"struct s": "s", "struct w": "w", "unsigned *": "pointer"}
        for type_, name in params[1:]:
            shape = shapes.get(type_, "scalar")
            self.scope.append(Var(name, "unsigned" if shape == "pointer" else type_, shape,
                                  shaky=shape == "pointer"))
        self.scope.append(Var("h", "unsigned", fixed=True))
        lines = ["unsigned h = 17u;"]
        if not pure:
            lines.append(f"note({number}u);")
        body = self.block(1 if pure else self.random.randrange(2, 4),
                          count=self.random.randrange(3, 8 if pure else 10))
        lines += body[1:-1]
        first = [v for v in self.scope if v.name not in ("g0", "g1", "g2")]
        self.scope = first
        lines += self.mix(0)
        if not pure:
            lines.append("note(h);")
        if result != "void":
            lines.append(f"return {self.result('h')};")
        text = [function.head(), "{"] + ["    " + line.lstrip(" ") if i < 1 else "    " + line
                                         for i, line in enumerate(lines)] + ["}"]
        self.functions.append(function)
        if number == 1:
            self.table = [function]
            text += ["typedef pausable unsigned step(unsigned, unsigned, unsigned);",
                     f"static step *const table[] = {{ {function.name} }};"]
        return "\n".join(text)

    def text(self):
        self.table = []
        parts = [HEAD]
        count = self.random.randrange(4, 9)
        for number in [1, 0] + list(range(2, count)):
            parts.append(self.define(number))
        self.function = None
        shapes, enter = declarators.Declarators(self.random).text()
        crossed, cross = constructs.Constructs(self.random, self.turn).text()
        parts += [shapes, crossed]
        last = self.functions[-1]
        arguments = {"depth": "2u"}
        values = ", ".join(
            arguments.get(
                n, {
                    "struct s": "(struct s){ .a = 4 }", "struct w": "(struct w){ .tail = 2 }",
                    "unsigned *": "&g1"
                }.get(t, "3u")) for t, n in last.params)
        parts.append(
            f"int main(void)\n{{\n    co4_run({enter}());\n    co4_run({cross}());\n    printf(\"%lu\\n\", sum);\n    for (unsigned i = 0; i < 3; i++) {{\n"
            f"        (void)co4_run({last.name}({values}));\n        co4_run(f0(2u, i, 7u));\n"
            '        printf("%lu %u %u %u\\n", sum, g0, g1, g2[1]);\n    }\n    return (int)(sum & 63u);\n}\n'
        )
        text = "\n".join(parts)
        return constructs.decorated(text, self.random, self.pick([10, 40, 150
                                                                  ])) if self.chance(50) else text


def cast(type_):
    return f"({type_})" if type_ not in ("unsigned",) else ""


def program(seed):
    """The text, whose first line is empty, and where the constructs in it are: (name, first
    line, last line) of each."""
    return constructs.numbered(Program(seed).text())


if __name__ == "__main__":
    import sys
    print(program(int(sys.argv[1]))[0])
