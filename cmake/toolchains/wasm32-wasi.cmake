# WebAssembly with the system interface WASI, by clang, wasi-libc, lld; programs run under Node. No threads.
set(CMAKE_SYSTEM_NAME Generic) # CMake 3.25 does not know WASI
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_EXE_LINKER_FLAGS_INIT -lc-printscan-long-double)
set(CMAKE_CROSSCOMPILING_EMULATOR "node;--no-warnings;${CMAKE_CURRENT_LIST_DIR}/run-wasi.mjs")
set(CO4_THREADS OFF CACHE BOOL "Workers on threads; OFF: the same API on one thread")
set(CO4_TARGET_LACKS "threads signals setjmp pipes descriptors computed-goto")
