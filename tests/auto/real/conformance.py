"""conformance.py - suites of tests for threads of POSIX, whose threads are tasks (--auto=threads).

Purpose: posixtestsuite is the Open POSIX Test Suite, nptl are the tests of the GNU C Library for
its threads, with the support code that these need. Each test is built plain and woven, and run. Of
those that pass with threads, all pass as tasks, but for those that conformance.differs names, with
a reason each. Then a table follows, by families of calls.

Invariants: no line of a test is changed. A test that does not pass as tasks is run once more with
few others, which may have taken its time. The plain builds run before the woven ones: many tests
have names for files and semaphores that are the same in both."""

import collections
import concurrent.futures
import os
import re

from work import HERE, WEAVER, real

ARCHIVES = {
    "posixtestsuite": ("posixtestsuite", "1.5.2",
                       "15a2185672127cba851d35ec9d538ff6148defdbb75f99c7e9c50aeba0f94757"),
    "nptl": ("glibc", "2.36",
             "a543c02070d46ccaf866957efd13f10c924daa74c86a90a0254db09a92a708ee"),
}
NEEDS = ["ar"]
SECONDS = 60  # of one test
# The tests of a share, which take seconds.
SHARE = (r"pthread_(create|join|detach|exit|once|key_create|setspecific|mutex_\w*lock|cond_(signal|"
         r"broadcast)|rwlock_\w+lock|barrier_wait|spin_\w*lock)/1-1$|sem_(post|wait)/1-1$|tst-key2$")
FLAGS = "-O2 -w -pthread -D_GNU_SOURCE"
RESULTS = {0: "passes", 1: "fails", 2: "is unresolved", 4: "is unsupported", 5: "is untested",
           77: "is unsupported"}  # fmt: skip
CANCEL = r"\bx?pthread_(cancel|testcancel|setcancel\w*)\b"
KEEPS = r"\bxpthread_(cancel|mutexattr_setrobust|mutexattr_setprotocol)\b"

Test = collections.namedtuple("Test", "name family source text flags libraries")


def sources(name):
    return [ARCHIVES[name]]


# ---- the suites ----


def posix_tests(tree):
    for source in sorted((tree / "conformance" / "interfaces").glob("*/[0-9]*-[0-9]*.c")):
        call = source.parent.name
        if re.match(r"pthread_|sem_|sched_yield|sig(timed)?wait(info)?$", call):
            yield Test(f"{call}/{source.stem}", family(call), source, text_with_includes(source),
                       f"-D_XOPEN_SOURCE=600 -I{tree}/include", "-lrt -lm")  # fmt: skip


def nptl_tests(tree):
    found = [source for folder in ("nptl", "sysdeps/pthread")
             for source in (tree / folder).glob("tst-*.c")]  # fmt: skip
    for source in sorted(found, key=lambda source: source.stem):
        # built by special rules: modules, the same once more with other options of the compiler
        if not re.search(r"mod\w?\d?$|-static|-time64|aux$|-common$|cancelx|cleanupx|oncex|oncey",
                         source.stem):  # fmt: skip
            yield Test(source.stem, family(source.stem[4:]), source, text_with_includes(source),
                       f"-std=gnu11 -I{shim(tree)} -iquote {tree}/nptl -iquote "
                       f"{tree}/sysdeps/pthread -iquote {tree}/sysdeps/unix/sysv/linux",
                       "-lrt -lm -ldl")  # fmt: skip


def shim(tree):
    """A folder with the headers of the suite's support code and none of the library itself."""
    folder = tree / "headers"
    if not folder.exists():
        folder.mkdir()
        paths = re.findall(r"ifdef (\w+_PATH)", (tree / "support" / "support_paths.c").read_text())
        (folder / "config.h").write_text("#include <limits.h>\n#define TIMEOUTFACTOR 1\n" + "".join(
            f'#define {path} "/"\n' for path in paths))  # fmt: skip
        for name in ("support", "sysdeps", "posix", "test-skeleton.c", "include/array_length.h",
                     "include/libc-diag.h", "include/intprops.h"):  # fmt: skip
            (folder / name.rsplit("/", 1)[-1]).symlink_to(tree / name)
    return folder


def make_support(work, tree, variant, compiler):
    """Returns two archives of the support code, as far as it compiles without the library: the
    second has what would keep the threads of any program: pthread_cancel(), say."""
    folder = work.folder / f"support-{variant}"
    folder.mkdir(exist_ok=True)
    names = [source for source in sorted((tree / "support").glob("*.c"))
             if not re.match(r"tst-|test-|links-|.*-container|.*time64", source.stem)]  # fmt: skip

    def compile_one(source):
        return work.quiet(f"{compiler} {FLAGS} -std=gnu11 -include config.h -I{shim(tree)}"
                          f" -I{tree}/support -c {source} -o {folder}/{source.stem}.o",
                          folder, folder / f"{source.stem}.log", 120)  # fmt: skip

    each(work, compile_one, names)
    keeps = "xpthread_cancel.o xpthread_mutexattr_setrobust.o xpthread_mutexattr_setprotocol.o"
    work.run(f"rm -f *.a; ar qcs keeps.a {keeps} && rm {keeps} && ar qcs support.a *.o", folder)
    return f"{folder}/support.a", f"{folder}/keeps.a"


def family(name):
    names = ("barrier cond cnd mutex mtx rwlock spin once key tsd tss tls specific sem sig kill attr "
             "cancel cleanup join detach create exit fork sched robust stack").split()  # fmt: skip
    same = {"cnd": "cond", "mtx": "mutex", "tsd": "key", "tss": "key", "specific": "key",
            "tls": "key", "kill": "sig", "cleanup": "cancel", "robust": "mutex"}  # fmt: skip
    found = [word for word in names if word in name]
    return same.get(found[0], found[0]) if found else "others"


# ---- what is done with a test ----


def each(work, function, things):
    with concurrent.futures.ThreadPoolExecutor(work.jobs) as pool:
        return list(pool.map(function, things))


def text_with_includes(source):
    """The source, and those of the same folder that it includes: many name others."""
    text = source.read_text(errors="replace")
    for name in re.findall(r'^#\s*include\s+["<](?:sysdeps/pthread/)?([\w.-]+\.c)[">]', text,
                           re.MULTILINE):  # fmt: skip
        for folder in (source.parent, source.parent.parent / "sysdeps" / "pthread"):
            if (folder / name).exists():
                text += text_with_includes(folder / name)
                break
    return text


class Variant:
    """All tests of a suite, built with one compiler."""

    def __init__(self, work, name, compiler, libraries):
        self.work, self.name, self.compiler, self.libraries = work, name, compiler, libraries

    def folder(self, test):
        return self.work.folder / self.name / test.name.replace("/", ".")

    def build(self, test):
        folder = self.folder(test)
        (folder / "run").mkdir(parents=True, exist_ok=True)
        keeps = re.search(KEEPS, test.text)
        libraries = " ".join(reversed(self.libraries if keeps else self.libraries[:1]))
        return self.work.quiet(f"{self.compiler} {FLAGS} {test.flags} {test.source} -o {folder}/test "
                               f"{libraries} {test.libraries}",
                               folder, folder / "build.log", 300)  # fmt: skip

    def run(self, test):
        folder = self.folder(test)
        status = self.work.quiet("exec ../test", folder / "run", folder / "log", SECONDS)
        if status == "timeout":
            return "does not end"
        return RESULTS.get(status, f"ends by {-status}" if status < 0 else f"exits with {status}")

    def keeps(self, test):
        """Whether the link has said that its threads are no tasks."""
        return b"stay threads" in (self.folder(test) / "build.log").read_bytes()

    def result(self, test):
        return "does not build" if self.build(test) != 0 else self.run(test)


def read_differs(name):
    """The tests that do not pass as tasks: test -> reason. A reason that begins with "sometimes"
    is of one that may pass."""
    differs, reason = {}, None
    for line in (HERE / "conformance.differs").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if not line.startswith(" "):
            reason = line
            continue
        differs.update((test[1], reason) for test in (word.split(":", 1) for word in line.split())
                       if test[0] == name)  # fmt: skip
    return differs


def prove(work):
    tree = real.unpack(work.archives.get(*ARCHIVES[work.name]), work.folder / "tree")
    tests = list(posix_tests(tree) if work.name == "posixtestsuite" else nptl_tests(tree))
    if work.only:
        tests = [test for test in tests if re.search(work.only, test.name)]
    if work.share:
        tests = [test for test in tests if re.search(SHARE, test.name)]
    compilers = {"plain": "cc", "woven": f"{WEAVER} --auto=threads cc"}
    variants = {}
    for name, compiler in compilers.items():
        archives = make_support(work, tree, name, compiler) if work.name == "nptl" else ()
        variants[name] = Variant(work, name, compiler, archives)
    plain = dict(zip(tests, each(work, variants["plain"].result, tests)))
    tests = [test for test in tests if plain[test] == "passes"]
    work.say(f"{len(tests)} of {len(plain)} tests pass with threads")
    woven = dict(zip(tests, each(work, variants["woven"].result, tests)))
    again = [test for test in tests if woven[test] not in ("passes", "does not build")]
    work.jobs = 2
    woven.update(zip(again, each(work, variants["woven"].run, again)))
    tell(work, tests, woven, variants["woven"].keeps)


def tell(work, tests, woven, keeps):
    differs = read_differs(work.name)
    table = collections.defaultdict(collections.Counter)
    reasons = collections.Counter()
    wrong = []
    for test in tests:
        passes, known = woven[test] == "passes", differs.get(test.name)
        row = table["cancel" if re.search(CANCEL, test.text) else test.family]
        row.update(all=1, passes=int(passes), keeps=int(keeps(test)))
        reasons[known] += not passes
        if (passes and known and not known.startswith("sometimes")) or not (passes or known):
            wrong.append(test)
            work.say(f"{test.name}: as tasks it {woven[test]}")
    table["together"] = sum(table.values(), collections.Counter())
    for group, row in table.items():
        work.say(f"{group}: {row['passes']} of {row['all']} pass; "
                 f"{row['keeps']} keep their threads, as the link says")
    for reason, count in reasons.most_common():
        if reason and count:
            work.say(f"{count} differ: {reason}")
    work.check(not wrong, f"{len(wrong)} tests do not do what conformance.differs says")
