# Bare metal: a RISC-V of 32 bits by gcc. Only the small library.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # programs need a board
set(CMAKE_C_FLAGS_INIT "-march=rv32imac -mabi=ilp32 --specs=picolibc.specs -ffunction-sections -fdata-sections")
set(CMAKE_BUILD_TYPE MinSizeRel CACHE STRING "Optimised for size")
set(CO4_SMALL ON CACHE BOOL "Only the small library, for programs without an operating system")
set(CO4_THREADS OFF CACHE BOOL "Workers on threads; OFF: the same API on one thread")
