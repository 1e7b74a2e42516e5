"""curl.py - the easy interface of libcurl: a thousand transfers at once on one thread.

The library is configured for HTTP only. A server of ours answers none of the requests before all
have come."""

import re
import socket

import timing

from work import HERE, free_port

CURL = ("curl", "7.88.1", "cdb38b72e36bc5d33d5b8810f8018ece1baa29a8f215b4495e495ded82bbf3c7")
NEEDS = ["make", "python3"]
TRANSFERS = 1000
OFF = ("ares dict file ftp gopher imap ldap ldaps manual mqtt pop3 rtsp smb smtp telnet tftp "
       "shared threaded-resolver").split()  # fmt: skip
BUILD = ("./configure --without-ssl --without-zlib --without-brotli --without-zstd --without-libpsl"
         " --without-nghttp2 --without-libidn2 --without-librtmp CFLAGS=-O2 "
         + " ".join(f"--disable-{word}" for word in OFF)
         + " && make -j2 -C lib libcurl.la")  # fmt: skip


def sources(_):
    return [CURL]


def is_open(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def prove(work):
    work.need_files(2 * TRANSFERS + 100)
    plain, before = work.build(CURL, BUILD, "plain")
    woven, seconds = work.build(CURL, BUILD, "auto")
    work.say(f"build: {before:.0f} s plain, {seconds:.0f} s woven")
    programs = [
        work.program(f"curl-{name}", [f"curl_{name}.c", "curl_get.c"], name == "tasks",
                     f"-I{tree}/include {tree}/lib/.libs/libcurl.a")
        for name, tree in (("plain", plain), ("tasks", woven))
    ]  # fmt: skip

    port = free_port()
    work.server(["python3", str(HERE / "server.py"), str(port), str(TRANSFERS)],
                lambda: is_open(port))  # fmt: skip
    text = work.run(f"{programs[1]} http://127.0.0.1:{port}/path {TRANSFERS}", work.folder, 120)
    sums = dict(re.findall(r"^([0-9]+): (-?[0-9]+)$", text, re.MULTILINE))
    for i in (0, 7, 12, 345, TRANSFERS - 1):
        one = work.run(f"{programs[0]} http://127.0.0.1:{port}/path {i}", work.folder).strip()
        work.check(sums.get(str(i)) == one, f"transfer {i}: {sums.get(str(i))}, not {one}")
    expected = {str(i): str(500 * sum(f"/path{i}".encode())) for i in range(TRANSFERS)}
    work.check(sums == expected, "a transfer has another sum")
    work.say(f"{text.splitlines()[0]}, at once on one thread")
    work.say_colours(programs[1], "libcurl.a")
    pair = timing.programs(work, "curl", ["curl_bench.c", "curl_get.c"], [
        f"-I{tree}/include {tree}/lib/.libs/libcurl.a" for tree in (plain, woven)])  # fmt: skip
    timing.against_plain(work, "400 transfers", [
        f"{bench} http://127.0.0.1:{port}/at-once 400" for bench in pair])  # fmt: skip
    sizes = [work.text_bytes(program, r"libcurl\.a") for program in programs]
    work.say_size("-O2", sizes[0], sizes[1], 2.5)
