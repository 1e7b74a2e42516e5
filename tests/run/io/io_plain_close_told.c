/* io_plain_close_told.c - of a plain close() of a descriptor at which tasks wait standard error has
 * the task, what it waits in, and the way out: once, though two tasks wait, and more come.
 *
 * needs: threads descriptors posix workers
 * modes: woven forced
 * expect: co4: close() of descriptor N while a task 'Ann' in reads() waits at it, which ends with EBADF; call co4_close() instead, or co4_fd_detach() first
 * expect: EBADF, EBADF, EBADF
 * expect: a quiet worker looks twice in five seconds */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char results[3][16];

static pausable void reads(int fd, const char *name, int number)
{
    char c;
    co4_task_set_name(co4_self(), name);
    ssize_t n = co4_read_until(fd, &c, 1, co4_now() + 10 * CO4_SEC);
    strcpy(results[number], n == -1 && errno == EBADF ? "EBADF" : "another end");
}

static pausable void lose(void)
{
    int fds[2], more[2];
    if (co4_pipe(fds) != 0 || co4_pipe(more) != 0)
        return;
    co4_task *ann = co4_spawn(reads(fds[0], "Ann", 0)), *bob = co4_spawn(reads(fds[0], "Bob", 1));
    co4_sleep(20 * CO4_MS);
    close(fds[0]);
    co4_join(ann, NULL);
    co4_join(bob, NULL);
    co4_task *eve = co4_spawn(reads(more[0], "Eve", 2));
    co4_sleep(20 * CO4_MS);
    close(more[0]);
    co4_join(eve, NULL);
}

static pausable void reads_open(int fd)
{
    char c;
    co4_read_until(fd, &c, 1, co4_now() + 5500 * CO4_MS);
}

/* An open descriptor costs a quiet process a look after one second, and one after two more. */
static void quiet(void)
{
    int fds[2];
    co4_stats s;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    if (!rt || co4_pipe(fds) != 0)
        return;
    co4_runtime_spawn(rt, reads_open(fds[0]));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    co4_stats_of(rt, &s);
    if (s.sleeps >= 3 && s.sleeps <= 4)
        puts("a quiet worker looks twice in five seconds");
    else
        printf("%llu sleeps\n", (unsigned long long)s.sleeps);
    co4_runtime_destroy(rt);
}

/* Numbers become N. */
static void copy_text(FILE *from)
{
    int c, was_digit = 0;
    rewind(from);
    while ((c = getc(from)) != EOF) {
        int digit = isdigit(c) && was_digit >= 0;
        if (digit && was_digit == 0)
            putchar('N');
        else if (!digit)
            putchar(c);
        was_digit = digit ? 1 : isalpha(c) ? -1 : 0;
    }
}

int main(void)
{
    FILE *said = tmpfile();
    int saved = dup(2);
    if (!said || saved < 0)
        return 1;
    dup2(fileno(said), 2);
    co4_run(lose());
    dup2(saved, 2);
    copy_text(said);
    printf("%s, %s, %s\n", results[0], results[1], results[2]);
    quiet();
    return 0;
}
