"""peers.py - the systems that co4 is compared with: how each is built, in which forms it runs,
and the workloads.

A peer is a folder here with one program (or one program built in several ways). Its program
takes `[--workers N] WORKLOAD SIZE`, prints one line of JSON, and with --list says which
workloads it has; so a peer is added by a folder and an entry below.
"""
import glob
import os
import shutil
import subprocess
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
ROOT = os.path.dirname(BENCH)


@dataclass
class Workload:
    name: str
    size: int
    quick: int  # the size of --quick, and of the tests
    unit: str  # of the value
    group: str
    what: str  # the operation, of which SIZE are done


WORKLOADS = [
    Workload("call_fib", 3, 1, "ns", "calls", "a call, in fib(32)"),
    Workload("call_tak", 100, 1, "ns", "calls", "a call, in tak(18, 12, 6)"),
    Workload("call_ackermann", 10, 1, "ns", "calls", "a call, in ackermann(3, 7)"),
    Workload("yield", 20_000_000, 20_000, "ns", "generators", "a value of a loop"),
    Workload("deep_yield_4", 4_000_000, 5_000, "ns", "generators",
             "a value of a walk through a tree of depth 4"),
    Workload("deep_yield_8", 4_000_000, 5_000, "ns", "generators", "… of depth 8"),
    Workload("deep_yield_12", 4_000_000, 5_000, "ns", "generators", "… of depth 12"),
    Workload("deep_yield_16", 4_000_000, 5_000, "ns", "generators", "… of depth 16"),
    Workload("deep_yield_20", 4_000_000, 5_000, "ns", "generators", "… of depth 20"),
    Workload("ring", 2_000_000, 2_000, "ns", "messages",
             "a hop of a token, 503 tasks, buffers of 1"),
    Workload("ping_pong", 1_000_000, 1_000, "ns", "messages",
             "a round trip between two tasks, buffers of 1"),
    Workload("fan_in", 500_000, 1_000, "ns", "messages",
             "a message, 8 producers, one buffer of 300"),
    Workload("select_8", 200_000, 500, "ns", "messages",
             "a message, selected from 8 buffers of 300"),
    Workload("skynet", 1_000_000, 1_000, "ms", "tasks",
             "a tree of a million tasks, ten children each"),
    Workload("spawn", 1_000_000, 2_000, "ns", "tasks", "a task that ends at once"),
    Workload("yield_two", 2_000_000, 2_000, "ns", "tasks", "two tasks yield to each other"),
    Workload("timer_cancel", 1_000_000, 1_000, "ns", "tasks",
             "a task that waits for at most an hour and is told to stop"),
    Workload("timer_fire", 1_000_000, 1_000, "ns", "tasks", "a task that sleeps 1 to 10 ms"),
    Workload("parked_bytes", 1_000_000, 2_000, "bytes", "memory",
             "a task that waits at a buffer all share"),
    Workload("parked_own_bytes", 1_000_000, 2_000, "bytes", "memory", "… at a buffer of its own"),
    Workload("wake_p50", 500, 50, "ns", "wakes",
             "half of the messages are received within this time, beside four tasks a worker that "
             "compute for 20 µs a step"),
    Workload("wake_p99", 1_000, 50, "ns", "wakes", "99 % of them"),
    Workload("wake_p999", 3_000, 50, "ns", "wakes", "99.9 % of them"),
    Workload("wake_5us_p50", 1000, 10, "ns", "wakes", "the same, steps of 5 µs"),
    Workload("wake_5us_p99", 1000, 10, "ns", "wakes", "99 % of them"),
    Workload("wake_200us_p50", 300, 10, "ns", "wakes", "… of 200 µs"),
    Workload("wake_200us_p99", 300, 10, "ns", "wakes", "99 % of them"),
    Workload("wake_1ms_p50", 100, 10, "ns", "wakes", "… of 1 ms"),
    Workload("wake_1ms_p99", 100, 10, "ns", "wakes", "99 % of them"),
    Workload("wake_5ms_p50", 50, 10, "ns", "wakes", "… of 5 ms"),
    Workload("wake_5ms_p99", 50, 10, "ns", "wakes", "99 % of them"),
    Workload("sleep_5us_p50", 300, 10, "ns", "sleeps",
             "how late a sleep of 1 ms ends beside them, steps of 5 µs"),
    Workload("sleep_5us_p99", 300, 10, "ns", "sleeps", "99 % of them"),
    Workload("sleep_200us_p50", 300, 10, "ns", "sleeps", "… of 200 µs"),
    Workload("sleep_200us_p99", 300, 10, "ns", "sleeps", "99 % of them"),
    Workload("sleep_5ms_p50", 50, 10, "ns", "sleeps", "… of 5 ms"),
    Workload("sleep_5ms_p99", 50, 10, "ns", "sleeps", "99 % of them"),
    Workload("nqueens", 14, 8, "ms", "processors", "14 queens, a task for each two rows"),
    Workload("matmul", 1024, 128, "ms", "processors",
             "product of two 1024 × 1024 matrices, four tasks a level"),
]

CALLS = ("call_fib", "call_tak", "call_ackermann")
DEEP = ("deep_yield_4", "deep_yield_8", "deep_yield_12", "deep_yield_16", "deep_yield_20")
GENERATORS = ("yield",) + DEEP
PARKED = ("parked_bytes", "parked_own_bytes")
PROCESSORS = ("nqueens", "matmul")


@dataclass
class Column:
    """One way in which a peer runs: a row of the tables."""
    key: str
    title: str
    program: list  # command; {build} and {root} are filled in
    workers: int = 1  # 1: pinned to one processor
    alone: str = ""  # the key of the same with one worker
    only: tuple = ()  # of the workloads that --list says; (): all
    without: tuple = ()
    sizes: dict = field(default_factory=dict)  # where it is slow or large: SIZE of a workload


@dataclass
class Peer:
    key: str
    needs: tuple  # commands, and files as patterns, without which it is not there
    builds: list  # commands; {build} {here} {bench} {root} are filled in
    columns: list
    version: list = field(default_factory=list)  # a command; its first line
    package: str = ""  # Debian's, whose version is reported, too
    notes: str = ""  # where the work is not quite the same

    def missing(self):
        """What is not there, or ''."""
        for need in self.needs:
            if not (glob.glob(need) if need.startswith("/") else shutil.which(need)):
                return need
        return ""

    def build(self, folder, log):
        """The programs in `folder`; False when a command fails, whose output is in the file
        `log`."""
        with open(log, "w", encoding="utf-8") as out:
            for command in self.builds:
                command = [fill(word, folder) for word in command]
                print("+", *command, file=out, flush=True)
                try:
                    if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT,
                                      check=False).returncode != 0:
                        return False
                except OSError as error:
                    print(error, file=out)
                    return False
        return True


def fill(word, folder):
    return word.format(build=folder, here=HERE, bench=BENCH, root=ROOT)


def fast(*names, size):
    return dict.fromkeys(names, size)


CC = ["gcc", "-O2"]
CXX = ["g++", "-std=c++20", "-O2"]
PLAIN = ["{here}/plain/plain.c", "{bench}/plain.c", "-o"]
SLOW_YIELDS = fast(*GENERATORS, size=1_000_000)
STACKS = fast(*PARKED,
              size=100_000)  # of 16 KiB: a million would be all of a small machine's memory

GO = {**SLOW_YIELDS, "timer_cancel": 200_000}
ERLANG = {
    **fast(*GENERATORS, size=500_000), "ring": 1_000_000, "ping_pong": 500_000, "fan_in": 200_000,
    "timer_cancel": 200_000, "timer_fire": 200_000, "wake_p999": 1_000
}
CAF = {
    "ring": 1_000_000, "ping_pong": 300_000, "spawn": 100_000, "fan_in": 100_000,
    "yield_two": 1_000_000, "timer_fire": 50_000
}

PEERS = [
    Peer("co4", ("cmake", ), [], [
        Column("co4_2", "co4, 2 workers", ["{root}/build/bin/co4bench", "--raw"], workers=2,
               alone="co4", without=CALLS + GENERATORS + PARKED),
        Column("co4", "co4, 1 worker", ["{root}/build/bin/co4bench", "--raw"]),
    ], ["git", "-C", ROOT, "describe", "--always", "--dirty"]),
    Peer(
        "c", ("gcc", ), [
            CC + PLAIN + ["{build}/plain"],
            CC + ["-fno-optimize-sibling-calls"] + PLAIN + ["{build}/plain-calls"], CC +
            ["-pthread", "{here}/pthreads/pthreads.c", "{bench}/plain.c", "-o", "{build}/pthreads"],
        ], [
            Column("c", "plain C", ["{build}/plain"], only=CALLS + DEEP + PROCESSORS),
            Column("c_calls", "plain C, -fno-optimize-sibling-calls", ["{build}/plain-calls"],
                   only=CALLS),
            Column("machine", "state machines in C, on a queue for one thread", ["{build}/plain"],
                   without=CALLS + DEEP + PROCESSORS),
            Column(
                "pthreads", "a pthread per task, mutex and condition variables",
                ["{build}/pthreads"], workers=2, alone="pthreads_1", sizes={
                    "ring": 50_000, "ping_pong": 50_000, "fan_in": 50_000, "spawn": 50_000,
                    "yield_two": 500_000, "parked_bytes": 10_000, "parked_own_bytes": 10_000
                }),
            Column("pthreads_1", "the same on one processor", ["{build}/pthreads"],
                   only=PROCESSORS),
        ], ["gcc", "--version"], notes=
        """plain C walks the tree with a callback, which cannot stop half-way; a thread per task has
fewer messages and tasks, for they are slow, and 16 KiB of stack."""),
    Peer(
        "cxx20", ("g++", ), [CXX + ["{here}/cxx20/cxx20.cpp", "-o", "{build}/cxx20"]],
        [Column("cxx20", "C++20 coroutines, on a queue for one thread", ["{build}/cxx20"]), ],
        ["g++", "--version"], notes=
        "its run queue and channels are hand-written, without locks, timers, cancelling: a floor."),
    Peer(
        "fibers", ("g++", "/usr/include/boost/context/fiber.hpp"),
        [CXX + ["{here}/fibers/fibers.cpp", "-o", "{build}/fibers", "-lboost_context"]], [
            Column("context", "Boost.Context, on a queue for one thread", ["{build}/fibers"],
                   sizes=STACKS),
        ], package="libboost-context-dev",
        notes="""its run queue and channels are hand-written; a new task runs at once, so that few of
its stacks of 16 KiB are in use in skynet and spawn; 100,000 parked tasks."""),
    Peer("ucontext", ("g++", ),
         [CXX + ["-DUCONTEXT", "{here}/fibers/fibers.cpp", "-o", "{build}/ucontext"]], [
             Column(
                 "ucontext", "ucontext, on a queue for one thread", ["{build}/ucontext"], sizes={
                     **SLOW_YIELDS, **STACKS, "ring": 500_000, "ping_pong": 200_000,
                     "yield_two": 500_000
                 }),
         ], ["ldd", "--version"], notes="as Boost.Context."),
    Peer(
        "coroutine2", ("g++", "/usr/include/boost/coroutine2/coroutine.hpp",
                       "/usr/include/boost/context/fiber.hpp"),
        [CXX + ["{here}/coroutine2/coroutine2.cpp", "-o", "{build}/coroutine2", "-lboost_context"]],
        [Column("coroutine2", "Boost.Coroutine2", ["{build}/coroutine2"], sizes=SLOW_YIELDS), ],
        package="libboost-coroutine-dev"),
    Peer("go", ("go", ), [["go", "build", "-o", "{build}/go-peer", "{here}/go/main.go"]], [
        Column("go_2", "Go, GOMAXPROCS=2", ["{build}/go-peer"], workers=2, alone="go",
               without=CALLS + PARKED, sizes=GO),
        Column("go", "Go, GOMAXPROCS=1", ["{build}/go-peer"], sizes=GO),
    ], ["go", "version"],
         notes="a generator is a goroutine that sends through a channel without buffer."),
    Peer(
        "tokio", ("cargo", "/usr/share/cargo/registry/tokio-1*"),
        [["cp", "-r", "{here}/tokio/.", "{build}/tokio"],
         [
             "cargo", "build", "--release", "--offline", "--manifest-path",
             "{build}/tokio/Cargo.toml", "--config", "{here}/tokio/.cargo/config.toml"
         ], ], [
             Column("tokio_2", "Tokio, multi_thread, 2 workers",
                    ["{build}/tokio/target/release/peer"], workers=2, alone="tokio",
                    without=CALLS + GENERATORS + PARKED),
             Column("tokio", "Tokio, current_thread; async functions polled by hand",
                    ["{build}/tokio/target/release/peer"]),
         ], ["rustc", "--version"], package="librust-tokio-dev",
        notes="""a timer has a grain of 1 ms; a task parked at one thing that all share waits
for a permit of a semaphore, for a channel has one receiver."""),
    Peer(
        "erlang", ("erlc", "erl"), [["erlc", "-o", "{build}", "{here}/erlang/co4_peer.erl"]], [
            Column("erlang_2", "Erlang, 2 schedulers", ["{here}/erlang/run", "{build}"], workers=2,
                   alone="erlang", without=CALLS + GENERATORS + PARKED, sizes=ERLANG),
            Column("erlang", "Erlang, 1 scheduler", ["{here}/erlang/run", "{build}"], sizes=ERLANG),
        ], ["dpkg-query", "-W", "-f", "${Package} ${Version}", "erlang-base"],
        notes="""mailboxes without bound: nobody who
sends is held back; a generator is asked for each value by a message."""),
    Peer(
        "caf", ("g++", "/usr/include/caf/all.hpp"), [
            CC + ["-c", "{bench}/plain.c", "-o", "{build}/plain.o"],
            [
                "g++", "-std=c++17", "-O2", "{here}/caf/caf.cpp", "{build}/plain.o", "-o",
                "{build}/caf", "-lcaf_core", "-pthread"
            ],
        ], [
            Column("caf_2", "CAF, 2 workers", ["{build}/caf"], workers=2, alone="caf",
                   without=PARKED, sizes=CAF),
            Column("caf", "CAF, 1 worker", ["{build}/caf"], sizes=CAF),
        ], package="libcaf-dev", notes=
        "mailboxes without bound, as Erlang's; no generators, for an actor does not wait in the middle."
    ),
]


def find(key):
    for peer in PEERS:
        if peer.key == key:
            return peer
    return None
