/* local.c - the lead example of co4/local.h.
 * modes: woven forced
 * expect: GET /one
 * expect: GET /two */
#define _POSIX_C_SOURCE 200809L
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const co4_task_local request = CO4_TASK_LOCAL(free);

static void log_line(const char *line)
{
    puts(line != NULL ? line : "no request");
}

static pausable int serve(const char *line)
{
    int err = co4_task_local_set(&request, strdup(line));
    co4_yield();
    log_line(co4_task_local_get(&request));
    return err;
}

int main(void)
{
    co4_run(serve("GET /one"));
    return co4_run(serve("GET /two"));
}
