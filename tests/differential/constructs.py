"""constructs.py - constructs of C that a pause has to cross, for programs.py; and which of them
a program's pauses have crossed.

Each construct is a method of Constructs: it returns the lines of a pausable function's body,
with random numbers, types and exits. `wait(n)` in them pauses and returns n. Eight of them in
turn are in every program, so that few programs meet all.

A text holds marks for where a construct begins and ends: OPEN name SHUT … CLOSE name SHUT.
`numbered` takes them out and returns the lines of each; `tracer.c` records the lines in which a
program has paused; `crossed` compares the two.
"""
import collections
import re

OPEN, CLOSE, SHUT = "\ue000", "\ue001", "\ue002"
LINE = "\ue003"  # becomes the number of the line behind it

HEAD = """enum place { first_place, second_place, third_place, places };
struct text { char text[12]; };
struct nest { struct { unsigned a, b[3]; } in[2]; union { unsigned u; unsigned char c[4]; }; };
#define TWICE(x) ((x) * 2u + (x))
#define SECOND(x, y) ((y) ^ ((x) >> 1))
#define TEXT(x) #x
#define JOINED(x, y) x ## y
#define ENDS(f) __attribute__((cleanup(f)))
#define UNROLLED _Pragma("GCC unroll 2")
#define QUIET(x) _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \\"-Wall\\"") x _Pragma("GCC diagnostic pop")
static pausable unsigned wait(unsigned n)
{
    co4_yield();
    return n;
}
static pausable unsigned wait_more(unsigned n)
{
    return wait(n) + wait(1u);
}
static void ended(unsigned *p)
{
    note(*p + 1000u);
}
static void text_ended(struct text *t)
{
    note((unsigned char)t->text[0]);
}
static struct text text_of(unsigned n)
{
    struct text t = { { (char)('a' + n % 26u), (char)('a' + n / 2u % 26u), 0 } };
    return t;
}
static pausable struct text text_later(unsigned n)
{
    return text_of(wait(n));
}
static unsigned scribble(unsigned depth)
{
    volatile char all[300];
    for (unsigned i = 0; i < sizeof all; i++)
        all[i] = '#';
    return depth > 0u ? scribble(depth - 1u) : (unsigned)all[depth] & 0u;
}
static unsigned show(const char *text, unsigned n)
{
    n += scribble(2u);
    for (; *text; text++)
        n = n * 31u + (unsigned char)*text;
    return n;
}
static unsigned show_both(unsigned n, const char *one, const char *other)
{
    return show(one, n) * 7u + show(other, n);
}"""


def between(name, text):
    return f"{OPEN}{name}{SHUT}{text}{CLOSE}{name}{SHUT}"


class Constructs:
    def __init__(self, random, turn):
        self.random, self.turn = random, turn
        self.names = 0

    def pick(self, *items):
        return items[self.random.randrange(len(items))]

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def n(self, most=9):
        return f"{self.random.randrange(1, most + 1)}u"

    def name(self, letter):
        self.names += 1
        return f"{letter}_{self.names}"

    def waits(self, text=None):
        """A number, by way of a pause."""
        text = text or self.pick("n", "h & 7u", self.n(), f"n + {self.n()}")
        return self.pick(f"wait({text})", f"wait({text})", f"wait_more({text})",
                         f"wait(wait({text}))", f"({self.n()} + wait({text}))",
                         f"((h & 3u) + wait({text}))")

    def some(self):
        """A statement that pauses, or none."""
        return self.pick(f"h ^= {self.waits()};", f"h = h * 31u + {self.waits()};", "co4_yield();",
                         f"note({self.waits()});", f"if ({self.waits()} & 1u) h++;",
                         f"(void){self.waits()};")

    # ---- scopes ----

    def shadowed(self):
        """Three locals of one name; at the pause in the innermost scope each is live, dead or
        about to be written."""
        kinds = [self.pick("live", "dead", "written") for _ in range(3)]
        if self.chance(60):
            kinds[1] = "dead"
        types = [
            self.pick("unsigned", "unsigned char", "long", "const unsigned", "volatile unsigned")
            for _ in range(3)
        ]
        types = [t.replace("const ", "") if k == "written" else t for t, k in zip(types, kinds)]
        lines, last = [], []
        for depth, (kind, type_) in enumerate(zip(kinds, types)):
            head = self.pick("{", "{", "if (n < 100u) {",
                             f"for (unsigned i{depth} = 0; i{depth} < 2u; i{depth}++) {{")
            start = self.pick(self.waits(), f"n + {self.n()}", "h & 63u")
            lines += ([head] if depth else
                      []) + [f"{type_} x = ({type_})({start});", "h = h * 31u + (unsigned)x;"]
            if self.chance(40):
                lines.append(self.some())
            back = {
                "live": ["h = h * 7u + (unsigned)x;"], "dead": [],
                "written": [f"x = ({type_})({self.n()} + (h & 15u));", "h = h * 5u + (unsigned)x;"]
            }[kind]
            last = back + (["}"] if depth else []) + last
        return lines + [self.some()] + last

    def shadowed_arguments(self):
        return [
            f"unsigned y = {self.waits('n')};", "{",
            f"    struct s n = {{ .a = (int)y, .d = (short){self.waits('y')} }};", "    {",
            f"        unsigned char n[3] = {{ (unsigned char)y, (unsigned char)wait({self.n()}), 3 }};",
            f"        h += n[0] + {self.waits('y')} + n[1];", "    }",
            self.pick("    h += (unsigned)n.d;",
                      "    n = (struct s){ .d = 4 }; h += (unsigned)n.d;", ""), "}", "h += n + y;"
        ]

    # ---- loops with flags ----

    def flags(self, i):
        return self.pick(
            *[[f"if ({self.waits(i)} < {self.n(4)})", "    continue;"],
              [f"if ((flags ^= {self.waits(i)}) & 4u) {{", "    more = 0;", "    continue;", "}"],
              [f"if ({self.waits('flags')} % 5u == 0u)", "    break;"],
              [f"if (!more && {self.waits(i)} > 1u)", f"    {self.pick('continue', 'break')};"],
              [
                  f"switch ({self.waits(i)} % 3u) {{", "case 0:", "    flags++;", "    continue;",
                  "case 1:", "    break;", "default:", "    more = (_Bool)(flags & 1u);", "}"
              ], [f"flags += {self.waits()};"], ["note(flags);"]])

    def condition(self, i):
        return self.pick("more", f"more && {self.waits(i)} != 4u",
                         f"more || {self.waits('flags')} % 3u == 1u", f"{self.waits(i)} < 4u",
                         "(flags & 8u) == 0u",
                         f"({{ unsigned k = {self.waits(i)}; k != 3u && more; }})")

    def looped(self, head, tail):
        i = self.name("i")
        lines = [
            f"unsigned flags = n, {i} = 0;", "_Bool more = 1;",
            head.format(i=i, condition=self.condition(i)), f"    if ({i}++ > 4u)", "        break;"
        ]
        for _ in range(self.random.randrange(2, 5)):
            lines += self.flags(i)
        return lines + [
            tail.format(i=i, condition=self.condition(i)), f"h = h * 31u + flags + {i} + more;"
        ]

    def do_continue(self):
        return self.looped("do {{", "}} while ({condition});")

    def while_continue(self):
        return self.looped("while ({condition}) {{", "}}")

    def for_continue(self):
        return self.looped(
            f"for (h += {self.waits()}; {{condition}}; flags += {self.waits()}) {{{{", "}}")

    # ---- jumps ----

    def above_declaration(self):
        """Back above a declaration, then past it: the local keeps its value."""
        tries, again, inside, x = self.name("tries"), self.name("again"), self.name(
            "inside"), self.name("x")
        return [
            f"unsigned {tries} = 0;", "{", f"{again}:", f"    if ({tries} > 0u)",
            f"        goto {inside};", f"    unsigned {x};",
            self.pick(f"    unsigned y_{x} = {self.waits()};",
                      f"    h += {self.waits()};"), f"    {x} = {self.waits('n')} + {self.n()};",
            f"{inside}:", f"    h = h * 31u + {x} + {self.waits()};",
            self.pick(f"    {x} += 2u;",
                      "    co4_yield();"), f"    if ({tries}++ < 2u)", f"        goto {again};", "}"
        ]

    def pointed_above(self):
        tries, again, x = self.name("tries"), self.name("again"), self.name("x")
        return [
            "unsigned *p = 0;", f"unsigned {tries} = 0;", "{", f"{again}:",
            f"    if ({tries} > 0u)", f"        h += *p + {self.waits()};",
            f"    unsigned {x} = {self.waits('h & 15u')};", f"    p = &{x};", f"    {self.some()}",
            f"    h += {x};", f"    if ({tries}++ < 2u)", f"        goto {again};", "}"
        ]

    def computed_goto(self):
        a, b, out = self.name("a"), self.name("b"), self.name("out")
        return [
            f"void *to[] = {{ &&{a}, &&{b}, &&{out} }};", "unsigned turns = 0;", f"{a}:",
            f"    h += {self.waits()};", "    if (turns++ > 3u)", f"        goto {out};",
            f"    goto *to[{self.waits()} % 3u];", f"{b}:", f"    {self.some()}",
            f"    goto *to[turns % 2u ? 0 : 2];", f"{out}:", "    h++;"
        ]

    def case_ranges(self):
        return [
            f"switch ({self.waits('n + h % 7u')}) {{", "    unsigned kept;", "case 0 ... 2:",
            f"    kept = {self.waits()};", f"    h += kept + {self.waits()};",
            self.pick("    break;", "    __attribute__((fallthrough));"), "case 3 ... 9:",
            f"    kept = h & 7u;", f"    {self.some()}", "    h += kept;",
            self.pick("    break;", "    /* fall through */"), "default:",
            f"    kept = {self.waits()};", f"    h ^= {self.waits('kept')};", "    h += kept;", "}"
        ]

    # ---- temporaries ----

    def temporary(self):
        """A value that C keeps to the end of the full expression, and a pointer into it."""
        one = self.pick("text_of(n)", f"(n & 1u ? a : b)", "(a = b)", "(m++, text_of(m))",
                        "text_later(n)", "(*pa)", f"(*(n & 1u ? &a : pa))",
                        "(struct text){ { 'l', 'i', 't' } }",
                        "(n & 1u ? text_of(n) : text_later(n))",
                        "({ struct text t = text_later(n); t; })",
                        f"(n > {self.n()} ? (a = b) : text_of(n))")
        text = self.pick(".text", ".text", ".text + 1", ".text + (n & 1u)")
        back = self.pick(f"&{one}.text[1]", f"{one}{text}", f"(const char *){one}{text}",
                         f"(const char *)(void *){one}.text")
        other = self.pick("text_of(h).text", "b.text", '"other"', "text_later(3u).text")
        call = self.pick(
            f"show({back}, {self.waits()})", f"show_both({self.waits('2u')}, {back}, {other})",
            f"show({back}, show({back}, {self.waits('4u')}))".replace("m++, ",
                                                                      "").replace("a = b", "b"),
            f"(h & 1u ? show({back}, {self.waits()}) : show({other}, {self.waits()}))",
            f"(unsigned char){one}.text[{self.waits('1u')} & 1u]")
        return [
            "unsigned m = n;", "struct text a = text_of(n + 3u), b = text_of(n + 8u), *pa = &a;",
            f"h = h * 31u + {call};", "h += show(a.text, m);"
        ]

    def literal(self):
        """Compound literals live as long as their block."""
        p, i = self.name("p"), self.name("i")
        return self.pick([
            f"unsigned *{p} = &(unsigned){{ {self.waits()} }};",
            self.some(), f"*{p} += {self.waits()};", f"h += *{p};"
        ], [
            f"unsigned *{p} = (unsigned[]){{ 1u, {self.waits()}, [4] = {self.waits()} }};",
            self.some(), f"h = h * 31u + {p}[1] + {p}[{self.waits('4u')} % 5u];"
        ], [
            f"for (unsigned {i} = 0; {i} < 3u; {i}++) {{",
            f"    struct s *{p} = &(struct s){{ .a = (int){i}, .d = (short){self.waits(i)} }};",
            f"    {self.some()}", f"    {p}->a += 2;",
            f"    h += (unsigned){p}->d + (unsigned){p}->a;", "}"
        ], [
            f"const struct nest *{p} = &(const struct nest){{ .in[1].b = {{ [1] = {self.waits()} }}, .u = {self.waits()} }};",
            f"h += {p}->in[1].b[1] + {p}->u + {self.waits()} + {p}->in[0].a;"
        ])

    def initialized(self):
        """Designators of all kinds, values that pause."""
        return self.pick([
            f"unsigned t[places + 2] = {{ [second_place] = {self.waits()}, {self.n()}, [first_place] = {self.waits()},",
            f"    [places ... places + 1] = {self.n()} }};",
            self.some(), "for (unsigned i = 0; i < places + 2u; i++)", "    h = h * 31u + t[i];"
        ], [
            f"struct nest t = {{ .in[second_place].b[1] = {self.waits()}, .in[0] = {{ {self.waits()}, {{ 4u }} }},",
            f"    .c = {{ [sizeof(int) - 2] = (unsigned char){self.waits()} }} }};",
            self.some(),
            "h = h * 31u + t.in[1].b[1] + t.in[0].a + t.in[0].b[0] + t.in[1].b[2] + t.c[2];"
        ], [
            f"struct nest t = {{ {{ {{ {self.waits()}, {{ [2] = {self.n()} }} }}, {{ 3u }} }}, {{ {self.waits()} }} }};",
            self.some(), "h = h * 31u + t.in[0].a + t.in[0].b[2] + t.in[1].a + t.u;"
        ], [
            f"step *const steps[places] = {{ [third_place] = {self.pick('later', 'sooner')}, [second_place - 1] = later }};",
            f"h += steps[2]({self.n()}, {self.waits()}, 3u) + steps[wait(0u)](1u, n, 2u);"
        ], [
            f"const struct {{ int x, a[2]; }} t = {{ (int){self.waits()}, {{ 1, (int){self.waits()} }} }};",
            self.some(), "h += (unsigned)(t.x + t.a[1]);"
        ])

    # ---- cleanup ----

    def ends(self, name, value=None):
        return f"ENDS(ended) unsigned {name} = {value or self.waits()};"

    def cleanup_end(self):
        return [
            "{", f"    {self.ends('a')}",
            f"    ENDS(text_ended) struct text t = text_of({self.waits()});", f"    {self.some()}",
            f"    {self.ends('b', 'a * 3u')}", f"    h += a + b + {self.waits()};", "}",
            self.some()
        ]

    def cleanup_break(self):
        return [
            "for (unsigned i = 0; i < 4u; i++) {", f"    {self.ends('a', f'i + {self.waits()}')}",
            "    {", f"        {self.ends('b', 'a + 1u')}",
            f"        if ({self.waits('i')} == {self.n(3)})", "            break;", "    }",
            f"    {self.some()}", "    h += a;", "}"
        ]

    def cleanup_continue(self):
        return [
            self.pick("for (unsigned i = 0; i < 4u; i++) {", "unsigned i = 0; while (i++ < 4u) {"),
            f"    {self.ends('a', f'i + {self.waits()}')}",
            f"    if ({self.waits('i')} % 2u == 0u) {{", f"        {self.ends('b', 'a + 1u')}",
            f"        {self.some()}", "        continue;", "    }", "    h += a;", "}"
        ]

    def cleanup_continue_do(self):
        lines = self.cleanup_continue()
        lines[0], lines[
            -1] = "unsigned i = 0; do {", f"}} while (++i < 4u && {self.waits()} != 77u);"
        return lines

    def cleanup_switch(self):
        return [
            "for (unsigned i = 0; i < 5u; i++) {", f"    {self.ends('a', 'i * 2u')}",
            f"    switch ({self.waits('i')} % 4u) {{", "    case 0: {", f"        {self.ends('b')}",
            f"        if ({self.waits()} & 1u)", "            break;",
            f"        {self.pick('continue', 'break')};", "    }", "    case 1:;",
            f"        {self.ends('c', 'a + 7u')}", f"        h += c + {self.waits()};",
            f"        {self.pick('continue;', 'break;', '')}", "    }", f"    {self.some()}",
            "    h += a;", "}"
        ]

    def cleanup_goto(self):
        out = self.name("out")
        return [
            "{", f"    {self.ends('a')}", "    {", f"        {self.ends('b', 'a + 1u')}",
            "        {", f"            {self.ends('c')}",
            f"            if ({self.waits()} % 3u != 0u)", f"                goto {out};",
            f"            h += c + {self.waits()};", "        }", f"        {self.some()}",
            "        h += b;", "    }", "    h += a;", "}", f"{out}:", f"h += {self.waits()};"
        ]

    def cleanup_backward(self):
        again, tries = self.name("again"), self.name("tries")
        return [
            f"unsigned {tries} = 0;", "{", f"{again}:;", f"    {self.ends('a', tries)}",
            f"    {self.some()}", "    {", f"        {self.ends('b', 'a + 1u')}",
            f"        if ({tries}++ < 2u + ({self.waits()} & 1u))", f"            goto {again};",
            "    }", "    h += a;", "}"
        ]

    def cleanup_return(self):
        value = self.pick("a + b", "wait(a) + b", self.waits("b"),
                          "({ ENDS(ended) unsigned c = wait(a); c + 1u; })")
        return [
            self.ends("a"), "{", f"    {self.ends('b', 'a + 1u')}",
            f"    if ({self.waits()} % 2u == 0u)", f"        return {value};",
            f"    h += b + {self.waits()};", "}", "h += a;"
        ]

    def cleanup_in_expression(self):
        jump = self.pick("if (k == 4u) return h + k;", "if (k % 2u) break;",
                         "if (k % 3u == 1u) continue;", "")
        return [
            "for (unsigned i = 0; i < 3u; i++) {", f"    {self.ends('a', 'i')}",
            f"    h += {self.waits()} + ({{ {self.ends('k')} {jump} k + {self.waits('i')}; }});",
            "    h ^= a;", "}"
        ]

    # ---- expressions ----

    def statement_expression(self):
        return [
            f"h += ({{ unsigned x = {self.waits()}; if (x & 1u) x += {self.waits()}; x; }}) * 3u"
            f" + ({{ struct text t = text_later(n); t; }}).text[0];",
            f"if (({{ unsigned y = {self.waits()}; y > 3u; }}) && {self.waits()})", "    h++;"
        ]

    def chosen_arms(self):
        return [
            f"unsigned z = {self.n()}, *k = &z;", f"h += n & 1u ? *k ^= 5u, 1u : {self.waits()};",
            f"h ^= {self.waits()} ? : {self.waits()};",
            f"h += (n & 1u ? later : sooner)({self.n()}, {self.waits()}, z);",
            f"z = n > 3u ? {self.waits()} : n > 1u ? z++, {self.waits()} : {self.waits()};",
            "h += z;"
        ]

    def updates(self):
        return [
            "struct s t = { .a = 1, .b = 3 };", "unsigned a[4] = { 1u, 2u, 3u, 4u };",
            f"t.b += {self.waits()} & 3u;",
            f"a[{self.waits('1u')} & 3u] {self.pick('+=', '^=', '*=', '<<=')} {self.waits('2u')};",
            f"h += a[1] = t.b = {self.waits()} & 15u;",
            f"t.d = (short)(t.c = (int)({self.waits()} & 7u));",
            f"h += a[{self.waits('2u')} & 3u]++ + (unsigned)t.d + t.b;", "h ^= a[0] + a[2];"
        ]

    def atomics(self):
        return [
            "_Atomic unsigned a = 1u;", "_Atomic unsigned char c = 2;", "_Atomic(long) l = 3;",
            f"a += {self.waits()};",
            self.some(), f"c ^= (unsigned char){self.waits()};", f"h += a++ + {self.waits()};",
            f"l ^= (long){self.waits()};", "h ^= (unsigned)l;", "h += a + c;"
        ]

    def variable_length(self):
        out = self.name("out")
        return [
            f"unsigned length = {self.n(4)} + (n & 3u);", "{",
            "    unsigned a[length], (*p)[length] = &a;",
            "    for (unsigned i = 0; i < length; i++)", "        a[i] = n + i;",
            f"    {self.some()}", f"    a[{self.waits('0u')} % length] += 3u;",
            f"    if ({self.waits()} % 3u == 0u)", f"        goto {out};", "    length = 1u;",
            f"    h += (unsigned)(sizeof a / sizeof *a) + (*p)[0] + {self.waits()};", "}",
            f"{out}:", "h++;"
        ]

    def kinds(self):
        return [
            "double _Complex z = (double)(h & 7u);", "__typeof__(n) t = n + 2u;",
            "static unsigned kept = 3u;", "_Static_assert(sizeof(int) >= 2, \"int\");",
            "long double d = (long double)(n & 3u);", f"z += {self.waits()} & 7u;",
            f"kept += {self.waits()};",
            self.some(), "d += 1.0L;",
            f"h += _Generic(t, unsigned: {self.waits()}, default: 1u) + t + (unsigned)(long)d + (unsigned)(long)__real__ z + kept;"
        ]

    # ---- what the preprocessor takes away ----

    def comments(self):
        """Behind each token of a statement that pauses."""
        words = self.pick(
            "h = h + wait ( n ) * 3u ;", "if ( wait ( n ) > wait ( 1u ) ) h ++ ;",
            "note ( wait ( n ) ) ;",
            "for ( unsigned i = wait ( 0u ) ; i < 3u ; i ++ ) h += wait ( i ) ;",
            "h ^= ( n & 1u ? wait ( 2u ) : 4u ) + ( struct s ) { . a = ( int ) wait ( n ) } . a ;"
        ).split()
        return ["".join(word + self.comment() for word in words)]

    def comment(self, lines=True):
        text = self.pick("it's", "a \" quote", "pausable", "# define h 7", "//", "'", "?:{", "",
                         "fall through")
        more = self.pick(f"/* {text} */", f"/* {text}\n two lines */", f"// {text}\n",
                         f"// {text} \\\n goes on\n", " \\\n", "\n", " ")
        return more if lines else f"/* {text} */"

    def directives(self):
        c = [self.comment(False) for _ in range(8)]
        return [
            f"#if {c[0]} defined UNKNOWN {c[1]} || 0 // {c[2][3:-3]}", "it's not C",
            "    h += 1u +", f"# {c[3]} else {c[4]}", "    h += 2u +", "#endif // of it",
            f"    {self.waits()};", f"#define LATER_{self.turn} {c[5]} wait {c[6]} // last",
            f"if (LATER_{self.turn} (n) & 1u)", "#ifndef UNKNOWN", f"    h ^= {self.waits()};",
            "else", "#endif", f"    h += {self.waits()};", f"{c[7]} #undef LATER_{self.turn}", "#",
            f"h += show(\"a\", // {c[2][3:-3]}", "#ifdef UNKNOWN", "    3u", "#elif 1 /* this",
            "one */", f"    {self.waits()}", "#endif", "    );"
        ]

    def pragmas(self):
        i = self.name("i")
        lines = [
            "#pragma GCC diagnostic push", f"    {self.some()}",
            '#pragma GCC diagnostic ignored /* all */ "-Wall"', f"    h += {self.waits()};",
            '_Pragma("GCC diagnostic pop")', f"QUIET(h += {self.waits()};)",
            "#pragma pack(push, 1)", "struct packed { char c; unsigned u; } packed = { 1, n };",
            "#pragma pack(pop)", f"h += packed.u + {self.waits()};"
        ]
        lines += self.pick([
            "#pragma GCC unroll 2", f"for (unsigned {i} = 0; {i} < 3u; {i}++)",
            f"    h += {self.waits(i)};"
        ], [
            "UNROLLED",
            f"for (unsigned {i} = wait(0u); {i} < 3u && {self.waits()}; {i} += wait(1u))",
            f"    h += {self.waits(i)};"
        ], [
            "_Pragma(/* it */ \"GCC unroll 2\")", f"for (unsigned {i} = 0; {i} < 3u; {i}++) {{",
            f"    {self.some()}", "}"
        ], [
            f"unsigned {i} = 0;", "#pragma GCC unroll 3", f"while ({i} < {self.waits('3u')})",
            f"    {i} += wait(1u);"
        ], [
            f"unsigned {i} = 0;", "UNROLLED", "do", f"    {i} += {self.waits('1u')};",
            f"while ({i} < {self.waits('3u')});"
        ], [self.some()])
        return lines + [
            "#pragma co4 knows this not", f"{self.some()}", "_Pragma(\"co4 nor this\")",
            self.some()
        ]

    def line_numbers(self):
        number = self.random.randrange(1, 9)
        return [
            f"#line {LINE}", f"h += {self.waits()} + __LINE__;", f"# {LINE} \"elsewhere.h\"",
            f"    {self.some()}", "note(__LINE__);",
            f"#line {LINE} \"it's /* in */ a \\\"grammar\\\".y\"", f"    h ^= {self.waits()}",
            f"#line {LINE}", f"        + {self.waits()} * {number}u;",
            self.some()
        ]

    def macro_arguments(self):
        c = [self.comment() for _ in range(8)]
        return [
            f"h += TWICE({c[0]} wait{c[1]}({c[2]} n {c[3]}) {c[4]});",
            f"h ^= SECOND({c[5]} {self.waits()}, {c[6]} TWICE({self.waits()} {c[7]}));",
            f"note(show(TEXT(a {c[0]} + {c[1]} \"b\" {c[2]}), {self.waits()}));",
            f"unsigned JOINED(ab {c[3]}, {c[4]} cd) = {self.waits()};",
            f"h += JOINED({c[5]} abc, d {c[6]}) + TWICE(JOINED(wa, it)({c[7]} 2u));"
        ]

    # ---- all ----

    CONSTRUCTS = [
        above_declaration, atomics, case_ranges, chosen_arms, cleanup_backward, cleanup_break,
        cleanup_continue, cleanup_continue_do, cleanup_end, cleanup_goto, cleanup_in_expression,
        cleanup_return, cleanup_switch, comments, computed_goto, directives, do_continue,
        for_continue, initialized, kinds, line_numbers, literal, macro_arguments, pointed_above,
        pragmas, shadowed, shadowed_arguments, statement_expression, temporary, updates,
        variable_length, while_continue
    ]

    def text(self):
        """Definitions, and the name of a pausable function without parameters that calls all of
        it."""
        # the typedef `step` is of programs.py
        parts = [HEAD] + [
            f"static pausable unsigned {name}(unsigned depth, unsigned n, unsigned m)\n{{\n    return wait(n{by}) + m;\n}}"
            for name, by in (("later", " + depth"), ("sooner", ""))
        ]
        count, calls = len(self.CONSTRUCTS), []
        chosen = [self.CONSTRUCTS[(8 * self.turn + i) % count] for i in range(8)]
        for make in chosen:
            name = self.name(make.__name__ + "_")
            body = "\n".join("    " + line if line[:1] not in "#/" else line for line in make(self))
            parts.append(
                f"static pausable unsigned {name}(unsigned n)\n{{\n    unsigned h = n + 1u;\n"
                f"{between(make.__name__, body)}\n    note(h);\n    return h;\n}}")
            calls += [f"    note({name}({i}u));" for i in range(3)]
        calls = "\n".join(calls)
        return "\n".join(
            parts
        ) + f"\nstatic pausable int constructs(void)\n{{\n{calls}\n    return 0;\n}}", "constructs"


# ---- comments and directives anywhere ----

TOKEN = re.compile(
    r'(?P<word>[A-Za-z_]\w*|\.?\d(?:[\w.]|[eEpP][+-])*)|(?P<text>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r'|(?P<mark>[\ue000\ue001]\w+\ue002)|(?P<blank>\s+|\\\n|/\*.*?\*/|//(?:\\\n|[^\n])*)'
    r'|(?P<sign>\.\.\.|<<=|>>=|->|\+\+|--|&&|\|\||##|[-+*/%&|^<>=!]=|<<|>>|.)', re.S)
DIRECTIVE = re.compile(
    r"(?m)^[ \t\ue000-\ue002\w]*(?:/\*[^\n]*?\*/[ \t]*)*#(?:[^\n/\\]|\\.|/\*.*?\*/|//(?:\\\n|[^\n])*|/|\\\n)*$",
    re.S)
MACROS = {
    "co4_run", "co4_yield", "TWICE", "SECOND", "TEXT", "JOINED", "ENDS", "QUIET", "_Pragma",
    "__LINE__"
}


def decorated(text, random, share):
    """The same program with comments, splices and directives between `share` of 1,000 of its
    tokens."""
    comment = Constructs(random, 0).comment
    pieces, at = [], 0
    for found in DIRECTIVE.finditer(text):
        pieces += [(text[at:found.start()], False), (found.group(), True)]
        at = found.end()
    pieces.append((text[at:], False))
    made, open_, macros, last, number = [], 0, [], "", 0
    for piece, directive in pieces:
        if directive:
            made.append(piece)
            continue
        tokens = list(TOKEN.finditer(piece))
        for i, token in enumerate(tokens):
            word = token.group()
            made.append(word)
            if token.lastgroup in ("mark", "blank"):
                continue
            if word == "(":
                open_ += 1
                if last in MACROS:
                    macros.append(open_)
            elif word == ")":
                if macros[-1:] == [open_]:
                    macros.pop()
                open_ -= 1
            last = word
            if random.randrange(1000) >= share or i + 1 == len(tokens):
                continue
            behind = next(
                (t.group() for t in tokens[i + 1:] if t.lastgroup not in ("mark", "blank")), "")
            number += 1
            kind = random.randrange(10)
            if kind < 6 or macros or word in MACROS:
                made.append(" " + comment() + " ")
            elif kind < 8:
                made.append("\n" + [
                    f"#if 0\nit's \"no C\n#endif", f"#line {LINE}",
                    f"#define d{number} /* it's */ 1 // 1",
                    f"#ifdef pausable /* a */\n#else // b\n#endif /* c\n d */", "# /* nothing */"
                ][random.randrange(5)] + "\n")
            elif word == ";" and open_ == 0 and behind not in ("else", "while", "}", ""):
                made.append("\n" + [
                    "#pragma GCC diagnostic ignored \"-Wall\"",
                    "_Pragma(\"GCC diagnostic warning \\\"-Wall\\\"\")", "#pragma co4 no",
                    "_Pragma /* a */ ( /* b */ \"co4\" // c\n)"
                ][random.randrange(4)] + "\n")
    return "".join(made)


def numbered(text):
    """The text without marks, and what they say: (construct, first line, last line) for each."""
    lines, ranges, begun = [], [], collections.defaultdict(list)
    for at, line in enumerate(text.split("\n"), 1):
        for kind, name in re.findall(f"([{OPEN}{CLOSE}])(\\w+){SHUT}", line):
            if kind == OPEN:
                begun[name].append(at)
            else:
                ranges.append((name, begun[name].pop(), at))
        line = re.sub(f"[{OPEN}{CLOSE}]\\w+{SHUT}", "", line)
        lines.append(line.replace(LINE, str(at + 1)))
    return "\n".join(lines), ranges


def crossed(ranges, paused):
    """Of the constructs that a text has, those with a pause inside."""
    return sorted(
        {name
         for name, first, last in ranges if any(first <= line <= last for line in paused)})
