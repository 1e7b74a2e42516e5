/* calls.c - calls that wait with 200 bytes of locals whose addresses are in use, for bench/web.
 *
 * hold() asks the host for the answer to its number, and returns the number if the answer came into
 * its own memory and its locals are still as they were, else -1. */
#include <stdlib.h>

/* answer() waits; it writes the answer as a text into `out`, and returns its length. */
#ifdef WEB
#include <emscripten.h>
#define EXPORT(name) EMSCRIPTEN_KEEPALIVE
/* clang-format off */
EM_ASYNC_JS(int, answer, (int id, char *out, int room), { return Module.answer(id, out, room); });
/* clang-format on */
#else
#define EXPORT(name) __attribute__((export_name(name)))
__attribute__((import_module("env"), import_name("answer"))) int answer(int id, char *out,
                                                                        int room);
#endif

static __attribute__((noinline)) void fill(volatile unsigned char *room, int size, int id)
{
    for (int i = 0; i < size; i++)
        room[i] = (unsigned char)(id * 31 + i);
}

static __attribute__((noinline)) int is_filled(volatile unsigned char *room, int size, int id)
{
    for (int i = 0; i < size; i++)
        if (room[i] != (unsigned char)(id * 31 + i))
            return 0;
    return 1;
}

/* Calls with memory of their own on the stack, as most C has them. */
static __attribute__((noinline)) int number_of(const char *text, int size)
{
    volatile char copy[512];
    for (int i = 0; i < (int)sizeof copy; i++)
        copy[i] = i < size ? text[i] : '\0';
    return atoi((const char *)copy);
}

EXPORT("hold") int hold(int id)
{
    unsigned char locals[176];
    char text[24];
    fill(locals, sizeof locals, id);
    int size = answer(id, text, sizeof text);
    if (size < 1 || size > (int)sizeof text || number_of(text, size) != id * 7)
        return -1;
    return is_filled(locals, sizeof locals, id) ? id : -1;
}
