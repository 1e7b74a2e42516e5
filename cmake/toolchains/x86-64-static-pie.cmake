# x86-64 by gcc; programs are static and lie at random addresses all the same.
set(CMAKE_C_COMPILER gcc)
set(CMAKE_C_FLAGS_INIT -fPIE)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static-pie)
