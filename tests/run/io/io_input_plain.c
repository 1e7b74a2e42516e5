/* io_input_plain.c - one task at standard input: the plain calls block the thread likewise.
 * needs: io
 * partner: hear; sleep 0.05; say one
 * partner: hear; hear; sleep 0.05; say two
 * partner: hear; hear
 * expect: read: waits
 * expect: read: one
 * expect: deadline: ETIMEDOUT in time
 * expect: wait: readable, two
 * expect: poll: nothing in time
 * expect: end: 0
 * expect: bad: EBADF EBADF CO4_EINVAL */
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static pausable void print(const char *text)
{
    co4_write(1, text, strlen(text));
}

static pausable void read_line(const char *what)
{
    char line[16], text[64];
    struct iovec parts[] = { { line, 2 }, { line + 2, sizeof line - 3 } };
    ssize_t n = co4_readv(0, parts, 2);
    line[n > 0 ? n : 0] = '\0';
    snprintf(text, sizeof text, "%s%s", what, line);
    print(text);
}

static const char *failure(int result)
{
    return result >= 0 ? "0" : errno == EBADF ? "EBADF" : "?";
}

static pausable void all(void)
{
    char byte, text[80];
    print("read: waits\n");
    read_line("read: ");
    int64_t began = co4_now();
    ssize_t n = co4_read_until(0, &byte, 1, began + 30 * CO4_MS);
    bool in_time = n < 0 && errno == ETIMEDOUT && co4_now() - began >= 30 * CO4_MS;
    print(in_time ? "deadline: ETIMEDOUT in time\n" : "deadline: ?\n");
    print(co4_fd_wait(0, POLLIN) == 0 ? "wait: readable, " : "wait: ?, ");
    read_line("");
    struct pollfd p = { .fd = 0, .events = POLLIN };
    print(co4_poll(&p, 1, 20) == 0 ? "poll: nothing in time\n" : "poll: ?\n");
    read_line("end: 0\n");
    const char *of_read = failure((int)co4_read(99, &byte, 1));
    const char *of_write = failure((int)co4_write(99, "x", 1));
    snprintf(text, sizeof text, "bad: %s %s %s\n", of_read, of_write,
             co4_errname(co4_fd_wait(0, POLLIN | POLLOUT)));
    print(text);
}

int main(void)
{
    co4_run(all());
    return 0;
}
