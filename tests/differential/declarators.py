"""declarators.py - declarators of all shapes that C has, for programs.py.

A type is a tuple: ("scalar", name, const), ("pointer", to, const), ("array", count, of),
("function", parameters, result). Each gets objects and functions that it leads to, and is
a parameter, result, local, member, typedef and in a prototype in other words, in functions that
pause while they hold it. Values read through it go into the sum.
"""
SCALARS = ["unsigned", "short", "unsigned char", "long", "struct s"]


class Declarators:
    def __init__(self, random):
        self.random = random
        self.count = 0
        self.before = []    # definitions that the types lead to

    def pick(self, items):
        return items[self.random.randrange(len(items))]

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def name(self, letter):
        self.count += 1
        return f"{letter}_{self.count}"

    # ---- types ----

    def type(self, depth, result=False, element=False):
        """Of an object; a result is no array."""
        kind = self.random.randrange(10) if depth > 0 else 0
        if kind < 2:
            return ("scalar", self.pick(SCALARS), self.chance(15) and not element)
        if kind < 4 and not result:
            return ("array", self.random.randrange(1, 4), self.type(depth - 1, element=True))
        if kind < 7:
            return ("pointer", self.function(depth - 1), self.chance(20) and not element)
        return ("pointer", self.type(depth - 1), self.chance(20) and not element)

    def function(self, depth):
        parameters = [self.type(max(depth - 2, 0)) for _ in range(self.random.randrange(3))]
        return ("function", parameters, self.type(depth - 1 if depth > 0 else 0, result=True))

    def declare(self, type_, name=""):
        """One writer, and not the weaver's: brackets where they may be left out, now and then."""
        kind = type_[0]
        if name and self.chance(8):
            name = f"({name})"
        if kind == "scalar":
            return f"{'const ' if type_[2] else ''}{type_[1]}{' ' if name else ''}{name}"
        if kind == "array":
            return self.declare(type_[2], f"{name}[{type_[1]}]")
        if kind == "function":
            return self.declare(type_[2],
                                f"{name}({self.parameters(type_[1], [''] * len(type_[1]))})")
        text = f"*{'const ' if type_[2] else ''}{name}"
        return self.declare(type_[1], text if type_[1][0] in ("scalar", "pointer") else f"({text})")

    def parameters(self, types, names):
        return ", ".join(self.declare(t, n) for t, n in zip(types, names)) or "void"

    # ---- what they lead to ----

    def initial(self, type_):
        """A constant that initializes an object of the type."""
        if type_[0] == "scalar":
            number = self.random.randrange(1, 100)
            return f"{{ .a = {number} }}" if type_[1] == "struct s" else str(number)
        if type_[0] == "array":
            return "{ " + ", ".join(self.initial(type_[2]) for _ in range(type_[1])) + " }"
        return "&" + (self.plain(type_[1]) if type_[1][0] == "function" else self.object(type_[1]))

    def object(self, type_):
        name = self.name("o")
        self.before.append(f"static {self.declare(type_, name)} = {self.initial(type_)};")
        return name

    def value(self, type_):
        """An expression of the type; of an array, one that may be passed for it."""
        return self.object(type_)

    def plain(self, type_):
        name = self.name("p")
        names = [f"a{i}" for i in range(len(type_[1]))]
        reads = "".join(f" note({self.read(t, n)});" for t, n in zip(type_[1], names))
        back = self.value(type_[2])
        header = self.declare(type_[2], f"{name}({self.parameters(type_[1], names)})")
        self.before.append(f"static {header}\n{{\n   {reads}\n    return {back};\n}}")
        return name

    def read(self, type_, text):
        """A number that is found through an expression of the type."""
        kind = type_[0]
        if kind == "scalar":
            member = ".a" if type_[1] == "struct s" else ""
            return f"(unsigned long){text}{member}"
        if kind == "array":
            return self.read(type_[2], f"{text}[{self.random.randrange(type_[1])}]")
        if kind == "function" or type_[1][0] == "function":
            function = type_ if kind == "function" else type_[1]
            arguments = ", ".join(self.value(t) for t in function[1])
            callee = text if kind == "function" or self.chance(50) else f"(*{text})"
            return self.read(function[2], f"{callee}({arguments})")
        return self.read(type_[1], f"(*{text})")

    # ---- functions that pause ----

    def pausing(self):
        name, mark = self.name("shape"), self.pick(["pausable", "pausable_or_plain"])
        types = [self.type(4) for _ in range(self.random.randrange(1, 4))]
        names = [self.name(self.pick("xyz")) for _ in types]
        back = self.type(4, result=True)
        lines = []
        for type_, text in zip(types, names):
            local, kept, held, typedef = (self.name(letter) for letter in "lkmt")
            lines += [
                f"{self.declare(type_, local)} = {self.initial(type_)};",
                f"typedef {self.declare(type_, typedef)};",
                f"struct {{ {self.declare(type_, 'held')}; int n; }} {held} = {{ {self.initial(type_)}, 1 }};",
                f"{self.pick(['', 'const ', 'static '])}{typedef} {kept} = {self.initial(type_)};",
                f"note({self.read(type_, text)}); note({self.read(type_, local)});", "co4_yield();",
                f"note({self.read(type_, local)}); note({self.read(type_, text)});",
                f"note({self.read(type_, held + '.held')});",
                f"note({held}.n + (co4_yield(), {self.read(type_, kept)}));"
            ]
        lines.append(f"return {self.value(back)};")
        header = self.declare(back, f"{name}({self.parameters(types, names)})")
        other = self.declare(back, f"{name}({self.parameters(types, [''] * len(types))})")
        body = "\n".join("    " + line for line in lines)
        arguments = ", ".join(self.value(t) for t in types)
        call = f"note({self.read(back, f'{name}({arguments})')});"
        return f"static {mark} {other};", f"static {mark} {header}\n{{\n{body}\n}}", call

    def text(self):
        """Definitions, and the name of a pausable function without parameters that calls all of
        it."""
        made = [self.pausing() for _ in range(self.random.randrange(1, 4))]
        calls = "\n".join("    " + call for _, _, call in made)
        parts = [prototype
                 for prototype, _, _ in made] + self.before + [body for _, body, _ in made]
        return "\n".join(
            parts) + f"\nstatic pausable int shapes(void)\n{{\n{calls}\n    return 0;\n}}", "shapes"
