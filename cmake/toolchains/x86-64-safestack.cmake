# x86-64 by clang with SafeStack: what has its address taken lives on a second stack.
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_FLAGS_INIT "-fsanitize=safe-stack")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-fno-sanitize=safe-stack") # its runtime is for programs only
