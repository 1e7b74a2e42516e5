"""list.py - the proofs of scripts/proofs: code from outside, what is checked, what must be found.

Extend: an entry of PROOFS, its program beside. A fault is a change of one place in a copy of the
sources that a search must find; a weakness is a way to run the program as it is in which it fails:
as the project says, or as docs/proofs.md argues."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


@dataclass
class Fault:
    name: str
    file: str  # below the source's folder
    before: str
    after: str
    run: tuple = ()  # arguments of the program
    seeds: int = 500


@dataclass
class Weakness:
    name: str
    run: tuple
    said: str  # what the output has, a pattern
    seeds: int = 3000


@dataclass
class Proof:
    name: str
    source: tuple  # Debian's, its version, the SHA-256 of its archive; (): our own
    checked: str
    program: str
    flags: str  # of the program; {tree}: the source's folder
    build: str = "true"  # shell text in that folder, with CC; run again after a fault is planted
    options: str = "--crash"  # of co4test
    seeds: int = 10000
    runs: tuple = ((),)  # arguments, for each run that must not fail
    faults: tuple = ()
    weaknesses: tuple = ()
    decisions: tuple = ()  # options of co4weave beside
    nodes: str = ""  # for several machines: the file, which names the program as `binary`
    binary: str = ""
    beside: tuple = ()  # further sources: each is unpacked in a folder of the first, by its name
    own: tuple = ()  # our folders that the tree has, by their names; (): it is examples/
    needs: tuple = ()  # libraries of the system, as pkg-config calls them


LMDB = "libraries/liblmdb"
DB = "build_unix"
EVENT = "libevent/libevent-2.1.12-stable"
MEMCACHED = ("-u", "root", "-U", "0", "-t", "2")
UV = ("fs-poll idna inet random strscpy strtok threadpool timer uv-common uv-data-getter-setters "
      "version unix/async unix/core unix/dl unix/epoll unix/fs unix/getaddrinfo unix/getnameinfo "
      "unix/linux-core unix/linux-inotify unix/linux-syscalls unix/loop unix/loop-watcher unix/pipe "
      "unix/poll unix/process unix/procfs-exepath unix/proctitle unix/random-devurandom "
      "unix/random-getrandom unix/random-sysctl-linux unix/signal unix/stream unix/tcp unix/thread "
      "unix/tty unix/udp").split()
PQ = "src/interfaces/libpq"
AOF = ("--save", "", "--appendonly", "yes", "--appendfsync", "always", "--bind", "127.0.0.1",
       "--auto-aof-rewrite-percentage", "0", "--loglevel", "warning", "--crash-log-enabled", "no",
       "--crash-memcheck-enabled", "no")  # fmt: skip

PROOFS = (
    Proof(
        "lmdb",
        ("lmdb", "0.9.24", "8e7200fdc9bb09b0cfad1d4eee8b20d539e43fe05c7ef9406247d64659c4a480"),
        "two writers; after each crash a whole tree with all acknowledged transactions",
        "lmdb.c",
        # robust mutexes stay the system's
        f"-DMDB_USE_ROBUST=0 -I{{tree}}/{LMDB} {{tree}}/{LMDB}/mdb.c {{tree}}/{LMDB}/midl.c",
        faults=(
            Fault("the root is written before its pages are synced", f"{LMDB}/mdb.c",
                  "(rc = mdb_env_sync(env, 0)) ||\n\t\t(rc = mdb_env_write_meta(txn))",
                  "(rc = mdb_env_write_meta(txn)) ||\n\t\t(rc = mdb_env_sync(env, 0))"),
            Fault("no sync of pages", f"{LMDB}/mdb.c",
                  "if ((rc = mdb_page_flush(txn, 0)) ||\n\t\t(rc = mdb_env_sync(env, 0)) ||",
                  "if ((rc = mdb_page_flush(txn, 0)) ||"),
            Fault("writers do not lock", f"{LMDB}/mdb.c",
                  "if (LOCK_MUTEX(rc, env, env->me_wmutex))\n\t\t\t\treturn rc;", ""),
        ),
        weaknesses=(
            Weakness("MDB_NOSYNC", ("nosync",), "is lost|is torn|mdb_|SIGBUS|SIGSEGV"),
            Weakness("a crash while it makes the file", ("create",), "MDB_INVALID"),
        ),
    ),
    Proof(
        "berkeleydb",
        ("db5.3", "5.3.28+dfsg2",
         "ad41b507415dec8316e828b2230242af2251d2c86eefa3c7aa9ef47c5239ef33"),
        "two writers; after each crash DB_RECOVER, DB->verify, all acknowledged transactions",
        "berkeleydb.c",
        f"-I{{tree}}/{DB} {{tree}}/{DB}/libdb.a",
        f"cd {DB} && {{ [ -f Makefile ] || ../dist/configure --disable-shared"
        " --disable-replication CFLAGS='-g -O1 -w'; } && make libdb.a",
        faults=(
            Fault("a commit does not sync the log", "src/log/log_put.c",
                  "if ((ret = __os_fsync(env, dblp->lfhp)) != 0) {", "if (0) {"),
        ),
        weaknesses=(
            Weakness("DB_TXN_NOSYNC", ("nosync",), "is lost"),
            Weakness("a second log, whose name is not synced", ("logs",), "is lost"),
            Weakness("a crash in the recovery of a file's making", ("create",),
                     "DB_VERIFY_BAD|verify|open", 10000),
        ),
    ),
    Proof(
        "redis",
        ("redis", "7.0.15", "4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982"),
        "redis-server, its threads, two clients, appendfsync always; after each crash all "
        "acknowledged transactions",
        "redis.c",
        "-I{tree}/deps/hiredis -rdynamic {tree}/src/server.a {tree}/deps/hiredis/libhiredis.a"
        " {tree}/deps/lua/src/liblua.a {tree}/deps/hdr_histogram/libhdrhistogram.a -lm -ldl -lrt",
        "make MALLOC=libc OPTIMIZATION=-O1 REDIS_CFLAGS='-Dmain=redis_main -w' USE_SYSTEMD=no"
        ' BUILD_TLS=no REDIS_LD=true CC="$CC" redis-server && make -C deps CC="$CC" hdr_histogram'
        " && ar rcs src/server.a src/*.o",
        seeds=10000,
        runs=(AOF,),
        faults=(
            Fault("appendfsync always does not sync", "src/aof.c",
                  "if (redis_fsync(server.aof_fd) == -1) {\n            serverLog(LL_WARNING,"
                  '"Can\'t persist', "if (0) {\n            serverLog(LL_WARNING,\"Can't persist",
                  AOF),
        ),
        weaknesses=(
            Weakness("appendfsync everysec", (*AOF, "--appendfsync", "everysec"), "is lost"),
            Weakness("the name of its folder is not synced", ("unsynced", *AOF), "is lost"),
            Weakness("redis-check-aof --fix is left out", ("unmended", *AOF), "Bad file format"),
            Weakness("a new manifest before the name of its file", ("unmended", *AOF),
                     "Unable to obtain the AOF file", 10000),
        ),
    ),
    Proof(
        "hiredis",
        ("hiredis", "0.14.1", "2663b2aed9fd430507e30fc5e63274ee40cdd1a296026e22eafd7d99b01c8913"),
        "calls to a peer that breaks: an answer that was sent, or an error, in time",
        "hiredis.c",
        "-I{tree} " + " ".join(f"{{tree}}/{name}.c"
                               for name in ("hiredis", "net", "read", "sds", "alloc")),
        options="",
        faults=(
            Fault("a string that has not come whole is taken", "read.c",
                  "if (r->pos+bytelen <= r->len) {", "if (1) {"),
        ),
    ),
    Proof(
        "libpq",
        ("postgresql-15", "15.18",
         "11df0df97fe3ea4ba9a791faaf39cee1d2fe571e78885b5b55d8517d27c323b4"),
        "two threads connect and query a server that breaks: whole results, or errors, in time",
        "libpq.c",
        f"-D_GNU_SOURCE -I{{tree}}/{PQ} -I{{tree}}/src/include {{tree}}/{PQ}/libpq.a"
        " {tree}/src/common/libpgcommon_shlib.a {tree}/src/port/libpgport_shlib.a -lm",
        # the link of a check by configure would weave
        "[ -f config.status ] || CC=cc ./configure --without-readline --without-zlib --without-icu"
        " --without-openssl CFLAGS='-g -O1 -w' && make -C src/backend generated-headers"
        f' && make -C {PQ} all-static-lib CC="$CC"',
        options="",
        faults=(
            Fault("bytes that were sent are sent again", f"{PQ}/fe-misc.c",
                  "\t\t\tptr += sent;\n", ""),
            Fault("connect_timeout is not kept", f"{PQ}/fe-connect.c",
                  "finish_time = time(NULL) + timeout;", ""),
            Fault("a message that has not come whole is taken", f"{PQ}/fe-protocol3.c",
                  "if (avail < msgLength)", "if (0)"),
        ),
        weaknesses=(
            Weakness("one row at a time lasts into a pipeline", ("single",),
                     "PGRES_SINGLE_TUPLE"),
        ),
    ),
    Proof(
        "memcached",
        ("memcached", "1.6.18", "35872bd25f8d29d7cc2072d23e74344530891bfd0aa4f4f64184a8ae7291164b"),
        "memcached, its threads, three clients: the answers of each key have an order",
        "memcached.c",
        "{tree}/memcached.a {tree}/" + EVENT + "/.libs/libevent_pthreads.a"
        " {tree}/" + EVENT + "/.libs/libevent_core.a",
        # configure runs a program with libevent, so there is a plain one first
        f"(cd {EVENT} && {{ [ -f libevent.a ] || {{ CC=cc ./configure --disable-shared"
        " --disable-openssl --disable-samples --disable-libevent-regress CFLAGS='-g -O1 -w' &&"
        " make include/event2/event-config.h libevent_core.la && cp .libs/libevent_core.a"
        " libevent.a && make clean && make include/event2/event-config.h; }; } && make"
        ' libevent_core.la libevent_pthreads.la CC="$CC" LIBTOOLFLAGS=--tag=CC) &&'
        " { [ -f config.status ] || CC=cc ./configure --disable-extstore"
        f" --with-libevent=$PWD/{EVENT} CFLAGS='-g -O1 -w'; }} && printf 'include Makefile\\n"
        "memcached.a: $(memcached_OBJECTS)\\n\\trm -f $@; ar rcs $@ $^\\n' >objects.mk && make -f"
        ' objects.mk CC="$CC" CFLAGS="-g -O1 -w -UNDEBUG -Dmain=memcached_main" memcached.a',
        options="",
        beside=(("libevent", "2.1.12-stable",
                 "92e6de1be9ec176428fd2367677e61ceffc2ee1cb119035037a27d346b0403bb"),),
        runs=(MEMCACHED,),
        faults=(
            Fault("incr does not lock", "thread.c",
                  "item_lock(hv);\n    ret = do_add_delta(c, key, nkey, incr, delta, buf, cas, hv, "
                  "NULL);\n    item_unlock(hv);",
                  "ret = do_add_delta(c, key, nkey, incr, delta, buf, cas, hv, NULL);", MEMCACHED),
            Fault("a wake-up of a worker counts once", "thread.c",
                  "x < ev_count", "x < 1", MEMCACHED),
        ),
    ),
    Proof(
        "libuv",
        ("libuv1", "1.44.2", "d79b4b06ef04be85fb890bf39d55942cc64c2e15fd14eaa32dae5dce94485484"),
        "two loops, one pool of threads: work is done or cancelled, once; each async send is seen",
        "libuv.c",
        "-D_GNU_SOURCE -I{tree}/include {tree}/libuv.a -ldl",
        "mkdir -p o && cd o && for file in " + " ".join(UV) + "; do o=$(basename $file).o;"
        " [ $o -nt ../src/$file.c ] || $CC -g -O1 -w -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64"
        " -I../include -I../src -c ../src/$file.c || exit; done; ar rcs ../libuv.a *.o",
        options="",
        faults=(
            Fault("none is woken when all are idle", "src/threadpool.c",
                  "QUEUE_INSERT_TAIL(&wq, q);\n  if (idle_threads > 0)",
                  "QUEUE_INSERT_TAIL(&wq, q);\n  if (idle_threads > 0 && idle_threads < nthreads)"),
            Fault("an end is not passed on", "src/threadpool.c",
                  "if (q == &exit_message) {\n      uv_cond_signal(&cond);",
                  "if (q == &exit_message) {"),
            Fault("the next slow work is not taken", "src/threadpool.c",
                  "QUEUE_INSERT_TAIL(&wq, &run_slow_work_message);\n        if (idle",
                  "if (idle"),
            Fault("a send that goes on counts as one that has ended", "src/unix/async.c",
                  "if (rc != 1)", "if (rc != 7)"),
        ),
    ),
    Proof(
        "log",
        (),
        "a replicated log on three machines, which crash and are parted; two clients",
        "",
        "{tree}/simulation/log.c",
        options="--disk",
        seeds=100000,
        nodes="{tree}/simulation/log.nodes",
        binary="log",
        faults=(
            Fault("the leader answers before its file is synced", "simulation/log.c",
                  "int at = append(value, 1);", "int at = append(value, 0);"),
        ),
    ),
    Proof(
        "kv",
        (),
        "the example's server with `--sync always`, whose machine crashes and is cut off; two "
        "clients",
        "kv.c",
        "",
        "$CC -g -O1 -w -I$ROOT/include servers/kv/*.c servers/server.c -o ../kv",
        options="--disk",
        seeds=100000,
        nodes=f"{FOLDER}/kv.nodes",
        binary="client",
        faults=(
            Fault("the log is not synced", "servers/kv/log.c",
                  "co4_fdatasync(log.fd) == 0", "true"),
            Fault("its name is not synced", "servers/kv/log.c", "sync_folder(path) != 0", "false"),
        ),
    ),
    Proof(
        "nats",
        (),
        "co4_nats on four machines, a broker that crashes and is cut off: messages in order, once; "
        "requests; connected again",
        "nats.c",
        "-I$ROOT/include {tree}/nats.a -ljansson -lssl -lcrypto",
        # the library's calls lock for threads that block: it is woven as its users have it
        "rm -f *.o; for file in nats/*.c nats/woven/*.c tls/*.c; do $WEAVE -g -O1 -w -D_GNU_SOURCE"
        " -Inats -Itls -I$ROOT/include -c $file -o $(echo $file | tr / -).o || exit; done; $WEAVE -g"
        " -O1 -DCO4__PLAIN_IS_ELSEWHERE -Itls -I$ROOT/include -c tls/woven/handshake.c -o woven.o &&"
        " cc -g -O1 -DCO4_PLAIN -Itls -I$ROOT/include -c tls/woven/handshake.c -o plain.o &&"
        " rm -f nats.a && ar rcs nats.a *.o && $CC -g -O1 -w -I$ROOT/tests/simulation/proofs"
        " $ROOT/tests/simulation/proofs/broker.c -pthread -o ../broker",
        options="",
        nodes=f"{FOLDER}/nats.nodes",
        binary="nats",
        own=("nats", "tls"),
        needs=("jansson", "openssl"),
        faults=(
            Fault("messages that wait together are sent in another order",
                  "nats/woven/connection.c", "put(c, conn, b->all[b->at], &messages",
                  "put(c, conn, b->all[b->got - 1 - b->at], &messages"),
            Fault("a new connection does not subscribe again", "nats/woven/connection.c",
                  "    c->epoch++;\n", "    c->epoch = 1;\n"),
            Fault("what a lost connection has not sent comes later", "nats/woven/connection.c",
                  "            drop_unsent(c->conn);", "            ;", seeds=3000),
        ),
    ),
)
