/* crowd.c - tasks in a few places, for the console.
 *
 *   crowd TASKS SECONDS [fork|busy|deadline]
 *
 * TASKS tasks wait for a message, one has a name and a deadline, one computes now and then. */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pausable int take(co4_mailbox *in)
{
    int n;
    return co4_mailbox_receive(in, &n);
}

static pausable int clerk(co4_mailbox *in)
{
    int code = take(in);
    return code == CO4_ECANCELED ? CO4_OK : code;
}

static pausable int guest(int64_t deadline)
{
    co4_task_set_name(co4_self(), "the only \"guest\"");
    return co4_sleep_until(deadline) == CO4_OK ? CO4_OK : CO4_ECANCELED;
}

static void compute(int64_t ns)
{
    for (int64_t end = co4_now() + ns; co4_now() < end;)
        ;
}

static pausable void busy_at_once(void)
{
    compute(120 * CO4_MS);
}

static pausable int busy(void)
{
    while (co4_sleep(20 * CO4_MS) == CO4_OK) {
        compute(120 * CO4_MS);
        co4_spawn(busy_at_once());
    }
    return CO4_OK;
}

static pausable int open_shop(co4_mailbox *in, int clerks, int seconds, const char *more)
{
    co4_scope *scope = co4_scope_here();
    for (int i = 0; i < clerks; i++)
        if (co4_scope_spawn(scope, clerk(in)) != CO4_OK)
            return 1;
    co4_scope_spawn(scope, guest(co4_after(3600 * CO4_SEC)));
    if (strcmp(more, "busy") == 0)
        co4_scope_spawn(scope, busy());
    if (strcmp(more, "fork") == 0) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    puts("open");
    fflush(stdout);
    co4_sleep(seconds * CO4_SEC);
    co4_mailbox_close(in);
    co4_scope_cancel(scope, 0);
    return CO4_OK;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    co4_mailbox *in = co4_mailbox_create(sizeof(int), 1);
    co4_run(co4_scope_run(CO4_SCOPE_KEEP_GOING,
                          open_shop(in, atoi(argv[1]), atoi(argv[2]), argc > 3 ? argv[3] : "")));
    co4_mailbox_destroy(in);
    puts("closed");
    return 0;
}
