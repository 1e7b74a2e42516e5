/* variadic_lenient.c - what C leaves open, and programs do: a small argument that is read as a wide
 * one is extended with zeros; one that is missing is 0.
 * modes: woven forced
 * expect: 7 4294967294 0
 * expect: 7 4294967294 0 */
#include <co4.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static pausable void show(int pauses, ...)
{
    va_list ap;
    va_start(ap, pauses);
    if (pauses)
        co4_yield();
    uintptr_t one = va_arg(ap, uintptr_t), other = va_arg(ap, uintptr_t);
    printf("%" PRIuPTR " %" PRIu32 "%s", one, (uint32_t)other, other >> 16 >> 16 ? " more" : "");
    printf(" %" PRIuPTR "\n", va_arg(ap, uintptr_t));
    va_end(ap);
}

static pausable int all(void)
{
    show(0, 7, -2);
    show(1, 7, -2);
    return 0;
}

int main(void)
{
    return co4_run(all());
}
