/* co4/varargs.h - the variable arguments of a pausable function.
 *
 * Woven, `int f(char *format, ...)` is `int f__co4(co4_fiber *, char *, co4_abi_args *)`.
 * The caller knows the types of the arguments. It lays them out as they would be on the stack of a
 * variadic call that has no registers left, in a struct that begins with a co4_abi_args:
 *
 *   struct { co4_abi_args co4_head; int co4_1 aligned(8); int co4_z1; double co4_2 aligned(8); … }
 *
 * `list` is a va_list that reads them: va_start is a va_copy of it. The struct lives on the C stack
 * of the caller. A callee that needs the arguments after a pause takes a copy at its entry, with a
 * list that reads the copy: co4_abi_args_keep(). So a call whose callee is done with them before it
 * pauses needs no memory.
 *
 * Each target has its own va_list, and its own rules for arguments on the stack: psABI documents of
 * x86-64, i386, AAPCS32, AAPCS64, RISC-V, s390x, WebAssembly. co4weave reads the typedefs below. On
 * any other target it refuses pausable variadic functions. */
#ifndef CO4_VARARGS_H
#define CO4_VARARGS_H

#include "abi.h" /* which includes this */

#if defined(__x86_64__) && !defined(__ILP32__) && !defined(_WIN32)
#define CO4_ABI_LIST_IS_REGISTERS 1
#elif defined(__aarch64__) && !defined(__ILP32__) && !defined(_WIN32) && !defined(__APPLE__) &&    \
    defined(__AARCH64EL__)
#define CO4_ABI_LIST_IS_OFFSETS 1
#elif defined(__s390x__)
#define CO4_ABI_LIST_IS_COUNTS 1
#elif defined(__arm__) && defined(__ARM_EABI__) && defined(__ARMEL__)
#define CO4_ABI_LIST_IS_POINTER 2
#elif (defined(__i386__) && !defined(_WIN32)) || defined(__wasm32__) ||                            \
    (defined(__riscv) && !defined(__riscv_32e) && !defined(__riscv_64e))
#define CO4_ABI_LIST_IS_POINTER 1
#endif

#if !defined(__cplusplus) &&                                                                       \
    (defined(CO4_ABI_LIST_IS_REGISTERS) || defined(CO4_ABI_LIST_IS_OFFSETS) ||                     \
     defined(CO4_ABI_LIST_IS_COUNTS) || defined(CO4_ABI_LIST_IS_POINTER))
#define CO4_ABI_LIST_IS_KNOWN 1

/* For the weaver, by their numbers: the greatest alignment of an argument; the greatest size that
 * is not passed as a pointer to a copy; the same for structs and unions. And their exceptions:
 *   homogeneous   structs of up to four members of one floating type are never passed by pointer
 *   single        nor are structs of a single number
 *   right         an argument smaller than its slot, which is as large as a pointer, is at the
 *                 slot's end; structs have sizes of powers of two, or are passed by pointer */
#if defined(__x86_64__)
typedef char co4_abi_args_align[16];
typedef char co4_abi_args_size[1048576];
typedef char co4_abi_args_struct[1048576];
#elif defined(__aarch64__)
typedef char co4_abi_args_align[16];
typedef char co4_abi_args_size[16];
typedef char co4_abi_args_struct[16];
typedef char co4_abi_args_are_homogeneous;
#elif defined(__s390x__)
typedef char co4_abi_args_align[8];
typedef char co4_abi_args_size[8];
typedef char co4_abi_args_struct[8];
typedef char co4_abi_args_are_right;
#elif defined(__arm__)
typedef char co4_abi_args_align[8];
typedef char co4_abi_args_size[1048576];
typedef char co4_abi_args_struct[1048576];
#elif defined(__i386__)
typedef char co4_abi_args_align[4];
typedef char co4_abi_args_size[1048576];
typedef char co4_abi_args_struct[1048576];
#elif defined(__wasm32__)
typedef char co4_abi_args_align[16];
typedef char co4_abi_args_size[16];
typedef char co4_abi_args_struct[1048576];
typedef char co4_abi_args_are_single;
#elif __riscv_xlen == 64
typedef char co4_abi_args_align[16];
typedef char co4_abi_args_size[16];
typedef char co4_abi_args_struct[16];
#else
typedef char co4_abi_args_align[8];
typedef char co4_abi_args_size[8];
typedef char co4_abi_args_struct[8];
#endif

typedef struct co4_abi_args {
    __builtin_va_list list;
    /* Of the struct that this begins; 0: the list is that of a variadic function, and reads its
     * stack. */
    co4_abi_u32 bytes;
    /* The offset of a table of arguments that are passed as pointers to copies: their number, then
     * the offset and the size of each. 0: there are none. */
    co4_abi_u32 copies;
} co4_abi_args;

/* Where a va_list is an array: the type to which a parameter decays has no other name. */
#if defined(CO4_ABI_LIST_IS_REGISTERS) || defined(CO4_ABI_LIST_IS_COUNTS)
typedef __typeof__((*(__builtin_va_list *)0)[0]) co4_abi_list_element;
#endif

/* Lets the list read the arguments that follow. Returns `args`. */
CO4_ABI_INLINE co4_abi_args *co4_abi_args_at(co4_abi_args *args, co4_abi_size bytes,
                                             co4_abi_size copies)
{
    void *first = args + 1;
#if defined(CO4_ABI_LIST_IS_REGISTERS)
    args->list[0].gp_offset = 48;
    args->list[0].fp_offset = 176;
    args->list[0].overflow_arg_area = first;
    args->list[0].reg_save_area = 0;
#elif defined(CO4_ABI_LIST_IS_OFFSETS)
    args->list.__stack = first;
    args->list.__gr_top = args->list.__vr_top = 0;
    args->list.__gr_offs = args->list.__vr_offs = 0;
#elif defined(CO4_ABI_LIST_IS_COUNTS)
    args->list[0].__gpr = 5;
    args->list[0].__fpr = 4;
    args->list[0].__overflow_arg_area = first;
    args->list[0].__reg_save_area = 0;
#elif CO4_ABI_LIST_IS_POINTER == 2
    args->list.__ap = first;
#else
    args->list = (__builtin_va_list)first;
#endif
    args->bytes = (co4_abi_u32)bytes;
    args->copies = (co4_abi_u32)copies;
    return args;
}

/* A copy of the arguments that lives until it is dropped; `args` itself if they are on the stack of
 * a variadic function, which stays. Out of memory: returns NULL, and the fiber has failed. */
co4_abi_args *co4_abi_args_keep(co4_fiber *co4, co4_abi_args *args);
/* NULL does nothing. */
void co4_abi_args_drop(co4_abi_args *args);

#endif
#endif
