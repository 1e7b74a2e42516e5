# x86-64 Linux with musl in the place of glibc, by Debian's musl-gcc (musl-tools); programs are static.
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
