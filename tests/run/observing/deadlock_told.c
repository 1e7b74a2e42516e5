/* deadlock_told.c - which call is reported when nothing can end it, and that it is reported once.
 * needs: deadlocks pipes posix
 * modes: woven forced
 * expect: CO4_EDEADLK, told of co4_run of takes(), with its mailbox
 * expect: CO4_EDEADLK, told of co4_runtime_join, with its mailbox
 * expect: CO4_EBUSY, nothing is told */
#define _POSIX_C_SOURCE 200809L
#include <co4.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2], error_output;

static pausable int takes(co4_mailbox *mb)
{
    int n;
    return co4_mailbox_receive(mb, &n);
}

static void listen(void)
{
    fflush(stdout);
    if (pipe(ends) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
        exit(1);
    error_output = dup(2);
    dup2(ends[1], 2);
    close(ends[1]);
}

/* The text that was written to the error output since. */
static void told(int code)
{
    static char text[30000];
    size_t length = 0;
    ssize_t n;
    dup2(error_output, 2);
    close(error_output);
    while (length + 1 < sizeof text &&
           (n = read(ends[0], text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)n;
    text[length] = '\0';
    close(ends[0]);
    const char *at = strstr(text, "co4: deadlock: "), *end = at ? strstr(at, " waits") : NULL;
    printf("%s, ", co4_errname(code));
    if (length == 0)
        printf("nothing is told\n");
    else if (end == NULL || strstr(end, "co4: deadlock: "))
        printf("told otherwise: %s\n", text);
    else
        printf("told of %.*s, with%s its mailbox\n", (int)(end - at - 15), at + 15,
               strstr(end, "mailbox") ? "" : "out");
}

int main(void)
{
    int one = 1;
    co4_mailbox *mb = co4_mailbox_create(sizeof one, 1);
    listen();
    told(co4_run(takes(mb)));

    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    if (mb == NULL || rt == NULL || co4_runtime_start(rt) != CO4_OK)
        return 1;
    co4_runtime_spawn(rt, takes(mb));
    listen();
    told(co4_runtime_join(rt));
    listen();
    told(co4_runtime_destroy(rt));
    if (co4_mailbox_send_until(mb, &one, CO4_NOW) != CO4_OK || co4_runtime_join(rt) != CO4_OK)
        return 1;
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(mb);
    return 0;
}
