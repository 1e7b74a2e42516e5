# x86-64 by gcc with what distributions harden their packages with, and shadow stacks (CET).
set(CMAKE_C_COMPILER gcc)
set(CMAKE_C_FLAGS_INIT
  "-fcf-protection=full -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,relro,-z,now")
