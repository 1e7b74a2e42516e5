/* conn_delimiters.c - a delimiter comes in two parts, split at each place, in the middle of a
 * stream; also where its beginning repeats.
 * needs: descriptors
 * modes: woven forced
 * expect: 13 delimiters, split at 71 places: all found */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text, *delimiter;
} cases[] = {
    { "one\r\n", "\r\n" },
    { "one\r\r\ntwo", "\r\n" },
    { "\r\n", "\r\n" },
    { "\r\r\r\n\r\n", "\r\n" },
    { "aab", "ab" },
    { "aaaab", "aab" },
    { "xaabaac", "aac" },
    { "ababac", "abac" },
    { "a\r\n\r\r\n\r\nb", "\r\n\r\n" },
    { "--x--xy--", "--xy" },
    { "line\n\nx", "\n" },
    { "abcabcabd", "abcabd" },
    { "0000001", "0001" },
};

static void pair(co4_conn *c[2])
{
    int fds[2];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    c[0] = co4_conn_create(fds[0]);
    c[1] = co4_conn_create(fds[1]);
}

static pausable void read_one(co4_conn *c, const char *delimiter, char *got, ssize_t *n)
{
    char *data;
    *n = co4_conn_read_to(c, &data, delimiter, strlen(delimiter), 100);
    if (*n > 0)
        memcpy(got, data, (size_t)*n);
}

/* The reader has taken the first part, and looked at it, when the second is sent. The stream ends
 * there: a reader that overlooks the delimiter gets more. */
static pausable bool finds(const char *text, const char *delimiter, size_t split)
{
    co4_conn *c[2];
    size_t all = strlen(text);
    char got[100] = "", rest[100] = "";
    const char *at = strstr(text, delimiter);
    size_t want = (size_t)(at - text) + strlen(delimiter);
    ssize_t n = 0;
    pair(c);
    co4_conn_put(c[0], "head", 4);
    co4_conn_put(c[0], text, split);
    co4_conn_flush(c[0]);
    co4_conn_read_exact(c[1], got, 4);
    co4_task *t = co4_spawn(read_one(c[1], delimiter, got, &n));
    while (co4_task_state_of(t) == CO4_TASK_READY)
        co4_yield();
    co4_conn_put(c[0], text + split, all - split);
    co4_conn_close(c[0]);
    co4_join(t, NULL);
    bool same = n == (ssize_t)want && memcmp(got, text, want) == 0 &&
                co4_conn_read_exact(c[1], rest, all - want) == (ssize_t)(all - want) &&
                memcmp(rest, text + want, all - want) == 0;
    co4_conn_close(c[1]);
    return same;
}

static pausable void all(void)
{
    int count = (int)(sizeof cases / sizeof *cases), places = 0, lost = 0;
    for (int i = 0; i < count; i++)
        for (size_t split = 1; split < strlen(cases[i].text); split++, places++)
            if (!finds(cases[i].text, cases[i].delimiter, split)) {
                printf("delimiter %d, split at %zu: wrong\n", i, split);
                lost++;
            }
    printf("%d delimiters, split at %d places: %s\n", count, places,
           lost ? "not all found" : "all found");
}

int main(void)
{
    co4_run(all());
    return 0;
}
