/* io_select_closed.c - a descriptor is closed, or forgotten, while a select waits for it: the case
 * ends with the code of a closed one, in each direction.
 * needs: descriptors
 * modes: woven forced
 * expect: closed, to read: CO4_ENDED(0) CO4_ECLOSED
 * expect: closed, to write: CO4_ENDED(0) CO4_ECLOSED
 * expect: closed, both: CO4_ENDED(0) CO4_ECLOSED
 * expect: closed, behind a mailbox: CO4_ENDED(1) CO4_ECLOSED
 * expect: forgotten, to read: CO4_ENDED(0) CO4_ECLOSED
 * expect: forgotten, to write: CO4_ENDED(0) CO4_ECLOSED
 * expect: forgotten, both: CO4_ENDED(0) CO4_ECLOSED
 * expect: forgotten, behind a mailbox: CO4_ENDED(1) CO4_ECLOSED */
#include <co4.h>
#include <co4/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum what { READ, WRITE, BOTH, BEHIND };

static const char *const names[] = { "to read", "to write", "both", "behind a mailbox" };

static char much[1 << 16];
static co4_mailbox *never;

static pausable void choose(int fd, enum what what, int *chosen, int *code)
{
    int n;
    co4_case cases[] = { CO4_CASE(NULL, NULL), CO4_CASE(NULL, NULL) };
    if (what == BEHIND) {
        cases[0] = (co4_case)CO4_CASE(co4_mailbox_source(never), &n);
        cases[1] = (co4_case)CO4_CASE(co4_fd_writable(fd), NULL);
    } else {
        cases[0] = (co4_case)CO4_CASE(what == WRITE ? co4_fd_writable(fd) : co4_fd_readable(fd),
                                      NULL);
        if (what == BOTH)
            cases[1] = (co4_case)CO4_CASE(co4_fd_writable(fd), NULL);
    }
    *chosen = co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, co4_now() + 10 * CO4_SEC);
    *code = *chosen <= CO4_ENDED(0) ? cases[CO4_ENDED(*chosen)].code : CO4_OK;
}

/* Nothing to read, and no room to write. */
static pausable void ended(int (*end)(int fd), const char *name, enum what what)
{
    int fds[2], chosen = 0, code = 0;
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    while (co4_send_until(fds[0], much, sizeof much, 0, CO4_NOW) > 0)
        ;
    while (co4_send_until(fds[0], much, 1, 0, CO4_NOW) > 0)
        ;
    co4_task *t = co4_spawn(choose(fds[0], what, &chosen, &code));
    while (co4_task_state_of(t) != CO4_TASK_PAUSED)
        co4_yield();
    end(fds[0]);
    co4_join(t, NULL);
    printf("%s, %s: ", name, names[what]);
    if (chosen <= CO4_ENDED(0))
        printf("CO4_ENDED(%d) ", CO4_ENDED(chosen));
    else
        printf("%d ", chosen);
    puts(code == CO4_ECLOSED ? "CO4_ECLOSED" : co4_strerror(code));
    if (end == co4_fd_detach)
        close(fds[0]);
    co4_close(fds[1]);
}

static pausable void all(void)
{
    never = co4_mailbox_create(sizeof(int), 1);
    for (int what = READ; what <= BEHIND; what++)
        ended(co4_close, "closed", (enum what)what);
    for (int what = READ; what <= BEHIND; what++)
        ended(co4_fd_detach, "forgotten", (enum what)what);
    co4_mailbox_destroy(never);
}

int main(void)
{
    co4_run(all());
    return 0;
}
