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
    source: tuple  # Debian's, its version, the SHA-256 of its archive; (): examples/
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


LMDB = "libraries/liblmdb"
DB = "build_unix"
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
)
