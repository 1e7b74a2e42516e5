/* trace_files - CO4_TRACE follows no link; rings go from a thread that has ended to the next; an
 * end while a trace is written stays one.
 * needs: threads signals posix workers
 * modes: woven
 * expect: a file: written
 * expect: through a link: as it was
 * expect: lanes of 50 threads after each other, and the first: 2
 * expect: ended while it was written, begun again: no error */
#define _GNU_SOURCE
#include <co4.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pausable void gets(co4_mailbox *mb)
{
    int n;
    while (co4_mailbox_receive(mb, &n) == CO4_OK)
        ;
}

static pausable void pauses(void)
{
    co4_sleep(CO4_US);
}

/* Another process, with that in its environment. */
static void traced(const char *path)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("CO4_TRACE", path, 1);
        co4_run(pauses());
        exit(0);
    }
    waitpid(pid, NULL, 0);
}

static long size_of(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    fclose(f);
    return n;
}

static co4_mailbox *box;

static void *puts_one(void *arg)
{
    int n = 1;
    co4_block(co4_mailbox_send(box, &n));
    return arg;
}

static char text[1 << 20];
static size_t used;
static int end_too;

static int keep(void *data, const char *bytes, size_t n)
{
    (void)data;
    if (end_too)
        co4_trace_end();
    if (used + n < sizeof text) {
        memcpy(text + used, bytes, n);
        used += n;
    }
    return CO4_OK;
}

int main(void)
{
    char path[64] = "/tmp/co4-trace-XXXXXX", file[80], link[80];
    if (!mkdtemp(path))
        return 1;
    snprintf(file, sizeof file, "%s/file", path);
    snprintf(link, sizeof link, "%s/link", path);
    traced(file);
    printf("a file: %s\n", size_of(file) > 100 ? "written" : "not");
    if (truncate(file, 0) != 0 || symlink(file, link) != 0)
        return 1;
    traced(link);
    printf("through a link: %s\n", size_of(file) == 0 ? "as it was" : "overwritten");
    unlink(link);
    unlink(file);
    rmdir(path);

    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_runtime_start(rt);
    box = co4_mailbox_create(sizeof(int), 1);
    co4_trace_begin(1000);
    co4_runtime_spawn(rt, gets(box));
    for (int i = 0; i < 50; i++) {
        pthread_t t;
        pthread_create(&t, NULL, puts_one, NULL);
        pthread_join(t, NULL);
    }
    co4_trace_write(keep, NULL);
    int lanes = 0;
    for (const char *at = text; (at = strstr(at, "\"name\":\"thread ")) != NULL; at++)
        lanes++;
    printf("lanes of 50 threads after each other, and the first: %d\n", lanes);
    end_too = 1;
    co4_trace_write(keep, NULL);
    printf("ended while it was written, begun again: %s\n", co4_strerror(co4_trace_begin(0)));
    co4_trace_end();
    co4_mailbox_close(box);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(box);
    return 0;
}
