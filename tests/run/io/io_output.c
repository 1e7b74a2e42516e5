/* io_output.c - standard output that is full: a write waits while other tasks run and another waits
 * for input; deadlines; cancellation; a reader that goes away.
 * needs: io
 * modes: woven forced
 * partner: hear; sleep 0.1; say ok; overhear input
 * partner: sleep 0.1; echo "partner: $(head -c 300000 | wc -c) bytes" >&3
 * partner: hear; overhear full
 * partner: full=$(sed -n "s/^count //p" "$work/$mode.err")
 * partner: [ "$(head -c $full | tr -d x | wc -c)" -eq 0 ] && echo "partner: took them" >&3
 * partner: hear; sleep 0.2; say ok; overhear quiet
 * partner: echo "partner: $(head -c 300000 | wc -c) bytes" >&3
 * partner: hear; exec </dev/null; say gone
 * partner: overhear broken
 * expect: write: begins
 * expect: input: ok, while the output is full
 * expect: partner: 300000 bytes
 * expect: write: all, others ran
 * expect: full: some written in time, then ETIMEDOUT, cancelled ECANCELED
 * expect: partner: took them
 * expect: write: in order
 * expect: quiet: ok, while the output is full
 * expect: partner: 300000 bytes
 * expect: quiet: all
 * expect: broken: EPIPE EPIPE */
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static char much[1000000];
static int ticks, written;
static bool stops;

static pausable void tick(void)
{
    while (!stops && co4_sleep(2 * CO4_MS) == CO4_OK)
        ticks++;
}

static pausable void print(int fd, const char *text)
{
    co4_write(fd, text, strlen(text));
}

static pausable void writer(void)
{
    written = (int)co4_write(1, much, 300000);
}

static pausable void write_all(void)
{
    char text[80], line[8];
    print(1, "write: begins\n");
    co4_task *t = co4_spawn(writer());
    int n = (int)co4_read(0, line, sizeof line), before = ticks;
    snprintf(text, sizeof text, "input: %.*s, while the output %s\n", n > 0 ? n - 1 : 0, line,
             written == 0 ? "is full" : "has room");
    print(2, text);
    co4_join(t, NULL);
    snprintf(text, sizeof text, "write: %s, others %s\n", written == 300000 ? "all" : "?",
             ticks - before >= 3 ? "ran" : "stood still");
    print(1, text);
}

static const char *failure(ssize_t n)
{
    int err = errno;
    return n >= 0             ? "written"
           : err == ETIMEDOUT ? "ETIMEDOUT"
           : err == ECANCELED ? "ECANCELED"
           : err == EPIPE     ? "EPIPE"
                              : strerror(err);
}

static const char *cancelled_with;

static pausable void victim(void)
{
    cancelled_with = failure(co4_write(1, "?", 1));
}

static pausable void fill(void)
{
    char text[120];
    ssize_t some = co4_write_until(1, much, sizeof much, co4_now() + 30 * CO4_MS);
    ssize_t n;
    while ((n = co4_write_until(1, "x", 1, co4_now() + 30 * CO4_MS)) == 1)
        some++; /* a full pipe may have room in its last page */
    const char *then = failure(n);
    co4_task *t = co4_spawn(victim());
    co4_sleep(20 * CO4_MS);
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
    snprintf(text, sizeof text, "count %d\nfull: %s written in time, then %s, cancelled %s\n",
             (int)some, some > 0 && some < (int)sizeof much ? "some" : "?", then, cancelled_with);
    print(2, text);
    print(1, "write: in order\n");
}

/* No timer ends the thread's wait for both. */
static pausable void quiet(void)
{
    char text[80], line[8];
    written = 0;
    co4_task *t = co4_spawn(writer());
    int n = (int)co4_read(0, line, sizeof line);
    snprintf(text, sizeof text, "quiet: %.*s, while the output %s\n", n > 0 ? n - 1 : 0, line,
             written == 0 ? "is full" : "has room");
    print(2, text);
    co4_join(t, NULL);
    print(1, written == 300000 ? "quiet: all\n" : "quiet: ?\n");
}

static pausable void broken(void)
{
    char text[80], line[8];
    co4_read(0, line, sizeof line);
    const char *first = failure(co4_write(1, "?", 1));
    struct iovec two[] = { { "?", 1 }, { "?", 1 } };
    snprintf(text, sizeof text, "broken: %s %s\n", first, failure(co4_writev(1, two, 2)));
    print(2, text);
}

static pausable void all(void)
{
    co4_task *ticker = co4_spawn(tick());
    memset(much, 'x', sizeof much);
    write_all();
    fill();
    stops = true;
    co4_join(ticker, NULL);
    quiet();
    broken();
}

int main(void)
{
    co4_run(all());
    return 0;
}
