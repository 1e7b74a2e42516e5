/* void_pointer.c - a marked function that plain code gets as a pointer of no type. */
#include <stdlib.h>

#include <co4.h>

void subscribe(const char *name, void *callback);

pausable int changed(int n);
pausable int changed(int n)
{
    return n + co4_yield();
}

pausable_or_plain int either(int n);
pausable_or_plain int either(int n)
{
    return n + co4_yield();
}

static int plain(int n)
{
    return n;
}

static void *kept[2];

void begin(void)
{
    subscribe("changed", (void *)changed);
    /* warning: 'changed' is pausable, and is passed to plain code as a void pointer */
    /* hint: co4_run */
    subscribe("changed", (void *)&changed); /* warning: 'changed' is pausable */
    subscribe("either", (void *)either);
    subscribe("plain", (void *)plain);
    kept[0] = (void *)changed; /* perhaps for somebody who knows */
}
