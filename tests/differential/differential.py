"""differential.py - one random program, built plain and woven in several ways: do they agree?

A seed determines a whole case: the program (csmith makes the same one again), the options it is
generated with (its flavour), the compiler and flags it is built with. `campaign` runs many,
`reduce` makes one small; both are made of what is here.

A case ends in one class:

  same         every mode printed what the plain program printed, with its exit status
  skipped      there is nothing to compare with: csmith failed, the plain program does not end in
               time, does not build, or is not one program: compilers or sanitizers disagree about
               it
  mismatch     a woven form printed something else, or had another exit status
  crash        a woven form died of a signal, or a sanitizer stopped it
  hang         a woven form did not end
  refused      the weaver refused, with a message that tests/reject does not have
  documented   the weaver refused, with one that it has
  weaver       the weaver died, or did not end
  compile      a compiler does not take what was woven
"""
import dataclasses
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import time

import constructs
import programs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

FAILURES = ("mismatch", "crash", "hang", "refused", "weaver", "compile")
CLASSES = ("same", "skipped", "documented") + FAILURES

PLAIN_SECONDS = 2       # csmith makes endless programs now and then
WOVEN_SECONDS = 10      # and a hundred times what the plain program took
WEAVE_SECONDS = 60
COMPILE_SECONDS = 120
WEAVE_BYTES = 4 << 30

# Every other program is by programs.py, the rest by csmith, which is asked for these in turn.
OWN = "own"
CSMITH = "csmith"       # on the command line: no program of our own
FLAVOURS = {
    OWN: None, "usual": "--no-packed-struct --max-funcs 6 --max-block-depth 4",
    "bitfields": "--no-packed-struct --bitfields --max-struct-fields 12 --max-funcs 6 --no-arrays",
    "volatile": "--no-packed-struct --max-funcs 6 --max-block-depth 3 --volatiles --volatile-pointers"
    " --strict-volatile-rule",
    "unions": "--no-packed-struct --max-funcs 6 --max-union-fields 8 --no-volatiles --max-block-depth 3",
    "long": "--no-packed-struct --max-funcs 3 --max-block-size 10 --max-block-depth 4",
    "many": "--no-packed-struct --max-funcs 25 --max-block-size 3 --max-block-depth 2 --max-expr-complexity 4",
    "expressions": "--no-packed-struct --max-funcs 6 --max-expr-complexity 20 --max-block-size 3"
    " --max-block-depth 3",
    "floats": "--no-packed-struct --max-funcs 6 --float --max-block-depth 4",
    "packed": "--packed-struct --max-funcs 6 --max-block-depth 4 --inline-function --builtins"
    " --disable-builtin-kinds x86",
    "pointers": "--no-packed-struct --max-funcs 8 --max-pointer-depth 4 --no-volatiles --max-block-depth 3",
    "deep": "--no-packed-struct --max-funcs 5 --max-block-depth 8 --max-block-size 2",
    "small": "--no-packed-struct --max-funcs 4 --max-block-size 3 --max-block-depth 3 --max-expr-complexity 6",
}

SANITIZED = "-O1 -g -DCO4_ANY_LIBRARY -fsanitize=address,undefined -fno-sanitize-recover=undefined"

# (name, compiler, flags): a program takes the one at its seed, so that names that occur twice come
# twice as often.
BUILDS = [
    ("gcc-O0", "gcc", "-O0"),
    ("clang-O2", "clang", "-O2"),
    ("gcc-O2", "gcc", "-O2"),
    ("clang-O0", "clang", "-O0"),
    ("gcc-sanitized", "gcc", SANITIZED),
    ("gcc-O2", "gcc", "-O2"),
    ("clang-O2", "clang", "-O2"),
    ("gcc-O0", "gcc", "-O0"),
    ("clang-sanitized", "clang", SANITIZED),
    ("gcc-O3", "gcc", "-O3"),
]

# The compilers that must agree about a plain program before it counts as one.
JUDGES = [("gcc", "-O0"), ("gcc", "-O3"), ("clang", "-O0"), ("clang", "-O2"), ("gcc", SANITIZED)]


@dataclasses.dataclass(frozen=True)
class Settings:
    """The test's subject and its tools."""
    weaver: str
    include: str
    library: str
    csmith_include: str
    modes: tuple

    @staticmethod
    def from_environment(modes=None):
        weaver = os.environ.get("CO4WEAVE", f"{ROOT}/build/bin/co4weave")
        return Settings(
            weaver=weaver,
            include=os.environ.get("CO4_INCLUDE", f"{ROOT}/include"),
            library=os.environ.get("CO4_LIBRARY", f"{ROOT}/build/lib/libco4.a"),
            csmith_include=os.environ.get("CSMITH_INCLUDE", "/usr/include/csmith"),
            modes=tuple(modes or modes_of(weaver)))


def modes_of(weaver):
    """The modes that this weaver knows."""
    known = ["woven", "forced"]
    said = subprocess.run([weaver, "--help"], capture_output=True, text=True, check=False).stdout
    if "--auto-yields" in said:
        known.append("yielding")
    if "--stress" in said:
        known += ["stress-1", "stress-2"]
    return known


def weaver_options(mode):
    if mode == "woven":
        return []
    if mode == "forced":
        return ["--force-pauses"]
    if mode == "yielding":
        return ["--auto-yields", "--force-pauses"]
    if mode.startswith("stress-"):
        return ["--stress=" + mode[len("stress-"):]]
    raise ValueError(f"no such mode: {mode}")


def is_marked(mode):
    """Does it weave what is marked? Stress weaves everything there is."""
    return not mode.startswith("stress-")


@dataclasses.dataclass(frozen=True)
class Case:
    seed: int
    flavour: str
    build: str
    compiler: str
    flags: str

    @staticmethod
    def of_seed(seed, flavour=None, build=None):
        names = [name for name, options in FLAVOURS.items() if options]
        if seed % 2 == 0 and flavour is None:
            flavour = OWN
        if flavour == CSMITH:
            flavour = names[seed % len(names)]
        name, compiler, flags = BUILDS[seed // 2 // len(names) % len(BUILDS)]
        if build is not None:
            name, compiler, flags = next(b for b in BUILDS if b[0] == build)
        return Case(seed, flavour or names[seed // 2 % len(names)], name, compiler, flags)


@dataclasses.dataclass
class Verdict:
    kind: str
    why: str = ""       # a line for people
    mode: str = ""      # in which it happened
    detail: str = ""    # all that was said
    seconds: float = 0.0
    has: list = dataclasses.field(default_factory=list)         # constructs of a program of our own
    crossed: list = dataclasses.field(default_factory=list)     # those in which it has paused


@dataclasses.dataclass
class Ran:
    status: object      # exit status; negative: the signal; "time" when stopped
    out: bytes
    err: bytes

    def failed(self):
        return self.status != 0


# A leak is no difference: frames of a task that exit() ends are one.
PROGRAM_ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:exitcode=99",
                           UBSAN_OPTIONS="print_stacktrace=1:exitcode=99")


def run(command, seconds, memory=None, folder=None, environment=None):
    """`seconds` are the processor's, so that a busy machine changes nothing. It ends also when
    its caller does not wait any more: creduce ends the trials it has no use for."""
    patience = 20 + 10 * seconds

    def limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    bounded = ["timeout", "-k", "1", str(math.ceil(patience) + 1), *command]
    with subprocess.Popen(bounded, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, cwd=folder,
                          env=PROGRAM_ENVIRONMENT | (environment or {}), preexec_fn=limits,
                          start_new_session=True) as child:
        try:
            out, err = child.communicate(timeout=patience)
            stopped = child.returncode == -signal.SIGXCPU
            return Ran("time" if stopped else child.returncode, out, err)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            out, err = child.communicate()
            return Ran("time", out, err)
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def generate(case, path):
    """Writes the program, without marks; false when csmith cannot."""
    if case.flavour == OWN:
        write(path, "#define UNMARKED" + programs.program(case.seed)[0])
        return True
    command = ["csmith", "--seed", str(case.seed), "-o", path] + FLAVOURS[case.flavour].split()
    # it leaves a file about the machine where it is run
    return not run(command, 60, folder=os.path.dirname(path)).failed() and os.path.exists(path)


def mark(case, text):
    """The program with each of its functions pausable, run by main."""
    if case.flavour == OWN:
        return text.removeprefix("#define UNMARKED")  # the line stays
    functions, main = text.split("\nint main", 1)
    functions = re.sub(r"(?m)^((?:inline )?static .*\bfunc_\d+\()", r"pausable \1", functions)
    main = re.sub(r"(?m)^(\s*)(func_\d+\(\));", r"\1co4_run(\2);", main)
    return "#include <co4.h>\n" + functions + "\nint main" + main


def includes(settings):
    return ["-I" + settings.include, "-I" + settings.csmith_include]


def build_plain(settings, compiler, flags, source, program):
    command = [compiler, "-w", "-DCO4_PLAIN", *flags.split(), *includes(settings), source,
               "-o", program, "-lm"]
    return run(command, COMPILE_SECONDS)


def is_traced(case, mode):
    """Does the program tell where it has paused? Each save is then a call, as under -Os, which
    tracer.c wraps."""
    return case.flavour == OWN and mode == "forced"


def weave(settings, case, mode, source, woven):
    command = [settings.weaver, *weaver_options(mode), "--cc=" + case.compiler, source, "-o", woven,
               "--", "-w", *case.flags.split(), *includes(settings)]
    if is_traced(case, mode):
        command.append("-D__OPTIMIZE_SIZE__")
    memory = None if b"__asan_" in weaver_symbols(settings.weaver) else WEAVE_BYTES
    return run(command, WEAVE_SECONDS, memory)


_symbols = {}


def weaver_symbols(weaver):
    """The weaver's bytes: a sanitized one cannot live within an address limit."""
    if weaver not in _symbols:
        with open(weaver, "rb") as file:
            _symbols[weaver] = file.read()
    return _symbols[weaver]


def save_symbol(settings):
    """The symbol of co4_abi_save_small: its name has the version of the ABI (abi.h)."""
    preprocessed = subprocess.run(
        ["cc", "-E", "-P", *includes(settings), "-x", "c", "-"], text=True, check=True,
        input="#include <co4/abi.h>\n", stdout=subprocess.PIPE).stdout
    return re.search(r"\bco4_abi_save_small\w*", preprocessed)[0]


def compile_woven(settings, case, mode, woven, program):
    command = [case.compiler, "-w", *case.flags.split(), *includes(settings), woven]
    if is_traced(case, mode):
        command += [f"{HERE}/tracer.c", f"-Wl,--wrap={save_symbol(settings)}"]
    command += [settings.library, "-pthread", "-lm", "-o", program]
    return run(command, COMPILE_SECONDS)


def documented_messages():
    """What tests/reject has, as patterns: a name between quotes may be another."""
    patterns = []
    folder = os.path.join(ROOT, "tests", "reject")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".c"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for said in re.findall(r"/\* error: (.*?) \*/", file.read()):
                parts = re.split(r"'[^']*'", said)
                patterns.append(re.compile("'[^']*'".join(re.escape(part) for part in parts)))
    return patterns


def first_error(text):
    for line in text.decode(errors="replace").splitlines():
        if "error" in line or "BUG" in line or "abort" in line.lower():
            return re.sub(r"(?:/[^/\s:]+)+/", "", line.strip())[:300]
    return (text.decode(errors="replace").strip().splitlines() or ["nothing was said"])[-1][:300]


def describe(status):
    if status == "time":
        return "did not end in time"
    if isinstance(status, int) and status < 0:
        return f"died of signal {-status}"
    return f"exit status {status}"


def judge_weaving(ran, documented):
    """The verdict over the weaver's own run; None: it wove."""
    if not ran.failed():
        return None
    said = ran.err.decode(errors="replace")
    if ran.status == "time" or ran.status not in (1,) or "Sanitizer" in said:
        return Verdict("weaver", f"{describe(ran.status)}: {first_error(ran.err)}", detail=said)
    errors = [line for line in said.splitlines() if ": error: " in line]
    known = errors and all(any(p.search(line) for p in documented) for line in errors)
    return Verdict("documented" if known else "refused", first_error(ran.err), detail=said)


def try_mode(settings, case, mode, source, reference, plain_seconds, work, documented):
    """One woven form of a program against what the plain one did."""
    woven, program = os.path.join(work, f"{mode}.woven.c"), os.path.join(work, mode)
    verdict = judge_weaving(weave(settings, case, mode, source, woven), documented)
    if verdict is None:
        built = compile_woven(settings, case, mode, woven, program)
        if built.failed():
            verdict = Verdict("compile", first_error(built.err),
                              detail=built.err.decode(errors="replace"))
    if verdict is None:
        lines = os.path.join(work, f"{mode}.lines")
        ran = run([program], WOVEN_SECONDS + 100 * plain_seconds, environment={"CO4_PAUSED": lines})
        said = ran.err.decode(errors="replace")
        if ran.status == "time":
            verdict = Verdict("hang", describe(ran.status), detail=said)
        elif ran.status != reference.status and (ran.status < 0 or ran.status == 99):
            verdict = Verdict("crash", f"{describe(ran.status)}: {first_error(ran.err)}",
                              detail=said)
        elif ran.status != reference.status:
            verdict = Verdict("mismatch", f"{describe(ran.status)}, not {reference.status}",
                              detail=said)
        elif ran.out != reference.out:
            verdict = Verdict("mismatch", "other output", detail=ran.out.decode(errors="replace"))
        else:
            verdict = Verdict("same")
            if is_traced(case, mode):
                note_crossed(case, lines, verdict)
    verdict.mode = mode
    return verdict


def note_crossed(case, lines, verdict):
    """What the program has, and which of it its pauses have crossed."""
    ranges = programs.program(case.seed)[1]
    with open(lines, encoding="utf-8") as file:
        paused = [int(line) for line in file]
    verdict.has = sorted({name for name, _, _ in ranges})
    verdict.crossed = constructs.crossed(ranges, paused)


def is_one_program(settings, source, reference, seconds, work):
    """Do all judges see the program that the reference run saw? Only asked when something
    differs. Of one that did not end they must end soon: a compiler may leave out a loop that
    does nothing, and takes long at it."""
    for compiler, flags in JUDGES:
        program = os.path.join(work, "judged")
        if build_plain(settings, compiler, flags, source, program).failed():
            return False
        ran = run([program], seconds)
        if (ran.status, ran.out) != (reference.status, reference.out):
            return False
    return True


def try_program(settings, case, marked, unmarked, work, documented):
    """All modes over one program. The plain form is built from the marked text, too: what a mark
    means there is nothing."""
    program = os.path.join(work, "plain")
    built = build_plain(settings, case.compiler, case.flags, marked, program)
    if built.failed():
        return Verdict("skipped", "plain does not build: " + first_error(built.err))
    began = time.monotonic()
    reference = run([program], PLAIN_SECONDS * (3 if "sanitize" in case.flags else 1))
    seconds = time.monotonic() - began
    if reference.status == "time":
        return Verdict("skipped", "plain does not end in time")
    if reference.status == 99 or reference.status < 0:
        return Verdict("skipped", "plain is undefined: " + first_error(reference.err))
    verdict, traced = Verdict("same"), Verdict("same")
    for mode in settings.modes:
        source = marked if is_marked(mode) else unmarked
        verdict = try_mode(settings, case, mode, source, reference, seconds, work, documented)
        if is_traced(case, mode):
            traced = verdict
        if verdict.kind != "same":
            break
    verdict.has, verdict.crossed = traced.has, traced.crossed
    if verdict.kind in ("mismatch", "crash", "hang") and \
            not is_one_program(settings, marked, reference,
                               3 * PLAIN_SECONDS if verdict.kind == "hang" else 60, work):
        return Verdict("skipped", "plain is undefined: its builds disagree", verdict.mode)
    return verdict


def try_case(settings, case, work, documented):
    """Generates and tries one case in an empty folder `work`."""
    began = time.monotonic()
    unmarked, marked = os.path.join(work, "unmarked.c"), os.path.join(work, "program.c")
    if generate(case, unmarked):
        with open(unmarked, encoding="utf-8") as file:
            write(marked, mark(case, file.read()))
        verdict = try_program(settings, case, marked, unmarked, work, documented)
    else:
        verdict = Verdict("skipped", "csmith makes none")
    verdict.seconds = time.monotonic() - began
    return verdict


def keep(settings, case, verdict, work, folder):
    """Leaves in `folder` what it takes to see the failure again."""
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(work):
        if name.endswith(".c"):
            shutil.copy(os.path.join(work, name), folder)
    source = "program.c" if is_marked(verdict.mode) else "unmarked.c"
    write(os.path.join(folder, "said.txt"), verdict.detail)
    about = dataclasses.asdict(case) | {
        "kind": verdict.kind, "mode": verdict.mode, "why": verdict.why, "source": source
    }
    write(os.path.join(folder, "case.json"), json.dumps(about, indent=2))
    write(os.path.join(folder, "again.sh"), again_script(settings, case, verdict, source))
    os.chmod(os.path.join(folder, "again.sh"), 0o755)


def again_script(settings, case, verdict, source):
    options = " ".join(weaver_options(verdict.mode))
    maker = f"programs.py {case.seed}" if case.flavour == OWN else \
        f"csmith --seed {case.seed} {FLAVOURS[case.flavour]}"
    return f"""#!/bin/sh
# {verdict.kind}: {verdict.why}
# made by {maker}
cd "$(dirname "$0")"
set -x
: "${{CO4WEAVE:={settings.weaver}}}" "${{CO4_INCLUDE:={settings.include}}}"
: "${{CO4_LIBRARY:={settings.library}}}" "${{CSMITH_INCLUDE:={settings.csmith_include}}}"
flags="-w {case.flags} -I$CO4_INCLUDE -I$CSMITH_INCLUDE"
{case.compiler} -DCO4_PLAIN $flags program.c -o plain -lm
./plain; echo "plain: $?"
$CO4WEAVE {options} --cc={case.compiler} {source} -o woven.c -- $flags &&
    {case.compiler} $flags woven.c $CO4_LIBRARY -pthread -lm -o woven &&
    {{ ./woven; echo "{verdict.mode}: $?"; }}
"""
