/* report.c - reports of the tasks and messages that remain when a runtime ends. */
#include "debug/report.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "base/text.h"
#include "debug/dump.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "sched/count.h"
#include "sched/runtime.h"
#include "sync/mailbox.h"

static co4__lock accounts_lock; /* guards the list; a mailbox may be locked under it */
static struct co4__account *accounts;

/* The position of a thread that writes a report: the next mailbox. */
struct reader {
    struct co4__account *at;
    struct reader *next;
};
static struct reader *readers; /* under accounts_lock */

void co4__account_add(struct co4__account *a, co4_mailbox *mb)
{
    a->mailbox = mb;
    co4__lock_take(&accounts_lock);
    a->next = accounts;
    a->link = &accounts;
    if (a->next)
        a->next->link = &a->next;
    accounts = a;
    co4__lock_give(&accounts_lock);
}

void co4__account_drop(struct co4__account *a)
{
    co4__lock_take(&accounts_lock);
    for (struct reader *r = readers; r; r = r->next)
        if (r->at == a)
            r->at = a->next;
    *a->link = a->next;
    if (a->next)
        a->next->link = a->link;
    co4__lock_give(&accounts_lock);
}

/* Stores the next mailbox and its number of messages. False: there is no other mailbox. */
static bool next_mailbox(struct reader *r, const co4_mailbox **mb, unsigned *count, uint32_t *bytes)
{
    *count = 0;
    co4__lock_take(&accounts_lock);
    struct co4__account *a = r->at;
    if (a) {
        r->at = a->next;
        *mb = a->mailbox;
        *bytes = a->mailbox->ring.elem_size;
        co4__lock_take(&a->mailbox->queues[0].lock);
        *count = a->mailbox->ring.count;
        co4__lock_give(&a->mailbox->queues[0].lock);
    }
    co4__lock_give(&accounts_lock);
    return a != NULL;
}

/* Writes all mailboxes with messages. Returns their number. */
static unsigned put_mailboxes(struct co4__text *x)
{
    unsigned n = 0, count;
    uint32_t bytes = 0;
    const co4_mailbox *mb = NULL;
    co4__lock_take(&accounts_lock);
    struct reader r = { accounts, readers };
    readers = &r;
    co4__lock_give(&accounts_lock);
    while (next_mailbox(&r, &mb, &count, &bytes)) {
        if (count == 0)
            continue;
        n++;
        co4__put_object(x, "  mailbox", mb);
        co4__put(x, ": messages left: ");
        co4__put_number(x, count);
        co4__put(x, ", bytes each: ");
        co4__put_number(x, bytes);
        co4__put(x, "\n");
    }
    co4__lock_take(&accounts_lock);
    for (struct reader **at = &readers; *at; at = &(*at)->next)
        if (*at == &r) {
            *at = r.next;
            break;
        }
    co4__lock_give(&accounts_lock);
    return n;
}

int co4_runtime_report(co4_runtime *rt, co4_writer *write, void *data)
{
    struct co4__text out;
    if (!rt || !write)
        return CO4_EINVAL;
    bool left = co4__runtime_alive(rt) > 0;
    co4__text_begin(&out, write, data);
    if (left) {
        co4__put(&out, "tasks that have not stopped:\n");
        co4__dump_runtime(&out, rt);
    }
    struct co4__text boxes = { .write = NULL };
    if (rt->options.report && put_mailboxes(&boxes) > 0) {
        co4__put(&out, "mailboxes with messages:\n");
        put_mailboxes(&out);
        left = true;
    }
    int err = co4__text_end(&out);
    return err != CO4_OK ? err : left ? CO4_EBUSY : CO4_OK;
}

void co4__reports(int by)
{
    atomic_fetch_add(&co4__accounts, (unsigned)by);
}

void co4__report_left(co4_runtime *rt)
{
    co4_runtime_report(rt, rt->options.report, rt->options.report_data);
}

void co4__report_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&accounts_lock);
    if (how == CO4__FORK_CHILD)
        readers = NULL;
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&accounts_lock);
}
