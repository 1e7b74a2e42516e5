/* dump_forked.c - a dump of all, in the child of a fork: of the run that goes on there, and of none
 * that other threads of the parent drive.
 * flags: -Wno-co4-blocking
 * needs: signals posix threads forks workers
 * modes: woven
 * expect: parent: of the run 1, of the runtime 1, of a thread's run 1
 * expect: child: of the run 1, of the runtime 0, of a thread's run 0 */
#include <co4.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static co4_mailbox *never;
static char dumped[20000];
static size_t length;

static int keep(void *data, const char *text, size_t bytes)
{
    (void)data;
    if (bytes > sizeof dumped - 1 - length)
        bytes = sizeof dumped - 1 - length;
    memcpy(dumped + length, text, bytes);
    length += bytes;
    return CO4_OK;
}

static pausable int waits(const char *name)
{
    int n;
    co4_task_set_name(co4_self(), name);
    return co4_mailbox_receive(never, &n);
}

static int has(const char *name)
{
    return strstr(dumped, name) != NULL;
}

static void show(const char *who)
{
    memset(dumped, 0, sizeof dumped);
    length = 0;
    co4_dump(NULL, keep, NULL);
    printf("%s: of the run %d, of the runtime %d, of a thread's run %d\n", who, has("of a run"),
           has("of a runtime"), has("of a thread"));
    fflush(stdout);
}

static void *other(void *unused)
{
    co4_run(waits("of a thread"));
    return unused;
}

static void show_in_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        show("child");
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static pausable void forks(void)
{
    co4_task_set_name(co4_self(), "of a run");
    for (length = 0; !has("of a runtime") || !has("of a thread") || !has("of a run");) {
        co4_sleep(CO4_MS);
        length = 0;
        co4_dump(NULL, keep, NULL);
    }
    show("parent");
    show_in_child();
    co4_mailbox_close(never);
}

int main(void)
{
    pthread_t thread;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    never = co4_mailbox_create(sizeof(int), 1);
    if (!rt || !never || co4_runtime_start(rt) != CO4_OK ||
        pthread_create(&thread, NULL, other, NULL) != 0)
        return 1;
    co4_runtime_spawn(rt, waits("of a runtime"));
    co4_run(forks());
    pthread_join(thread, NULL);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(never);
    return 0;
}
