"""tls.py - OpenSSL, and libcurl over it: a thousand sessions of TLS at once on one thread.

Most of a server's ports fail in the handshake: a bad certificate, an alert, no TLS at all, an end.
Sessions with all of them wait at once, and each sees its own errors, though a queue of errors
belongs to a thread. What each sees is what a plain program sees that has one session after the
other."""

from curl import CURL, OFF
from work import HERE

OPENSSL = ("openssl", "3.0.20", "c80a01dfc70ece4dc21168932c37739042d404d46ccc81a5986dd75314ecda6f")
NEEDS = ["make", "perl", "python3", "openssl"]
SESSIONS = 1000
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
    return [OPENSSL, CURL]


def prefix(work, tree, how):
    """A folder with what configurations look for: include and lib."""
    ssl = work.folder / f"ssl-{how}"
    ssl.mkdir(exist_ok=True)
    for name, to in (("include", tree / "include"), ("lib", tree)):
        (ssl / name).unlink(missing_ok=True)
        (ssl / name).symlink_to(to)
    return ssl


def start_server(work):
    """Returns its ports, the first of which has the good certificate."""
    folder = work.folder / "certificates"
    (folder / "ports").unlink(missing_ok=True)
    work.server(["python3", str(HERE / "tls_server.py"), str(folder), str(SESSIONS)],
                (folder / "ports").exists)  # fmt: skip
    return (folder / "ports").read_text().split()


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


def prove(work):
    work.need_files(2 * SESSIONS + 100)
    work.run(f"mkdir -p certificates && cd certificates {CERTIFICATES}", work.folder)
    built = [work.build(OPENSSL, BUILD, how) for how in ("plain", "auto")]
    trees = [tree for tree, _ in built]
    work.say(f"build of its libraries: {built[0][1]:.0f} s plain, {built[1][1]:.0f} s woven")
    libraries = [f"-I{tree}/include {tree}/libssl.a {tree}/libcrypto.a -ldl" for tree in trees]
    clients = programs(work, "openssl", libraries)
    sessions(work, "libssl", clients, start_server(work), SESSIONS)
    work.say_own_colours(clients[1], r"lib(?:ssl|crypto)\.a")
    sizes = [work.text_bytes(client, r"lib(ssl|crypto)\.a|woven") for client in clients]
    work.say_size("-O3", sizes[0], sizes[1], 4)

    curls = [work.build(CURL, CURL_BUILD.format(ssl=prefix(work, tree, how)), how)[0]
             for how, tree in zip(("plain", "auto"), trees)]  # fmt: skip
    clients = programs(work, "curl", [f"-I{tree}/include {tree}/lib/.libs/libcurl.a {words}"
                                      for tree, words in zip(curls, libraries)])  # fmt: skip
    sessions(work, "libcurl", clients, start_server(work), SESSIONS)
    work.say_own_colours(clients[1], r"libcurl\.a")
