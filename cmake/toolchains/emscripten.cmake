# WebAssembly with Emscripten's C library, by emcc; programs run under Node. No threads.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER emcc)
# A page loads it: bytes count. Engines optimize what runs often.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-Os -g -DNDEBUG" CACHE STRING "")
set(CMAKE_AR emar CACHE FILEPATH "")
set(CMAKE_RANLIB emranlib CACHE FILEPATH "")
# Files are the system's; what main() returns is the exit status, and streams are flushed then. co4weave hands settings to the
# preprocessor as well, for some are meant for it; emcc warns there of those that are not.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-sNODERAWFS=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 -Wno-unused-command-line-argument")
# The code that Emscripten 3.1 makes takes a Node with fetch() for a browser.
set(CMAKE_CROSSCOMPILING_EMULATOR "node;--no-experimental-fetch")
set(CO4_THREADS OFF CACHE BOOL "Workers on threads; OFF: the same API on one thread")
set(CO4_TARGET_LACKS "threads signals sockets descriptors io computed-goto")
