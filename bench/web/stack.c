/* stack.c - a stack in linear memory for each call, for promise integration: the engine switches
 * its own stack only. The host sets the stack pointer when it starts a call; a wait keeps it here,
 * since other calls run meanwhile. It is linked with --wrap of the function that waits. */
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(name)))

__asm__(".globaltype __stack_pointer, i32\n");

static char *stack_get(void)
{
    char *stack;
    __asm__ volatile("global.get __stack_pointer\n local.set %0" : "=r"(stack));
    return stack;
}

static void stack_set(char *stack)
{
    __asm__ volatile("local.get %0\n global.set __stack_pointer" : : "r"(stack));
}

#ifdef PAUSE
void __real_pause_here(void);

void __wrap_pause_here(void)
{
    char *stack = stack_get();
    __real_pause_here();
    stack_set(stack);
}
#else
int __real_answer(int id, char *out, int room);

int __wrap_answer(int id, char *out, int room)
{
    char *stack = stack_get();
    int size = __real_answer(id, out, room);
    stack_set(stack);
    return size;
}
#endif

/* A stack of so many bytes, a multiple of 16: where it begins, since stacks grow down. */
EXPORT("stack_create") char *stack_create(int size)
{
    char *stack = malloc((size_t)size);
    return stack ? stack + size : NULL;
}

EXPORT("stack_destroy") void stack_destroy(char *stack, int size)
{
    free(stack - size);
}
