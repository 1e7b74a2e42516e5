/* attributes - attributes of functions that hold for the plain form and must not for the woven
 * one.
 * expect: -1 3 one 5 7 */
#include <co4.h>
#include <stdio.h>
#include <string.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

__attribute__((noinline)) pausable int joined(const char *a, const char *b)
    __attribute__((nonnull(2), warn_unused_result));

__attribute__((noinline)) pausable int joined(const char *a, const char *b)
{
    co4_yield();
    if (a == NULL)
        return -1;
    return (int)(strlen(a) + strlen(b));
}

__attribute__((nonnull)) static pausable int length(const char *a)
{
    char text[8] = "";
    strncat(text, a, 7);
    co4_yield();
    return (int)strlen(text);
}

__attribute__((returns_nonnull)) static pausable const char *name(int n)
{
    co4_yield();
    return n ? "one" : "nought";
}

__attribute__((cold, noinline, section(".text.elsewhere"))) static pausable int cold(int n)
{
    return wait_for(n) + 1;
}

__attribute__((always_inline)) static inline pausable int quick(int n)
{
    return wait_for(n) + 2;
}

static pausable void work(void)
{
    const char *none = NULL;
    printf("%d %d %s %d %d\n", joined(none, "b"), length("abc"), name(1), cold(4), quick(5));
}

int main(void)
{
    co4_run(work());
    return 0;
}
