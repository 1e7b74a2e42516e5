"""tls.py - OpenSSL, and libcurl and libpq over it: sessions of TLS at once on one thread.

Most of a server's ports fail in the handshake: a bad certificate, an alert, no TLS at all, an end.
Sessions with all of them wait at once, and each sees its own errors, though a queue of errors
belongs to a thread. What each sees is what a plain program sees that has one session after the
other. With --bench also some of OpenSSL's own tests, and that of threads, which are tasks."""

import shutil

import libpq
from curl import CURL, OFF
from work import BUILD_SECONDS, HERE, free_port

OPENSSL = ("openssl", "3.0.20", "c80a01dfc70ece4dc21168932c37739042d404d46ccc81a5986dd75314ecda6f")
NEEDS = [*libpq.NEEDS, "python3", "openssl", "psql"]
SESSIONS = 1000
CERTIFIED = ("good", "unknown", "host", "purpose")  # kinds of ports of tls_server.py
FAILS = ("alert", "clear", "ends", "resets")
# What TLS 1.2 and 1.3 need not.
WITHOUT = ("aria bf blake2 camellia cast cmac cmp cms comp ct dsa dtls ec2m engine gost idea legacy "
           "md2 md4 mdc2 ocsp psk rc2 rc4 rc5 rfc3779 rmd160 scrypt sctp seed siphash siv sm2 sm3 "
           "sm4 srp ssl3 tls1 tls1_1 ts whirlpool").split()  # fmt: skip
BUILD = ("./Configure no-shared no-module " + " ".join(f"no-{word}" for word in WITHOUT)
         + " && make -j2 build_libs")  # fmt: skip
# A link weaves, which a configuration need not wait for: it takes the plain compiler.
CURL_BUILD = ('compiler="$CC"; CC=cc ./configure --with-openssl={ssl} --without-zlib --without-brotli'
              " --without-zstd --without-libpsl --without-nghttp2 --without-libidn2"
              " --without-librtmp CFLAGS=-O2 LIBS='-ldl -pthread' "
              + " ".join(f"--disable-{word}" for word in OFF)
              + ' && make -j2 -C lib libcurl.la CC="$compiler" LIBTOOLFLAGS=--tag=CC')
LIBPQ_BUILD = ('compiler="$CC"; CC=cc ./configure --without-readline --without-zlib --without-icu'
               " --with-ssl=openssl CFLAGS=-O2 CPPFLAGS=-I{ssl}/include LDFLAGS=-L{ssl}/lib"
               " LIBS='-ldl -pthread' && make -C src/backend generated-headers"
               ' && make -C src/interfaces/libpq all-static-lib CC="$compiler"')
OWN = {  # tests of OpenSSL -> their programs
    "async": "asynctest", "asyncio": "asynciotest", "bio_callback": "bio_callback_test",
    "bio_core": "bio_core_test", "clienthello": "clienthellotest", "err": "errtest",
    "fatalerr": "fatalerrtest", "recordlen": "recordlentest", "servername": "servername_test",
    "ssl_ctx": "ssl_ctx_test", "ssl_new": "ssl_test", "sslapi": "sslapitest",
    "sslbuffers": "sslbuffertest", "sslcorrupt": "sslcorrupttest", "tls13ccs": "tls13ccstest",
}  # fmt: skip
CERTIFICATES = """
new="openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30"
$new -subj /CN=authority -keyout ca.key -out ca.pem
by="-CA ca.pem -CAkey ca.key"
here="-addext subjectAltName=IP:127.0.0.1"
$new -subj /CN=good $by $here -keyout good.key -out good.crt
$new -subj /CN=unknown $here -keyout unknown.key -out unknown.crt
$new -subj /CN=host $by -addext subjectAltName=IP:127.0.0.2 -keyout host.key -out host.crt
$new -subj /CN=purpose $by $here -addext extendedKeyUsage=clientAuth -keyout purpose.key \
-out purpose.crt
for kind in good unknown host purpose; do cat $kind.key $kind.crt >$kind.pem; done
"""


def sources(_):
    return [OPENSSL, CURL, libpq.POSTGRES]


def prefix(work, tree, how):
    """A folder with what configurations look for: include and lib."""
    ssl = work.folder / f"ssl-{how}"
    ssl.mkdir(exist_ok=True)
    for name, to in (("include", tree / "include"), ("lib", tree)):
        (ssl / name).unlink(missing_ok=True)
        (ssl / name).symlink_to(to)
    return ssl


def build(work, source, command, trees):
    """Beside each tree of OpenSSL, which `command` names {ssl}. Returns the trees."""
    built = [work.build(source, command.format(ssl=prefix(work, tree, how)), how)
             for how, tree in zip(("plain", "auto"), trees)]  # fmt: skip
    work.say(f"build of {source[0]}: {built[0][1]:.0f} s plain, {built[1][1]:.0f} s woven")
    return [tree for tree, _ in built]


def start_server(work, kinds, together):
    """Returns the ports."""
    folder = work.folder / "certificates"
    (folder / "ports").unlink(missing_ok=True)
    work.server(["python3", str(HERE / "tls_server.py"), str(folder), str(together), *kinds],
                (folder / "ports").exists)  # fmt: skip
    return (folder / "ports").read_text().split()


def start_postgres(work, together):
    """Returns connection strings, the first of which is good. `together` good sessions are answered
    when all of them wait."""
    for suffix in ("key", "crt"):
        to = work.sockets / f"good.{suffix}"
        shutil.copy(work.folder / "certificates" / to.name, to)
        to.chmod(0o600)
    (work.sockets / "password").write_text("secret")
    port = free_port()
    libpq.start_server(
        work, f"--auth-local=trust --auth-host=scram-sha-256 --pwfile={work.sockets}/password", port,
        "listen_addresses=127.0.0.1,127.0.0.2", "ssl=on", f"ssl_cert_file={work.sockets}/good.crt",
        f"ssl_key_file={work.sockets}/good.key")  # fmt: skip
    wait = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    work.server(["psql", "-X", "-h", str(work.sockets), "-p", str(port), "-U", "postgres",
                 "-c", "SELECT pg_advisory_lock(1)", "-c", "\\! touch held", "-c",
                 f"DO $$ BEGIN WHILE ({wait}) < {together} LOOP PERFORM pg_sleep(0.05); END LOOP;"
                 " END $$"], (work.sockets / "held").exists)  # fmt: skip
    good = f"host=127.0.0.1 port={port} user=postgres password=secret sslmode=verify-full"
    unknown = f"sslrootcert={work.folder}/certificates/unknown.crt"
    other = [f"{good} {word}"
             for word in ("host=127.0.0.2", unknown, "password=other", "dbname=other")]  # fmt: skip
    kinds = (*FAILS, "refuses")
    every = len(other) + len(kinds)
    ports = start_server(work, kinds, sum(i % every >= len(other) for i in range(together)))
    return [good, *other, *(f"{good} port={port}" for port in ports)]


def sessions(work, what, programs, targets, count):
    """What sessions see that wait at once, beside what a plain program sees that has one with each
    target. The first target is good, and has every other session."""
    authority = work.folder / "certificates" / "ca.pem"
    quoted = [f"'{target}'" for target in targets]
    turns = " ".join(f"{quoted[0]} {bad}" for bad in quoted[1:])
    said = work.folder / f"{what}.said"
    work.run(f"{programs[1]} {count} {authority} {turns} >{said}", work.folder, 300)
    told = said.read_text().splitlines()
    alone = work.run(f"{programs[0]} {authority} {' '.join(quoted)}", work.folder).splitlines()
    work.check(len(set(alone)) == len(targets) and alone[0] == "good", f"{what}, plain: {alone}")
    for line in alone[1:]:
        work.say(f"{what} fails: {line}")
    bad = len(targets) - 1
    expected = [alone[1 + i // 2 % bad if i % 2 else 0] for i in range(count)]
    wrong = [f"{i}: {one}" for i, (one, other) in enumerate(zip(told, expected)) if one != other]
    work.check(not wrong, f"{what}: {len(wrong)} sessions see something else: {wrong[:3]}")
    work.check(len(told) == count, f"{what}: {len(told)} sessions")
    work.say(f"{count} sessions of {what} at once on one thread: {told.count('good')} good, the "
             f"others with {bad} errors")  # fmt: skip


def programs(work, what, arguments):
    """The same client, which knows nothing of tasks, one session after the other and at once."""
    return [work.program(f"{what}-{how}", [f"tls_{how}.c", f"tls_{what}.c"], how == "tasks", words)
            for how, words in zip(("plain", "tasks"), arguments)]  # fmt: skip


def own_threads(work, tree):
    """The program of OpenSSL's test_threads. Its link weaves all anew."""
    work.run(f'make CC="{work.compiler(True, "=threads")}" test/threadstest', tree, BUILD_SECONDS)
    work.check(b"thread_general_worker" in work.coloured(tree / "test/threadstest"),
               "threadstest has no tasks")  # fmt: skip
    for workers in (1, 2):
        work.run("test/threadstest -config test/default.cnf test/recipes/90-test_threads_data", tree,
                 CO4_WORKERS=str(workers))  # fmt: skip
    work.say("threadstest passes with tasks, on one worker and on two")


def own_tests(work, tree):
    work.run("make util/wrap.pl " + " ".join(f"test/{name}" for name in OWN.values()), tree,
             BUILD_SECONDS)  # fmt: skip
    work.run("perl test/run_tests.pl " + " ".join(f"test_{name}" for name in OWN), tree,
             SRCTOP=".", BLDTOP=".", PERL="perl", EXE_EXT="", CO4_WORKERS="1")  # fmt: skip
    for program in OWN.values():
        work.check(work.coloured(tree / "test" / program), f"nothing pauses in {program}")
    work.say(f"{len(OWN)} of its own tests pass")


def prove(work):
    work.need_files(2 * SESSIONS + 100)
    work.run(f"mkdir -p certificates && cd certificates {CERTIFICATES}", work.folder)
    built = [work.build(OPENSSL, BUILD, how) for how in ("plain", "auto")]
    trees = [tree for tree, _ in built]
    work.say(f"build of its libraries: {built[0][1]:.0f} s plain, {built[1][1]:.0f} s woven")
    libraries = [f"-I{tree}/include {tree}/libssl.a {tree}/libcrypto.a -ldl" for tree in trees]
    clients = programs(work, "openssl", libraries)
    kinds = CERTIFIED + FAILS
    sessions(work, "libssl", clients, start_server(work, kinds, SESSIONS), SESSIONS)
    work.say_own_colours(clients[1], r"lib(?:ssl|crypto)\.a")
    sizes = [work.text_bytes(client, r"lib(ssl|crypto)\.a|woven") for client in clients]
    work.say_size("-O3", sizes[0], sizes[1], 4)

    curls = build(work, CURL, CURL_BUILD, trees)
    clients = programs(work, "curl", [f"-I{tree}/include {tree}/lib/.libs/libcurl.a {words}"
                                      for tree, words in zip(curls, libraries)])  # fmt: skip
    sessions(work, "libcurl", clients, start_server(work, kinds, SESSIONS), SESSIONS)
    work.say_own_colours(clients[1], r"libcurl\.a")

    queries = build(work, libpq.POSTGRES, LIBPQ_BUILD, trees)
    clients = programs(work, "libpq", [f"{libpq.arguments(tree)} {words}"
                                       for tree, words in zip(queries, libraries)])  # fmt: skip
    sessions(work, "libpq", clients, start_postgres(work, libpq.QUERIES // 2), libpq.QUERIES)
    work.say_own_colours(clients[1], r"libp(?:q|gcommon_shlib|gport_shlib)\.a")
    if work.bench:
        own_tests(work, trees[1])
        own_threads(work, trees[1])
