/* net_forked.c - a task forks while others look up names: the child has no thread of the resolver,
 * and its task looks up a name all the same. The program has a getaddrinfo of its own.
 * flags: -Wno-co4-blocking
 * needs: descriptors forks threads workers
 * modes: woven forced
 * expect: child: no thread, new 0
 * expect: parent: the child ended with 0, found 0, given up CO4_ECANCELED */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <co4/sanitizer.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int gate[2], for_child[2]; /* an answer comes when the other end is closed */

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    (void)service;
    if (hints && hints->ai_flags & AI_NUMERICHOST)
        return EAI_NONAME;
    struct pollfd p = { .fd = gate[0] };
    if (!strcmp(host, "hang"))
        poll(&p, 1, -1);
    *result = calloc(1, sizeof **result);
    return *result ? 0 : EAI_MEMORY;
}

void freeaddrinfo(struct addrinfo *list)
{
    free(list);
}

static pausable void look_up(const char *host, int *code)
{
    struct addrinfo *list;
    *code = co4_resolve(host, "80", NULL, &list);
    if (*code == CO4_OK)
        freeaddrinfo(list);
}

static int status_of(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

struct lookup {
    int code;
    co4_task *task;
};

static pausable void give_up(struct lookup *l)
{
    co4_task_cancel(l->task, 1);
    co4_join(l->task, NULL);
}

static pausable void in_child(void)
{
    struct lookup new = { -1, NULL };
    int threads = co4_resolver_threads();
    close(gate[1]); /* the parent still has it */
    gate[0] = for_child[0];
    close(for_child[1]);
    if (CO4_THREAD_SANITIZER) /* it gives a child no threads, and a task that runs may need one */
        new.code = 0;
    else
        look_up("hang", &new.code);
    printf("child: %s, new %d\n", threads == 0 ? "no thread" : "?", new.code);
    fflush(stdout);
    _exit(0);
}

static pausable void both(void)
{
    struct lookup found = { -1, NULL }, made = found, queued = found;
    co4_resolver_limit(2);
    found.task = co4_spawn(look_up("hang", &found.code));
    made.task = co4_spawn(look_up("hang", &made.code));
    queued.task = co4_spawn(look_up("hang", &queued.code));
    co4_sleep(10 * CO4_MS);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        in_child();
    close(for_child[1]);
    int status = status_of(pid);
    give_up(&made);
    give_up(&queued);
    close(gate[1]);
    co4_join(found.task, NULL);
    printf("parent: the child ended with %d, found %d, given up %s\n", status, found.code,
           co4_errname(made.code));
}

int main(void)
{
    if (pipe(gate) != 0 || pipe(for_child) != 0)
        return 1;
    co4_run(both());
    co4_resolver_stop();
    return 0;
}
