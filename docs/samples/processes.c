/* processes.c - a child with a deadline, its output, its end beside a timer, and a server that ends
 * by a signal.
 * needs: descriptors signals forks
 * modes: woven forced
 * expect: output: 3 lines
 * expect: too slow: ended by signal 15
 * expect: it still runs
 * expect: exit status 3
 * expect: signal 15: the server ends */
#include <co4.h>
#include <co4/io.h>
#include <co4/process.h>
#include <co4/signal.h>
#include <co4/timer.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

static pausable void count_lines(void)
{
    const char *const argv[] = { "printf", "1\\n2\\n3\\n", NULL };
    char *text;
    size_t bytes;
    int status, lines = 0;
    if (co4_process_output(argv, NULL, &text, &bytes, 65536, &status) != CO4_OK)
        return; /* -ENOENT: no such program; -EMSGSIZE: more than 64 KiB */
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    printf("output: %d lines\n", lines);
    free(text);
}

static pausable void with_deadline(void)
{
    const char *const argv[] = { "sleep", "1000", NULL };
    int status;
    if (co4_process_run_until(argv, NULL, &status, co4_after(20 * CO4_MS)) == CO4_ETIMEDOUT)
        printf("too slow: ended by signal %d\n", WTERMSIG(status));
}

static pausable void watch(void)
{
    const char *const argv[] = { "sh", "-c", "read line; exit 3", NULL };
    co4_process *p;
    co4_timer timer;
    int status;
    if (co4_process_start(&p, argv, &(co4_process_options){ .in = CO4_PROCESS_PIPE }) != CO4_OK)
        return;
    co4_timer_init(&timer);
    co4_timer_start(&timer, co4_now() + 5 * CO4_MS);
    co4_case cases[] = { CO4_CASE(co4_process_ended(p), NULL),
                         CO4_CASE(co4_timer_source(&timer), NULL) };
    if (co4_select(cases, 2) == 1)
        puts("it still runs");
    co4_write(co4_process_stdin(p), "go\n", 3);
    if (co4_process_wait(p, &status) == CO4_OK && WIFEXITED(status))
        printf("exit status %d\n", WEXITSTATUS(status));
    co4_timer_destroy(&timer);
    co4_process_destroy(p);
}

static pausable void serve(int listener)
{
    int fd;
    while ((fd = co4_accept(listener, NULL, NULL)) >= 0)
        co4_close(fd);
}

static pausable void server(int listener)
{
    co4_signal signal;
    co4_mailbox *end;
    if (co4_signals(&end, SIGINT, SIGTERM) != CO4_OK)
        return;
    co4_task *t = co4_spawn(serve(listener));
    raise(SIGTERM);
    co4_mailbox_receive(end, &signal);
    co4_close(listener); /* ends the accept: EBADF */
    co4_join(t, NULL);
    co4_signals_destroy(end);
    printf("signal %d: the server ends\n", signal.signo);
}

static pausable void all(void)
{
    count_lines();
    with_deadline();
    watch();
    struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int listener = co4_socket(AF_INET, SOCK_STREAM, 0);
    if (co4_bind(listener, (struct sockaddr *)&here, sizeof here) == 0 &&
        co4_listen(listener, 16) == 0)
        server(listener);
}

int main(void)
{
    co4_run(all());
    return 0;
}
