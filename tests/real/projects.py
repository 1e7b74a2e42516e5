"""projects.py - the code bases that tests/real/run builds, and what their own tests are.

Purpose: one entry for each project: where Debian has its source, how its own build system is
called, which of its own tests run. All commands are shell text, run in the project's folder,
with CC set.

Invariants: the upstream archive is pinned by its version and its SHA-256; Debian's later
revisions of a package keep that archive. A test prints the same each time, once `unstable` lines
are rewritten.

Extend: add an entry to PROJECTS. `tests/real/run NAME --seed 1` shows what its build says.
"""

from dataclasses import dataclass, field


@dataclass
class Project:
    package: str  # Debian's source package
    version: str  # the upstream version
    sha256: str  # of its archive
    build: str
    tests: dict  # name -> command
    needs: tuple = ()  # commands, which `scripts/prepare real` installs
    also: tuple = ()  # further archives: (package, version, sha256), unpacked below $EXTRA
    folder: str = ""  # below the one folder of the archive
    unstable: tuple = ()  # (pattern, replacement) for lines that differ from run to run
    share: tuple = ()  # the tests of the share; empty: the project is not in it
    infer: tuple = (
    )  # one mark, as shell text; the compiler's arguments: co4weave --infer finds the rest
    seconds: int = 600  # the limit of one test; stress is given five times as many


# Flags that all builds get: assertions stay on, and the time is spent on running, not on
# optimising.
CMAKE = 'cmake -S . -B b -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE= -DCMAKE_C_FLAGS="-O1 -w"'

LUA51 = ("lua5.1", "5.1.5", "2640fc56a795f29d28ef15e13c34a47e223960b0240e8cb0a82d9b0738695333")

PROJECTS = {
    "bzip2": Project(
        package="bzip2", version="1.0.8",
        sha256="ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269",
        build='make CC="$CC" CFLAGS="-O1 -w -D_FILE_OFFSET_BITS=64" bzip2 bzip2recover libbz2.a',
        tests={
            "check": 'make CC="$CC" CFLAGS="-O1 -w -D_FILE_OFFSET_BITS=64" test',
            "text": "./bzip2 -9k <manual.ps >m.bz2 && cksum m.bz2 && ./bzip2 -dc m.bz2 | cksum",
            "small": "for n in 1 2 5; do ./bzip2 -$n <bzip2.c | ./bzip2 -ds | cksum; done",
            "damaged": "head -c 9000 sample2.bz2 >cut.bz2; ./bzip2 -tv cut.bz2; ./bzip2recover sample1.bz2",
        }, share=("check", "text"),
    ), "cjson": Project(
        package="cjson", version="1.7.15",
        sha256="5308fd4bd90cef7aa060558514de6a1a4a0819974a26e6ed13973c5f624c24b2", build=CMAKE +
        " -DENABLE_CUSTOM_COMPILER_FLAGS=OFF -DENABLE_CJSON_UTILS=ON && make -C b -j2",
        tests={"ctest": "cd b && ctest"}, share=("ctest", ),
    ), "dash": Project(package="dash", version="0.5.12",
                       sha256="6a474ac46e8b0b32916c4c60df694c82058d3297d8b385b74508030ca4a8f28a",
                       build="./configure CFLAGS='-O1 -w' && make -j1",
                       tests={"scripts": "$REAL/dash.sh src/dash"},
                       ),
    "expat": Project(
        package="expat", version="2.5.0",
        sha256="ab00ee05c7067fd10a35c5d2a4922ebba746ddd50ff83b79c828da17bbdf1757", folder="expat",
        build=CMAKE + " -DEXPAT_BUILD_DOCS=OFF -DEXPAT_BUILD_EXAMPLES=ON -DEXPAT_SHARED_LIBS=OFF"
        " && make -C b -j2 runtests xmlwf outline elements", tests={
            "runtests": "b/tests/runtests -v",
            "examples": "for e in outline elements; do b/examples/$e <doc/reference.html; done",
            "xmlwf": "b/xmlwf/xmlwf -c doc/*.xml doc/reference.html",
        }, needs=("g++", ), infer=
        ("cp b/expat_config.h lib && sed -i 's/^typedef void(XMLCALL \\*XML_StartElementHandler)/typedef pausable void(XMLCALL *XML_StartElementHandler)/' lib/expat.h",
         '-Ilib -DHAVE_EXPAT_CONFIG_H lib/xmlparse.c lib/xmlrole.c lib/xmltok.c',
         ),
    ), "hiredis": Project(
        package="hiredis", version="0.14.1",
        sha256="2663b2aed9fd430507e30fc5e63274ee40cdd1a296026e22eafd7d99b01c8913",
        build='make CC="$CC" OPTIMIZATION=-O1 WARNINGS=-w static hiredis-test',
        # its tests talk to a server; those that do not, and what its parser makes of some replies
        tests={"parser": "(./hiredis-test -h 127.0.0.1 -p 1 2>&1 || true) | head -n 30"}, infer=
        ("sed -i 's/nread = read(c->fd/nread = pausable_read(c->fd/; s/^#include \"hiredis.h\"/&\\n"
         "pausable ssize_t pausable_read(int fd, void *to, size_t size);/' hiredis.c",
         "-I. alloc.c async.c hiredis.c net.c read.c sds.c",
         ),
    ), "jansson": Project(
        package="jansson", version="2.14",
        sha256="c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b",
        build=CMAKE + " -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF && make -C b -j2",
        tests={"ctest": "cd b && ctest"}, share=("ctest", ), infer=
        ("cp b/include/*.h b/private_include/*.h src && sed -i 's/^typedef size_t (\\*json_load_callback_t)/typedef pausable size_t (*json_load_callback_t)/' src/jansson.h",
         '-Isrc -DHAVE_CONFIG_H src/*.c',
         ),
    ), "libyaml": Project(
        package="libyaml", version="0.2.5",
        sha256="fa240dbf262be053f3898006d502d514936c818e422afdcf33921c63bed9bf2e",
        build=CMAKE + " && make -C b -j2", tests={
            "ctest": "cd b && ctest",
            "events": "for f in examples/*.yaml regression-inputs/*; do b/run-parser-test-suite $f; done",
            "dump": "for f in examples/*.yaml regression-inputs/*; do b/run-scanner $f; b/run-dumper $f; done",
        }, share=("ctest", "events"), infer=
        ("sed -i 's/^typedef int yaml_read_handler_t/typedef pausable int yaml_read_handler_t/' include/yaml.h",
         '-Iinclude -DYAML_VERSION_STRING=\'"1"\' -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 src/*.c',
         ),
    ), "lua": Project(
        package="lua5.4", version="5.4.4",
        sha256="164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61",
        # a fixed seed of its hashes: else the order of a table's keys depends on addresses
        build='make -C src CC="$CC -std=gnu99" MYCFLAGS="-w -O1 \'-Dluai_makeseed(L)=1\'" linux',
        also=(LUA51, ), tests={
            "features": "src/lua $REAL/lua.lua",
            "samples": "cd $EXTRA/lua5.1/lua-5.1.5/test && for f in bisect cf factorial fibfor globals hello life luac readonly sort table; do echo $f; "
            "$TREE/src/lua $f.lua 2>&1 | head -n 300; done",
            "compiler": "src/luac -o l.out $REAL/lua.lua && src/lua l.out && src/luac -l -l l.out | wc -l",
        }, unstable=((r"0x[0-9a-f]+", "ADDRESS"), ),
    ), "lua51": Project(
        package="lua5.1", version="5.1.5", sha256=LUA51[2], folder="src",
        build='make CC="$CC" CFLAGS="-O1 -w -DLUA_USE_POSIX -DLUA_USE_DLOPEN" LIBS="-lm -ldl" lua',
        # the official suite; left out: what times itself, or takes the interpreter's path from
        # outside
        also=(("golang-github-yuin-gopher-lua", "0.0~git20170915.0.eb1c729",
               "4930565f2f9596a0a47bc84b8c4c535655e8c3206b0d8dd8d2728803dab996e7"), ),
        tests={
            name: f"cd $EXTRA/golang-github-yuin-gopher-lua/_lua5.1-tests && $TREE/lua {name}.lua"
            for name in (
                "api attrib calls checktable closure code constructs db errors events files gc "
                "literals locals math nextvar pm sort strings vararg verybig").split()
        }, unstable=((r"0x[0-9a-f]+", "ADDRESS"), (r"\d+(\.\d+)? msec\.?", "TIME")),
    ), "lz4": Project(
        package="lz4", version="1.9.4",
        sha256="0b0e3aa07c8c063ddf40b082bdf7e37a1562bda40a0ff5272957f3e987e0e54b",
        build='make -C programs CC="$CC" CFLAGS="-O1 -w" lz4 && '
        'make -C tests CC="$CC" CFLAGS="-O1 -w" fuzzer frametest datagen roundTripTest checkFrame decompress-partial',
        tests={
            "fuzzer": "tests/fuzzer -i20 -s1 | tr '\\r' '\\n' | grep -E 'completed|ratio'",
            "frames": "tests/frametest -i50 -s1 2>&1 | tr '\\r' '\\n' | grep -o 'All tests completed'",
            "partial": "tests/decompress-partial",
            "files": "tests/datagen -g200K >d && for l in 1 3 9 12; do programs/lz4 -$l <d | tee d.lz4 | cksum; programs/lz4 -d <d.lz4 | cmp - d; done; tests/roundTripTest d",
        },
    ), "awk": Project(
        package="original-awk", version="2022-09-12",
        sha256="25e0846d5a4a20e90304bee282b068f65966406178a1e737fa0ac6744aef71d9",
        build='make CC="$CC -w" CFLAGS=-O1 a.out', tests={
            "programs": "cd testdir && for t in t.* p.*; do echo $t; ../a.out -f $t test.data 2>&1 | head -c 20000; done",
            "scripts": "cd testdir && gcc echo.c -o echo && for t in T.*; do echo $t; "
            "awk=../a.out oldawk=../a.out sh ./$t 2>&1; done",
        }, needs=("bison", ),
        # the last is a race between awk and the end of its pipe
        unstable=((r"^-rwx.*a.out$", "ITSELF"), (r"^.*T.misc exit status on I/O error\n", "")),
    ), "sqlite": Project(
        package="sqlite3", version="3.40.1",
        sha256="aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655", build=
        "./configure --disable-tcl --disable-readline CFLAGS='-O1 -w' && make sqlite3.c shell.c && make sqlite3",
        tests={"scripts": "$REAL/sqlite.sh ./sqlite3"}, needs=("tclsh", ), infer=
        ("sed -i 's/^  int (\\*xRead)(sqlite3_file/  pausable int (*xRead)(sqlite3_file/' sqlite3.c sqlite3.h",
         '-I. sqlite3.c',
         ),
    ), "redis": Project(
        package="redis", version="7.0.15",
        sha256="4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982", build=
        'make -C src CC="$CC" MALLOC=libc OPTIMIZATION=-O1 WARN=-w REDIS_CFLAGS=-w redis-server redis-cli redis-benchmark',
        tests={
            "unit": "tclsh tests/test_helper.tcl --clients 1 --single unit/type/list --single unit/type/hash --single unit/scan"
        }, unstable=((r"\d+", "N"), ),  # ports, processes, times
        needs=("tclsh", ),
    ), "tcc": Project(
        package="tcc", version="0.9.27+git20200814.62c30a4a",
        sha256="d63c113bcdd657f51c8ee197a0b0a24203603313e19a52b5f678d40ab7f5df35",
        build='./configure --cc="$CC" --extra-cflags="-O1 -w" && make',
        # not those that compile with $(CC) what libclang cannot read, or link woven objects without
        # co4
        tests={
            name: f"make -s -k -C tests {name}"
            for name in ("hello-exe", "hello-run", "libtest", "vla_test-run", "abitest",
                         "asm-c-connect-test", "memtest", "tests2-dir", "pp-dir")
        }, unstable=((r"\(\d+ ms\)", "(TIME)"), ),
    ), "zlib": Project(
        package="zlib", version="1.2.13.dfsg",
        sha256="71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1",
        build="CFLAGS='-O1 -w' ./configure --static && make -j2", tests={
            "check": "make test",
            "files": "./minigzip <ChangeLog | tee l.gz | cksum; ./minigzip -d <l.gz | cmp - ChangeLog; ./example x.gz"
        }, share=("check", "files"),
    ),
}
