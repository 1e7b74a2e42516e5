/* varargs.c - copies of the variable arguments of woven calls: co4/varargs.h.
 *
 * A file of its own, so that programs without such calls do not have it. */
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/public.h"

#ifdef CO4_ABI_LIST_IS_KNOWN
/* The bytes that a copy takes: a multiple of the greatest alignment. */
static size_t copy_bytes(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

co4_abi_args *co4_abi_args_keep(co4_fiber *co4, co4_abi_args *args)
{
    /* The table of the arguments that are pointers to copies: their number, then two words each. */
    static const co4_abi_u32 none;
    const void *table = args->copies > 0 ? (const char *)args + args->copies : (const void *)&none;
    const co4_abi_u32 *copies = table, *entry = copies + 1;
    size_t bytes = copy_bytes(args->bytes > 0 ? args->bytes : sizeof *args), all = bytes;
    for (co4_abi_u32 i = 0; i < *copies; i++)
        all += copy_bytes(entry[2 * i + 1]);
    co4_fiber nobody; /* an entry point has no fiber that could fail */
    char *kept = co4_abi_block_take(co4 ? co4 : &nobody, all, 1);
    if (!kept)
        return NULL;
    co4_abi_args *head = (co4_abi_args *)(void *)kept;
    if (args->bytes == 0) {
        va_copy(head->list, args->list);
        head->bytes = head->copies = 0;
        return head;
    }
    memcpy(kept, args, args->bytes);
    for (co4_abi_u32 i = 0; i < *copies; i++, entry += 2) {
        void *copy = kept + bytes, *from;
        memcpy(&from, kept + entry[0], sizeof from);
        memcpy(copy, from, entry[1]);
        memcpy(kept + entry[0], &copy, sizeof copy);
        bytes += copy_bytes(entry[1]);
    }
    return co4_abi_args_at(head, args->bytes, args->copies);
}

void co4_abi_args_drop(co4_abi_args *args)
{
    if (args)
        co4_abi_block_drop(args);
}
#endif
