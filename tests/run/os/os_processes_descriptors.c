/* os_processes_descriptors.c - what a child inherits, its standard error, its number, and the pair
 * of a pipe with flags.
 * needs: descriptors processes
 * modes: woven forced
 * expect: a descriptor above 2: closed, with CO4_PROCESS_KEEP_FDS open
 * expect: with FD_CLOEXEC: closed
 * expect: standard error: to err
 * expect: inherited: the output of the program
 * expect: number: that of the child
 * expect: grace: CO4_PROCESS_GRACE is 2 s
 * expect: a pipe with O_CLOEXEC: has it, does not block */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <co4/process.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns whether the child finds the descriptor open. */
static pausable int is_open(int fd, int flags)
{
    char command[64];
    int status = -1;
    const char *const argv[] = { "sh", "-c", command, NULL };
    const co4_process_options options = { .err = CO4_PROCESS_NULL, .flags = flags };
    snprintf(command, sizeof command, "test -e /dev/fd/%d", fd);
    if (co4_process_run(argv, &options, &status) != 0)
        return -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char *said(int open)
{
    return open == 1 ? "open" : open == 0 ? "closed" : "?";
}

static pausable void inherits(void)
{
    int fd = open("/dev/null", O_RDONLY);
    const char *without = said(is_open(fd, 0));
    const char *with = said(is_open(fd, CO4_PROCESS_KEEP_FDS));
    printf("a descriptor above 2: %s, with CO4_PROCESS_KEEP_FDS %s\n", without, with);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    printf("with FD_CLOEXEC: %s\n", said(is_open(fd, CO4_PROCESS_KEEP_FDS)));
    close(fd);
}

static pausable void errors(void)
{
    char text[32] = "";
    int status;
    const char *const argv[] = { "sh", "-c", "echo to err >&2; echo $$", NULL };
    const co4_process_options options = { .out = CO4_PROCESS_PIPE, .err = CO4_PROCESS_PIPE };
    co4_process *process;
    if (co4_process_start(&process, argv, &options) != 0)
        return;
    co4_read(co4_process_stderr(process), text, sizeof text - 1);
    printf("standard error: %s", text);
    memset(text, 0, sizeof text);
    co4_read(co4_process_stdout(process), text, sizeof text - 1);
    int same = atoi(text) == (int)co4_process_pid(process);
    co4_process_wait(process, &status);
    co4_process_destroy(process);
    const char *const echo[] = { "echo", "inherited: the output of the program", NULL };
    const co4_process_options own = { .out = CO4_PROCESS_INHERIT };
    fflush(stdout);
    co4_process_run(echo, &own, &status);
    printf("number: %s\n", same && co4_process_pid(NULL) == -1 ? "that of the child" : "?");
}

pausable void all(void)
{
    int fds[2];
    inherits();
    errors();
    printf("grace: CO4_PROCESS_GRACE is %d s\n", (int)(CO4_PROCESS_GRACE / CO4_SEC));
    co4_pipe2(fds, O_CLOEXEC);
    printf("a pipe with O_CLOEXEC: %s, %s\n",
           fcntl(fds[0], F_GETFD) & fcntl(fds[1], F_GETFD) & FD_CLOEXEC ? "has it" : "?",
           fcntl(fds[0], F_GETFL) & O_NONBLOCK ? "does not block" : "blocks");
    co4_close(fds[0]);
    co4_close(fds[1]);
}

int main(void)
{
    co4_run(all());
    return 0;
}
