"""many.py - clients of servers whose every call blocks: a thread for each session (--auto=threads).

A library is built by its own build system, plain and woven; no line is changed. Its own tests pass
in a thread (programs/in_thread.c): plain, as a task, and, with --bench, as one that pauses wherever
it may. Then a program has many sessions wait in a call of the library at once, with threads and
with tasks (programs/many.h). With --bench these are MOST."""

import concurrent.futures
import getpass
import re
import shutil
import socket
from pathlib import Path

import sshd
from work import HERE, SERVER_SECONDS, Missing, free_port

RABBITMQ = ("librabbitmq", "0.11.0",
            "437d45e0e35c18cf3e59bcfe5dfe37566547eb121e69fca64b98f5d2c1c2d424")  # fmt: skip
MOSQUITTO = ("mosquitto", "2.0.11",
             "7b36a7198bce85cf31b132f5c6ee36dcf5dadf86fb768501eb1e11ce95d4f78a")
SSH2 = ("libssh2", "1.10.0", "2d64e90f3ded394b91d3a2e774ca203a4179f69aebee03003e5a6fa621e41d51")
# Where a build asks the compiler for more than compilations, co4weave stands before those alone.
CMAKE = 'before=$(echo ${CC%cc} | tr " " ";"); CC=cc cmake -S . -B b ' \
        '-DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER_LAUNCHER="$before" ' \
        '-DCMAKE_C_LINKER_LAUNCHER="$before" '
BUILDS = {
    "librabbitmq": (RABBITMQ, CMAKE + "-DENABLE_SSL_SUPPORT=OFF -DBUILD_SHARED_LIBS=OFF "
                    "-DBUILD_EXAMPLES=OFF -DBUILD_TOOLS=OFF -DBUILD_API_DOCS=OFF && make -C b"),
    # It waits by pselect(), whose sets have 1024 descriptors; large_sets.h makes them larger.
    "mosquitto": (MOSQUITTO, 'make -C lib CC="$CC" WITH_TLS=no WITH_STATIC_LIBRARIES=yes '
                  f"WITH_SHARED_LIBRARIES=no CFLAGS='-O2 -include {HERE}/programs/large_sets.h'"),
    "libssh2": (SSH2, "./configure --disable-shared --disable-examples-build --without-libz "
                '--with-crypto=openssl CC="$CC" CFLAGS=-O2 && make -C src'),
}  # fmt: skip
COMMANDS = {"librabbitmq": ["cmake"], "mosquitto": ["mosquitto"],
            "libssh2": [sshd.PROGRAM, "ssh-keygen", "flock"]}  # fmt: skip
NEEDS = ["make"]
SESSIONS, MOST = 200, 1000
WORKERS = 2
POOL = 64
FIXED_PORT, FIXED_SSH_PORT = 5672, 4711  # in tests of librabbitmq and libssh2
FORMS = {"plain": None, "tasks": "=threads", "forced": "=threads --force-pauses"}


def sources(name):
    return [BUILDS[name][0]]


def prove(work):
    for need in COMMANDS[work.name]:
        if not shutil.which(need):
            raise Missing(f"there is no {need}: scripts/prepare real")
    part = {"librabbitmq": Rabbitmq, "mosquitto": Mosquitto,
            "libssh2": Ssh2}[work.name](work)
    command = BUILDS[work.name]
    plain, before = work.build(*command, "plain")
    woven, seconds = work.build(*command, "auto", options="=threads")
    work.say(f"build: {before:.0f} s plain, {seconds:.0f} s woven")
    trees = {"plain": plain, "tasks": woven, "forced": woven}
    for form, tree in trees.items():
        if form != "forced" or work.bench:
            work.say(f"{part.own_tests(form, tree)} of its own tests pass, {form}")
    wait_at_once(work, part, {form: trees[form] for form in ("plain", "tasks")})


def wait_at_once(work, part, trees):
    count = MOST if work.bench else SESSIONS
    work.need_files(part.FILES * count + 200)
    server = part.start(count)
    programs, measured = [], []
    for form, tree in trees.items():
        program = work.program(f"{work.name}-{form}", ["many.c", part.PROGRAM], form != "plain",
                               part.arguments(tree), options=FORMS[form] or "")  # fmt: skip
        said = work.run(f"{program} {server} {count}", work.folder, 240, CO4_WORKERS=str(WORKERS))
        threads, memory = map(int, re.search(r"wait: (\d+) threads, (\d+) KB", said).groups())
        work.check(f"{count} of {count} sessions end well" in said, f"{form}: {said}")
        cpu = float(re.search(r"([0-9.]+) s of processors", said)[1])
        work.say(f"{count} sessions wait at once, {form}: {threads} threads, {memory} KB, "
                 f"{cpu:.2f} s of processors")
        programs.append(program)
        measured.append((threads, memory, cpu))
    (plain, more, _), (woven, less, _) = measured
    work.check(plain > count, "the plain program has no thread for each session")
    # that of main, the monitor, and those of the pool
    work.check(woven <= WORKERS + 2 + POOL, f"the woven program has {woven} threads")
    # of few sessions on a busy machine, where spare workers stand by, the stacks of these count
    work.check(less < more or not work.bench, "the woven program has no less memory")
    work.say_colours(programs[1], part.ARCHIVE)
    work.say_size("-O2", *(work.text_bytes(program, re.escape(part.ARCHIVE))
                           for program in programs), 3.5)


def is_open(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


class Part:
    """What a proof of a library knows; `tree`: as built, plain or woven."""

    FILES = 1  # for each session
    port = None

    def __init__(self, work):
        self.work = work
        (work.folder / "tests").mkdir(exist_ok=True)

    def in_thread(self, form, name, files, arguments, void=False):
        """Builds a test of the library whose main() runs in a thread; returns the program."""
        program = self.work.folder / "tests" / f"{name}-{form}"
        compiler = self.work.compiler(form != "plain", FORMS[form])
        void = "-DTEST_MAIN_VOID" if void else ""
        log = Path(f"{program}.log")
        status = self.work.quiet(
            f"{compiler} -w -Dmain=test_main {files[0]} {arguments} -c -o {program}.o && "
            f"{compiler} -w {void} {HERE}/programs/in_thread.c {program}.o "
            f"{' '.join(files[1:])} {arguments} -pthread -o {program}",
            self.work.folder, log, 300)  # fmt: skip
        self.work.check(status == 0, f"{name} does not build: see {log}")
        return program


class Rabbitmq(Part):
    """A broker of ours; Debian's takes longer to begin than all else here takes together."""

    PROGRAM, ARCHIVE = "rabbitmq_session.c", "librabbitmq.a"

    def server(self, port):
        self.work.server(["python3", str(HERE / "amqp_server.py"), str(port),
                          str(SERVER_SECONDS)], lambda: is_open(port))  # fmt: skip
        return port

    def own_tests(self, form, tree):
        count = 0
        names = re.findall(r"^add_executable\((test_\w+)", (tree / "tests/CMakeLists.txt")
                           .read_text(), re.MULTILINE)  # fmt: skip
        for name in names:
            files = [f"{tree}/tests/{name}.c"]
            if name == "test_hostcheck":
                files.append(f"{tree}/librabbitmq/amqp_hostcheck.c")
            if name == "test_basic" and not self.at_fixed_port():
                continue
            program = self.in_thread(form, name, files, f"-DHAVE_CONFIG_H -I{tree}/b/librabbitmq "
                                     + self.arguments(tree), void=True)  # fmt: skip
            self.work.run(program, tree / "b" / "tests", 60)
            count += 1
        return count

    def at_fixed_port(self):
        """Is the broker at the port that a test asks for? It may be taken."""
        if not self.work.servers and not is_open(FIXED_PORT):
            self.port = self.server(FIXED_PORT)
        return self.port == FIXED_PORT

    def arguments(self, tree):
        return (f"-DAMQP_STATIC -I{tree}/librabbitmq {tree}/b/librabbitmq/librabbitmq.a")

    def start(self, _):
        return self.port or self.server(free_port())


CONF = """listener {port} 127.0.0.1
allow_anonymous true
persistence false
user root
log_type error
max_queued_messages 0
max_inflight_messages 0
"""


class Mosquitto(Part):
    """The broker is Debian's."""

    PROGRAM, ARCHIVE = "mosquitto_session.c", "libmosquitto.a"
    FILES = 3  # a pair of sockets wakes its thread
    # Tests of TLS, and one whose program may end before its script has read all: also plain.
    LEFT = "ssl|maximum-qos-1"

    def own_tests(self, form, tree):
        """Each is a program, and a script that is its broker; less those of TLS."""
        folder = tree / "test" / "lib"
        makefile = (folder / "Makefile").read_text()
        rules = re.search(r"^c : .*?^$", makefile, re.MULTILINE | re.DOTALL)[0]
        tests = [test for test in re.findall(r"^\t\./(\S+) \$@/(\S+)$", rules, re.MULTILINE)
                 if not re.search(self.LEFT, test[0])]  # fmt: skip

        def make(source):
            if not re.search(self.LEFT, source.name):
                program = self.in_thread(form, source.stem, [source], self.arguments(tree))
                shutil.copy(program, source.with_suffix(".test"))

        def passes(test):
            log = self.work.folder / "tests" / f"{test[1]}-{form}.log"
            return self.work.quiet(f"python3 {HERE}/on_loopback.py {test[0]} c/{test[1]} "
                                   f"{free_port()}", folder, log, 60) == 0  # fmt: skip

        with concurrent.futures.ThreadPoolExecutor(self.work.jobs) as pool:
            list(pool.map(make, (folder / "c").glob("*.c")))
            failed = [test for test, good in zip(tests, pool.map(passes, tests)) if not good]
        failed = [test for test in failed if not passes(test)]
        self.work.check(not failed, f"{form}: its own tests fail: {failed}")
        return len(tests)

    def arguments(self, tree):
        return f"-I{tree}/include {tree}/lib/libmosquitto.a"

    def start(self, _):
        port = free_port()
        conf = self.work.sockets / "mosquitto.conf"
        conf.write_text(CONF.format(port=port))
        self.work.server(["mosquitto", "-c", str(conf)], lambda: is_open(port))
        return port


class Ssh2(Part):
    """The server is Debian's sshd, which runs as the user who runs this. OpenSSL is a shared
    library, and stays plain."""

    PROGRAM, ARCHIVE = "ssh_session.c", "libssh2.a"

    def own_tests(self, form, tree):
        """Less those that want a container with a server in it."""
        keys, count = tree / "tests" / "etc", 0
        for name in ("simple", "ssh2"):
            if name == "ssh2" and not self.at_fixed_port(keys):
                continue
            program = self.in_thread(form, name, [tree / "tests" / f"{name}.c"],
                                     f"-I{tree}/src {self.arguments(tree)}")  # fmt: skip
            self.work.run(str(program), tree / "tests", 60, USER=getpass.getuser())
            count += 1
        return count

    def at_fixed_port(self, keys):
        if self.port is None:
            self.port = 0 if is_open(FIXED_SSH_PORT) else FIXED_SSH_PORT
            if self.port:
                (keys / "host").chmod(0o600)
                sshd.start(self.work, self.port, keys / "host", keys / "user.pub",
                           "HostKeyAlgorithms +ssh-rsa,ssh-dss\n"
                           "PubkeyAcceptedAlgorithms +ssh-rsa,ssh-dss\n")  # fmt: skip
        return self.port

    def arguments(self, tree):
        return f"-I{tree}/include {tree}/src/.libs/libssh2.a -lcrypto"

    def start(self, _):
        folder, port = sshd.make_keys(self.work), free_port()
        sshd.start(self.work, port, folder / "host", folder / "user.pub")
        return f"{port}:{folder}:{getpass.getuser()}"
