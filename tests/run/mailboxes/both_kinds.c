/* both_kinds - receivers and senders wait at one mailbox at a time, while a filter looks at what
 * is held back for it.
 * modes: woven
 * expect: receivers wait: full, 6 wait at one mailbox, got 1 2 3, put 2 3 4, left 4
 * expect: one of each is cancelled: full, got 1 2, put 2 4, left 4
 * expect: closed: full, got 1, put none, closed for 6
 * expect: senders wait: empty, got 2 3 4, put 2 3 4 */
#include <co4.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EACH 3

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static co4_mailbox *mb;
static co4_task *tasks[2 * EACH];
static char got[40], put[40];
static int closed, looks;
static void (*meanwhile)(void);

static void note(char *text, int n)
{
    char number[8];
    snprintf(number, sizeof number, " %d", n);
    strcat(text, number);
}

static void is_closed(int err)
{
    closed += err == CO4_ECLOSED;
}

static pausable void takes(void)
{
    int n, err = co4_mailbox_receive_until(mb, &n, co4_now() + 100 * CO4_SEC);
    if (err == CO4_OK)
        note(got, n);
    is_closed(err);
}

static pausable void puts_one(int n)
{
    int err = co4_mailbox_send(mb, &n);
    if (err == CO4_OK)
        note(put, n);
    is_closed(err);
}

/* The first call comes when it is notified: all the others wait then. The message stays there. */
static int refuses(void *arg, const void *value)
{
    (void)arg, (void)value;
    if (looks++ == 0)
        meanwhile();
    return 0;
}

static pausable void looks_at(co4_source *of)
{
    co4_filtering f;
    int n, err = co4_await(co4_source_filter(&f, of, refuses, NULL), &n);
    is_closed(err);
}

static pausable void let_others(void)
{
    for (int i = 0; i < 40; i++)
        co4_yield();
}

static void begin(void (*then)(void))
{
    mb = co4_mailbox_create(sizeof(int), 1);
    meanwhile = then;
    *got = *put = 0;
    closed = looks = 0;
}

static void spawned(int i, co4_task *task)
{
    tasks[i] = task;
    must(co4_runtime_schedule(NULL, task));
}

/* The filter is first in the queue, and is notified last, when all have come. */
static pausable void receivers_wait(void (*then)(void))
{
    int n = 1;
    begin(then);
    co4_spawn(looks_at(co4_mailbox_source(mb)));
    co4_yield();
    for (int i = 0; i < EACH; i++)
        spawned(i, co4_task_create(takes()));
    co4_yield();
    for (int i = 0; i < EACH; i++)
        spawned(EACH + i, co4_task_create(puts_one(2 + i)));
    must(co4_mailbox_send_until(mb, &n, CO4_NOW));
    let_others();
    for (int i = 0; i < 2 * EACH; i++)
        co4_task_release(tasks[i]);
    printf("got%s, put%s", got, *put ? put : " none");
}

static pausable void close_and_destroy(void)
{
    int n;
    must(co4_mailbox_close(mb));
    int err = co4_mailbox_receive_until(mb, &n, CO4_NOW);
    let_others();
    must(err == CO4_OK || err == CO4_ECLOSED ? co4_mailbox_destroy(mb) : err);
}

static int left(void)
{
    int n = -1;
    must(co4_mailbox_receive_until(mb, &n, CO4_NOW));
    return n;
}

static void is_full(void)
{
    int n = 9;
    printf("%s, ", co4_mailbox_send_until(mb, &n, CO4_NOW) == CO4_EFULL ? "full" : "not full");
}

static char text[8192];

static int keep(void *data, const char *more, size_t bytes)
{
    (void)data;
    if (bytes >= sizeof text - strlen(text))
        return CO4_EFULL;
    strncat(text, more, bytes);
    return CO4_OK;
}

/* They wait in two lists, and a dump names the mailbox of both. */
static void is_full_and_dumped(void)
{
    static const char words[] = " mailbox ";
    int n = 0;
    is_full();
    must(co4_dump(NULL, keep, NULL));
    for (const char *at = text; (at = strstr(at, words)) != NULL;) {
        at += strlen(words);
        n += strtoull(at, NULL, 16) == (uintptr_t)mb;
    }
    printf("%d wait at one mailbox, ", n);
}

static void cancel(void)
{
    is_full();
    must(co4_task_cancel(tasks[1], 0));
    must(co4_task_cancel(tasks[EACH + 1], 0));
}

/* Receivers wait on, for there is a message. */
static void close_it(void)
{
    is_full();
    must(co4_mailbox_close(mb));
}

static void is_empty(void)
{
    int n;
    printf("%s, ",
           co4_mailbox_receive_until(mb, &n, CO4_NOW) == CO4_EEMPTY ? "empty" : "not empty");
}

/* The same with a place in place of the message. */
static pausable void senders_wait(void)
{
    static co4_sending putting;
    static int n = 1;
    begin(is_empty);
    must(co4_mailbox_send_until(mb, &n, CO4_NOW));
    co4_spawn(looks_at(co4_mailbox_sending(&putting, mb, &n)));
    co4_yield();
    for (int i = 0; i < EACH; i++)
        spawned(i, co4_task_create(puts_one(2 + i)));
    co4_yield();
    for (int i = 0; i < EACH; i++)
        spawned(EACH + i, co4_task_create(takes()));
    must(co4_mailbox_receive_until(mb, &n, CO4_NOW));
    let_others();
    for (int i = 0; i < 2 * EACH; i++)
        co4_task_release(tasks[i]);
    printf("got%s, put%s\n", got, put);
}

static pausable void all(void)
{
    printf("receivers wait: ");
    receivers_wait(is_full_and_dumped);
    printf(", left %d\n", left());
    close_and_destroy();
    printf("one of each is cancelled: ");
    receivers_wait(cancel);
    printf(", left %d\n", left());
    close_and_destroy();
    printf("closed: ");
    receivers_wait(close_it);
    printf(", closed for %d\n", closed);
    close_and_destroy();
    printf("senders wait: ");
    senders_wait();
    close_and_destroy();
}

int main(void)
{
    co4_run(all());
    return 0;
}
