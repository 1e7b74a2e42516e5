/* servers.c - the recipes of the cookbook about servers, signals and children.
 * modes: woven forced
 * needs: descriptors signals forks threads
 * expect: served
 * expect: drained, 0 tasks left
 * expect: never more than 2 clients
 * expect: signal 10
 * expect: a
 * expect: b
 * expect: 3 lines
 * expect: too slow: CO4_ETIMEDOUT
 * expect: its input sorted: a b
 * expect: from standard input: 0 */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <co4/net.h>
#include <co4/process.h>
#include <co4/signal.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How does a server end: no new clients, a moment for the others, then an end? */

static pausable int serve(int fd)
{
    char *line;
    co4_conn *c = co4_conn_create(fd);
    while (c && co4_conn_read_line(c, &line, 512) > 0)
        co4_conn_printf(c, "hello, %s", line);
    return co4_conn_close(c);
}

static pausable int accept_all(int listener)
{
    int fd, code = CO4_OK;
    while (code == CO4_OK && (fd = co4_accept_next(listener)) >= 0)
        code = co4_scope_spawn(co4_scope_here(), serve(fd));
    return code;
}

static pausable int stop_at_signal(int listener)
{
    co4_mailbox *signals;
    co4_signal signal;
    co4_task *server = NULL;
    int code = co4_signals(&signals, SIGINT, SIGTERM);
    if (code == CO4_OK)
        server = co4_spawn(co4_scope_run(CO4_SCOPE_KEEP_GOING, accept_all(listener)));
    if (code == CO4_OK && (code = co4_mailbox_receive(signals, &signal)) == CO4_OK) {
        co4_close(listener); /* no new clients: co4_accept_next() returns CO4_ECLOSED */
        code = co4_task_join_until(server, co4_after(20 * CO4_MS)); /* a moment for the others */
        if (code == CO4_ETIMEDOUT)
            co4_task_cancel(server, 0); /* and all that its scope has started */
    }
    if (server)
        co4_join(server, NULL);
    co4_signals_destroy(signals);
    return code;
}

/* How do I limit the number of clients? */

struct few {
    co4_sem room;
    int now, most;
};

static pausable void serve_counted(struct few *few, int fd)
{
    if (++few->now > few->most)
        few->most = few->now;
    serve(fd);
    few->now--;
    co4_sem_release(&few->room);
}

static pausable int accept_few(struct few *few, int listener)
{
    int fd = CO4_ECANCELED;
    while (co4_sem_acquire(&few->room) == CO4_OK && /* first room, then a client */
           (fd = co4_accept_next(listener)) >= 0)
        co4_spawn(serve_counted(few, fd));
    return fd;
}

/* How does a task wait for a signal? */

static pausable int wait_for_signal(void)
{
    co4_mailbox *signals;
    co4_signal signal = { 0 };
    int code = co4_signals(&signals, SIGUSR1);
    if (code != CO4_OK)
        return code;
    kill(getpid(), SIGUSR1);
    code = co4_mailbox_receive(signals, &signal); /* also a case of a select */
    co4_signals_destroy(signals);
    return code == CO4_OK ? signal.signo : code;
}

/* How do I read the lines of a child, as they come? */

static pausable int print_child(const char *const argv[])
{
    co4_process *child;
    char *line;
    int status, code;
    if ((code = co4_process_start(&child, argv, &(co4_process_options){ .out = CO4_PROCESS_PIPE })))
        return code;
    co4_conn *c = co4_conn_create(dup(co4_process_stdout(child)));
    while (c && co4_conn_read_line(c, &line, 4096) > 0)
        fputs(line, stdout);
    co4_conn_close(c);
    code = co4_process_wait(child, &status);
    co4_process_destroy(child);
    return code;
}

/* How do I get all that a program prints? */

static pausable int count_lines(const char *const argv[])
{
    char *text;
    size_t bytes;
    int status, lines = 0;
    int code = co4_process_output(argv, NULL, &text, &bytes, 1 << 20, &status);
    for (size_t i = 0; code == CO4_OK && i < bytes; i++)
        lines += text[i] == '\n';
    if (code == CO4_OK)
        free(text);
    return code == CO4_OK ? lines : code;
}

/* How do I stop a program that takes too long? */

static pausable int run_in_time(const char *const argv[])
{
    int status; /* at the deadline SIGTERM, and SIGKILL when it has not ended two seconds later */
    return co4_process_run_until(argv, NULL, &status, co4_after(10 * CO4_MS));
}

/* How do I give a program its input, and read its output? */

static pausable int sort(const char *text, size_t bytes, char *sorted, size_t room)
{
    const char *const argv[] = { "sort", NULL };
    co4_process *child;
    int status, code = co4_process_start(
                    &child, argv,
                    &(co4_process_options){ .in = CO4_PROCESS_PIPE, .out = CO4_PROCESS_PIPE });
    if (code != CO4_OK)
        return code;
    co4_write(co4_process_stdin(child), text, bytes);
    co4_process_close(child, STDIN_FILENO); /* it has all of its input: much of it needs a task */
    ssize_t n = co4_read(co4_process_stdout(child), sorted, room);
    code = co4_process_wait(child, &status);
    co4_process_destroy(child);
    return n < 0 ? CO4_ECLOSED : code;
}

/* How do I read standard input without stopping the other tasks? */

static pausable int lines_of_input(void)
{
    char *line;
    int lines = 0;
    co4_conn *in = co4_conn_create(dup(STDIN_FILENO));
    while (in && co4_conn_read_line(in, &line, 4096) > 0)
        lines++;
    co4_conn_close(in);
    return lines;
}

static pausable void greet(const char *port)
{
    char text[16];
    int fd = co4_tcp_connect("localhost", port);
    co4_write(fd, "x\n", 2);
    if (co4_read(fd, text, sizeof text) > 0)
        puts("served");
    kill(getpid(), SIGTERM);
    co4_read(fd, text, sizeof text); /* never says a word again */
    co4_close(fd);
}

static pausable void visit(const char *port)
{
    char text[16];
    int fd = co4_tcp_connect("localhost", port);
    co4_write(fd, "x\n", 2);
    co4_read(fd, text, sizeof text);
    co4_close(fd);
}

static pausable int visits(const char *port)
{
    int code = CO4_OK;
    for (int i = 0; i < 5 && code == CO4_OK; i++)
        code = co4_scope_spawn(co4_scope_here(), visit(port));
    return code;
}

static pausable void all(void)
{
    char port[8], sorted[16];
    int listener = co4_tcp_listen("localhost", "0", 0);
    snprintf(port, sizeof port, "%d", co4_socket_port(listener));
    co4_task *client = co4_spawn(greet(port));
    int code = stop_at_signal(listener);
    co4_join(client, NULL);
    printf("drained, %d tasks left\n", code == CO4_OK || code == CO4_ETIMEDOUT ? 0 : -1);

    struct few few = { CO4_SEM_INIT(2), 0, 0 };
    listener = co4_tcp_listen("localhost", "0", 0);
    snprintf(port, sizeof port, "%d", co4_socket_port(listener));
    co4_task *server = co4_spawn(accept_few(&few, listener));
    co4_scope_run(0, visits(port));
    co4_close(listener);
    co4_join(server, NULL);
    printf("never more than %d clients\n", few.most);

    printf("signal %d\n", wait_for_signal());
    fflush(stdout);
    print_child((const char *const[]){ "printf", "a\\nb\\n", NULL });
    printf("%d lines\n", count_lines((const char *const[]){ "printf", "1\\n2\\n3\\n", NULL }));
    printf("too slow: %s\n",
           co4_errname(run_in_time((const char *const[]){ "sleep", "1000", NULL })));
    if (sort("b\na\n", 4, sorted, sizeof sorted) == CO4_OK)
        printf("its input sorted: %c %c\n", sorted[0], sorted[2]);
    printf("from standard input: %d\n", lines_of_input());
}

int main(void)
{
    int null = open("/dev/null", O_RDONLY); /* so that the sample's input ends at once */
    dup2(null, STDIN_FILENO);
    co4_run(all());
    return 0;
}
