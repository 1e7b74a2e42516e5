/* conn_input.c - buffered connections over standard input and output: lines and answers.
 * needs: io
 * modes: woven forced
 * partner: hear; say one; hear; sleep 0.1; printf tw; sleep 0.1; say o; hear
 * partner: say three; say four; hear; hear; printf last; hang_up
 * expect: ready
 * expect: 1 one
 * expect: 2 two
 * expect: 3 three
 * expect: 4 four
 * expect: deadline CO4_ETIMEDOUT, end 4 last, then 0
 * expect: end of output: ENOTSOCK */
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static pausable void all(void)
{
    co4_conn *in = co4_conn_create(0), *out = co4_conn_create(1);
    char *line = NULL;
    ssize_t n;
    n = co4_conn_read_line_until(in, &line, 100, 0);
    const char *early = co4_errname((int)n);
    co4_conn_printf(out, "ready\n");
    co4_conn_flush(out);
    for (int i = 1; (n = co4_conn_read_line(in, &line, 100)) > 0 && line[n - 1] == '\n'; i++) {
        co4_conn_printf(out, "%d %s", i, line);
        co4_conn_flush(out);
    }
    co4_conn_printf(out, "deadline %s, end %d %.*s, ", early, (int)n, (int)n, line);
    co4_conn_printf(out, "then %d\n", (int)co4_conn_read_line(in, &line, 100));
    int ended = co4_conn_end(out);
    co4_conn_printf(out, "end of output: %s\n",
                    ended == -ENOTSOCK ? "ENOTSOCK" : co4_errname(ended));
    co4_conn_close(out);
    co4_conn_close(in);
}

int main(void)
{
    co4_run(all());
    return 0;
}
