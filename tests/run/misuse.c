/* misuse - what a program does wrong is told: a reason that cannot be kept cancels all the same; a
 * scope that has ended takes no task; a task that nobody owns is not released.
 * needs: threads
 * modes: woven
 * exit: 134
 * expect: cancelled with 1000: an argument is not acceptable, -7
 * expect: a group: an argument is not acceptable, -7
 * expect: a future: an argument is not acceptable, the task was cancelled
 * expect: into a scope that has ended: told
 * expect: co4: co4_task_release: nobody owns this task any more */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static pausable int waits(void)
{
    return co4_sleep(3600 * CO4_SEC);
}

static pausable int cancels(void)
{
    co4_task *t = co4_task_create(waits());
    co4_runtime_schedule(NULL, t);
    co4_yield();
    int err = co4_task_cancel(t, 1000);
    co4_task_join_until(t, co4_now() + 10 * CO4_SEC);
    printf("cancelled with 1000: %s, %d\n", co4_strerror(err), co4_task_cancelled(t));
    co4_task_release(t);
    t = co4_task_create(waits());
    co4_group *g = co4_group_create(NULL);
    must(co4_group_link(g, t));
    co4_runtime_schedule(NULL, t);
    err = co4_group_cancel(g, -129);
    printf("a group: %s, %d\n", co4_strerror(err), co4_group_cancelled(g));
    co4_task_join_until(t, co4_now() + 10 * CO4_SEC);
    co4_task_release(t);
    co4_group_destroy(g);
    co4_future *f = co4_async_code(waits());
    err = co4_future_cancel(f, 128);
    printf("a future: %s, %s\n", co4_strerror(err),
           co4_strerror(co4_future_await_until(f, NULL, co4_now() + 10 * CO4_SEC)));
    co4_future_release(f);
    return 0;
}

static co4_scope *ended;

static pausable int body(co4_scope *scope, void *arg)
{
    ended = scope;
    return arg != NULL;
}

static pausable int scopes(void)
{
    co4_scope_run(0, body, NULL);
    return co4_scope_spawn(ended, waits());
}

static pausable void nothing(void) {}

int main(void)
{
    int err = 0;
    dup2(1, 2);
    setbuf(stdout, NULL);
    co4_run(cancels());
    pid_t pid = fork();
    if (pid == 0) { /* a sanitizer may have its own word for it */
        fclose(stderr);
        _exit(co4_run(scopes()) == CO4_ESTATE ? 10 : 0);
    }
    waitpid(pid, &err, 0);
    printf("into a scope that has ended: %s\n",
           !WIFEXITED(err) || WEXITSTATUS(err) != 0 ? "told" : "nothing said");
    co4_task *task = co4_task_create(nothing());
    co4_task_release(task);
    co4_task_release(task);
    return 0;
}
