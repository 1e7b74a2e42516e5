/* plugin.c - what is loaded: a run, with a blocking call and memory that the thread keeps. */
#include <co4.h>

static int forty(void)
{
    return 40;
}

static pausable int two(void)
{
    co4_yield();
    return 2;
}

static pausable int answer(void)
{
    int n = co4_blocking(forty());
    return n + two();
}

int plugin_answer(void);
int plugin_answer(void)
{
    int n = co4_run(answer());
    co4_blocking_stop();
    return n;
}
