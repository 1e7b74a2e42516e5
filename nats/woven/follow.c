/* follow.c - reads a stream in order, each message once.
 *
 * A consumer without acknowledgements numbers the messages that it gives. When a number is missing,
 * when the connection was lost, or when the server has forgotten the consumer, the follower makes a
 * new one, which begins behind the last message that was read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

enum { CREDIT = 256 };
static const int64_t QUIET = CO4_SEC / 5;

struct co4_nats_follower {
    struct co4_nats_consumer k;
    char *filter;
    co4_nats_from from;
    uint64_t number;  /* of the first message that is wanted */
    uint64_t given;   /* how many messages the current consumer has given */
    unsigned epoch;   /* of the connection when the current consumer was made */
    uint64_t pending; /* how many messages were stored when the current consumer was made */
    bool is_current;  /* all messages that were stored at the beginning have been read */
    bool read;        /* `number` follows the last message that was read, or the beginning "now" */
    int64_t heard;    /* when the last message was read, or the server was asked for the rest */
};

static unsigned epoch_of(co4_nats *c)
{
    pthread_mutex_lock(&c->lock);
    unsigned epoch = c->epoch;
    pthread_mutex_unlock(&c->lock);
    return epoch;
}

static char *config(const co4_nats_follower *f)
{
    static const char *const policies[] = { "all", "new", "last_per_subject", "by_start_sequence" };
    co4_nats_from from = f->read ? CO4_NATS_FROM_NUMBER : f->from;
    int err = CO4_OK;
    json_t *all = json_object(), *o = json_object();
    co4__nats_put_text(o, "ack_policy", "none", &err);
    co4__nats_put_text(o, "deliver_policy", policies[from], &err);
    if (from == CO4_NATS_FROM_NUMBER)
        co4__nats_put(o, "opt_start_seq", json_integer((json_int_t)(f->number > 0 ? f->number : 1)),
                      &err);
    co4__nats_put_text(o, "replay_policy", "instant", &err);
    co4__nats_put(o, "max_deliver", json_integer(1), &err);
    co4__nats_put(o, "mem_storage", json_true(), &err);
    co4__nats_put(o, "num_replicas", json_integer(1), &err);
    co4__nats_put(o, "inactive_threshold", json_integer(60 * CO4_SEC), &err);
    if (f->filter)
        co4__nats_put_text(o, "filter_subject", f->filter, &err);
    co4__nats_put_text(all, "stream_name", f->k.stream, &err);
    co4__nats_put(all, "config", o, &err);
    return co4__nats_text_of(all, &err);
}

static void end_inbox(co4_nats_follower *f)
{
    co4_nats_unsubscribe(f->k.inbox);
    f->k.inbox = NULL;
    free(f->k.name);
    f->k.name = NULL;
}

/* Makes a consumer with a new inbox. What still comes for the last consumer is dropped. */
static pausable int begin(co4_nats_follower *f, int64_t deadline)
{
    json_t *answer;
    end_inbox(f);
    f->epoch = epoch_of(f->k.c);
    f->given = 0;
    f->k.asked = 0;
    int err = co4__nats_open_inbox(&f->k, CREDIT + 16, deadline);
    if (err != CO4_OK)
        return err;
    CO4__NATS_FREED char *text = config(f);
    err = co4__nats_make_consumer(&f->k, NULL, text, &answer, deadline);
    if (err != CO4_OK) {
        json_decref(answer);
        return err;
    }
    f->pending = co4__nats_number(answer, "num_pending");
    f->is_current = f->is_current || f->pending == 0;
    f->heard = co4_now();
    if (f->from == CO4_NATS_FROM_NOW && !f->read) { /* later consumers begin here, too */
        f->number = co4__nats_number(json_object_get(answer, "delivered"), "stream_seq") + 1;
        f->read = true;
    }
    json_decref(answer);
    return CO4_OK;
}

void co4_nats_follower_destroy(co4_nats_follower *f)
{
    if (!f)
        return;
    end_inbox(f);
    co4_nats_release(f->k.c);
    free(f->k.stream);
    free(f->filter);
    free(f);
}

static void end_follower(co4_nats_follower **f)
{
    co4_nats_follower_destroy(*f);
}

pausable int co4_nats_follow(co4_nats_follower **follower, co4_nats *c, const char *stream,
                             const char *filter, co4_nats_from from, uint64_t number,
                             int64_t deadline)
{
    if (!follower)
        return CO4_EINVAL;
    *follower = NULL;
    if (!c || !co4__nats_is_name(stream) || from > CO4_NATS_FROM_NUMBER ||
        (filter && (!co4__nats_is_subject(filter) || !co4__nats_is_text(filter))))
        return CO4_EINVAL;
    __attribute__((cleanup(end_follower))) co4_nats_follower *f = NULL;
    int err = co4__nats_object(&f, c, sizeof *f);
    if (err != CO4_OK)
        return err;
    f->k.c = c;
    f->k.credit = CREDIT;
    f->k.in_order = true;
    f->k.stream = strdup(stream);
    f->filter = filter ? strdup(filter) : NULL;
    f->from = from;
    f->number = number;
    if (!f->k.stream || (filter && !f->filter))
        return CO4_ENOMEM;
    err = begin(f, deadline);
    if (err == CO4_OK) {
        *follower = f;
        f = NULL;
    }
    return err;
}

/* The last of the stored messages may have been removed, and then none shows that all have been
 * read. So after some silence this asks the server. Returns CO4_OK, also if no answer comes. */
static pausable int look_for_rest(co4_nats_follower *f, int64_t deadline)
{
    json_t *answer;
    if (f->is_current || co4_now() < f->heard + QUIET || co4_mailbox_len(f->k.inbox->mailbox) > 0)
        return CO4_OK;
    f->heard = co4_now();
    int err = co4__nats_call(f->k.c, "CONSUMER.INFO", f->k.stream, f->k.name, "", &answer,
                             co4__nats_soon(deadline, CO4__NATS_AGAIN));
    if (err == CO4_OK)
        f->is_current = co4__nats_number(answer, "num_pending") == 0 &&
                        co4__nats_number(json_object_get(answer, "delivered"), "consumer_seq") ==
                            f->given;
    json_decref(answer);
    return err == CO4_ECANCELED || err == CO4_ECLOSED ? err : CO4_OK;
}

/* Takes the next message of the consumer. CO4_NATS_EDISCONNECTED: another consumer is needed. */
static pausable int take(co4_nats_follower *f, co4_nats_message **m, int64_t deadline)
{
    if (!f->k.name || f->epoch != epoch_of(f->k.c))
        return CO4_NATS_EDISCONNECTED;
    int err = look_for_rest(f, deadline);
    if (err != CO4_OK)
        return err;
    return co4__nats_take(&f->k, CREDIT, m,
                          co4__nats_soon(deadline, f->is_current ? CO4_SEC : QUIET));
}

pausable int co4_nats_follow_next(co4_nats_follower *f, co4_nats_message **m, int64_t deadline)
{
    if (!m)
        return CO4_EINVAL;
    *m = NULL;
    if (!f)
        return CO4_EINVAL;
    for (;;) {
        int err = take(f, m, deadline); /* for a moment only: the connection may change */
        if (err == CO4_OK) {
            co4_nats_origin origin;
            uint64_t number; /* of the consumer */
            if (co4__nats_origin(*m, &origin, &number) == CO4_OK && number == f->given + 1 &&
                (!f->read || origin.number >= f->number)) {
                f->given = number;
                f->heard = co4_now();
                f->number = origin.number + 1;
                f->read = true;
                f->is_current = f->is_current || origin.pending == 0 || number >= f->pending;
                return CO4_OK;
            }
            co4_nats_message_destroy(*m);
            *m = NULL;
            err = CO4_NATS_EDISCONNECTED;
        }
        if (err == CO4_ETIMEDOUT && co4_now() < deadline)
            continue;
        if (err != CO4_NATS_EDISCONNECTED && err != CO4_NATS_ENOTFOUND)
            return err;
        err = begin(f, co4__nats_soon(deadline, CO4__NATS_AGAIN));
        if (err == CO4_ETIMEDOUT && co4_now() < deadline)
            err = CO4_NATS_EDISCONNECTED; /* the answer may have been lost */
        if (err == CO4_NATS_EDISCONNECTED || err == CO4_NATS_ENOSTORE)
            err = co4_sleep_until(co4__nats_soon(deadline, 100 * CO4_MS)); /* it begins */
        if (err != CO4_OK && err != CO4_NATS_EDISCONNECTED)
            return err;
    }
}

bool co4_nats_follow_is_current(const co4_nats_follower *f)
{
    return f && f->is_current;
}
