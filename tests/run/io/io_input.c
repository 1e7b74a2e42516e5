/* io_input.c - standard input, while other tasks run: waits, deadlines, cancellation, its end.
 * needs: io
 * modes: woven forced
 * partner: hear; sleep 0.2; say one
 * partner: hear; hear; say two
 * partner: hear; hear; say three
 * partner: hear; hear; sleep 0.05; say four
 * partner: hear; hear; hear; sleep 0.05; say five
 * partner: hear; hear; sleep 0.05; say six
 * partner: hear; hear; say six; hear; sleep 0.1; hang_up
 * expect: read: waits
 * expect: read: one, others ran meanwhile
 * expect: deadline: ETIMEDOUT in time
 * expect: deadline: then two
 * expect: cancelled: ECANCELED
 * expect: cancelled: then three
 * expect: poll: timeout 0
 * expect: poll: readable, four
 * expect: select: mailbox
 * expect: select: nothing in time
 * expect: select: input, five
 * expect: busy: waits
 * expect: busy: six
 * expect: two readers: wait
 * expect: two readers: six
 * expect: end: 0 0 0, poll readable, others ended: 2 */
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int ticks;
static bool stops;

static pausable void tick(void)
{
    while (!stops && co4_sleep(2 * CO4_MS) == CO4_OK)
        ticks++;
}

/* The output is a pipe: the partner hears at once. */
static pausable void print(const char *text)
{
    co4_write(1, text, strlen(text));
}

/* Reads a line, byte by byte and piece by piece. */
static pausable const char *line(void)
{
    static char text[32];
    size_t n = 0;
    while (n < sizeof text - 1 && (n == 0 || text[n - 1] != '\n')) {
        ssize_t got = co4_read(0, text + n, 1);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    text[n > 0 ? n - 1 : 0] = '\0';
    return text;
}

static pausable void reads(void)
{
    char text[80];
    print("read: waits\n");
    int before = ticks;
    const char *got = line();
    snprintf(text, sizeof text, "read: %s, others %s meanwhile\n", got,
             ticks - before >= 3 ? "ran" : "stood still");
    print(text);
}

static pausable void deadline(void)
{
    char byte, text[80];
    int64_t began = co4_now();
    ssize_t n = co4_read_until(0, &byte, 1, began + 30 * CO4_MS);
    int err = errno;
    int64_t took = co4_now() - began;
    snprintf(text, sizeof text, "deadline: %s %s\n", n < 0 && err == ETIMEDOUT ? "ETIMEDOUT" : "?",
             took < 30 * CO4_MS    ? "too early"
             : took < 20 * CO4_SEC ? "in time"
                                   : "late");
    print(text);
    snprintf(text, sizeof text, "deadline: then %s\n", line());
    print(text);
}

static int failed_with;

static pausable void victim(void)
{
    char byte;
    failed_with = co4_read(0, &byte, 1) < 0 ? errno : 0;
}

static pausable void cancelled(void)
{
    char text[80];
    co4_task *t = co4_spawn(victim());
    co4_sleep(20 * CO4_MS);
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
    print(failed_with == ECANCELED ? "cancelled: ECANCELED\n" : "cancelled: ?\n");
    snprintf(text, sizeof text, "cancelled: then %s\n", line());
    print(text);
}

static pausable void polls(void)
{
    char text[80];
    struct pollfd p = { .fd = 0, .events = POLLIN };
    int n = co4_poll(&p, 1, 0);
    print(n == 0 ? "poll: timeout 0\n" : "poll: ?\n");
    n = co4_poll(&p, 1, -1);
    snprintf(text, sizeof text, "poll: %s, %s\n", n == 1 && (p.revents & POLLIN) ? "readable" : "?",
             line());
    print(text);
}

static pausable void sends(co4_mailbox *mb)
{
    int msg = 1;
    co4_sleep(20 * CO4_MS);
    co4_mailbox_send(mb, &msg);
}

static pausable void selects(void)
{
    char text[80];
    int msg = 0;
    co4_mailbox *mb = co4_mailbox_create(sizeof msg, 1);
    co4_task *t = co4_spawn(sends(mb));
    co4_case cases[] = { CO4_CASE(co4_fd_readable(0), NULL),
                         CO4_CASE(co4_mailbox_source(mb), &msg) };
    int n = co4_select(cases, 2);
    co4_join(t, NULL);
    print(n == 1 && msg == 1 ? "select: mailbox\n" : "select: ?\n");
    n = co4_select_until(cases, 2, 0, co4_now() + 20 * CO4_MS);
    print(n == CO4_ETIMEDOUT ? "select: nothing in time\n" : "select: ?\n");
    n = co4_select(cases, 2);
    snprintf(text, sizeof text, "select: %s, %s\n", n == 0 ? "input" : "?", line());
    print(text);
    co4_mailbox_destroy(mb);
}

static bool is_read;

static pausable void never_sleeps(void)
{
    while (!is_read)
        co4_yield();
}

/* A thread that is never idle looks now and then. */
static pausable void busy(void)
{
    char text[80];
    co4_task *t = co4_spawn(never_sleeps());
    print("busy: waits\n");
    snprintf(text, sizeof text, "busy: %s\n", line());
    is_read = true;
    co4_join(t, NULL);
    print(text);
}

static char seen[8];
static int nseen, nended;

/* The end wakes each of those that wait. */
static pausable void one_of_two(void)
{
    char byte;
    while (co4_read(0, &byte, 1) == 1) {
        seen[nseen++] = byte;
        co4_yield();
    }
    nended++;
}

static pausable void two_readers(void)
{
    char byte, text[80];
    co4_task *a = co4_spawn(one_of_two()), *b = co4_spawn(one_of_two());
    co4_sleep(5 * CO4_MS);
    print("two readers: wait\n");
    while (nseen < 4)
        co4_sleep(CO4_MS);
    snprintf(text, sizeof text, "two readers: %.3s\n", seen);
    print(text);
    struct pollfd p = { .fd = 0, .events = POLLIN };
    int one = (int)co4_read(0, &byte, 1), two = (int)co4_read(0, &byte, 1);
    int n = co4_poll(&p, 1, -1), three = (int)co4_read_until(0, &byte, 1, co4_now() + CO4_SEC);
    co4_join(a, NULL);
    co4_join(b, NULL);
    snprintf(text, sizeof text, "end: %d %d %d, poll %s, others ended: %d\n", one, two, three,
             n == 1 ? "readable" : "?", nended);
    print(text);
}

static pausable void all(void)
{
    co4_task *ticker = co4_spawn(tick());
    reads();
    deadline();
    cancelled();
    polls();
    selects();
    busy();
    two_readers();
    stops = true;
    co4_join(ticker, NULL);
}

int main(void)
{
    co4_run(all());
    return 0;
}
