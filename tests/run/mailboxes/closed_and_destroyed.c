/* closed_and_destroyed - a mailbox is closed and destroyed at once; selects that waited there go on
 * later, and do not look at it any more. So do those that another source has served, and those that
 * wait at a subscriber. One that will look, for a map or a filter, still waits.
 * modes: woven forced
 * expect: select: CO4_ECLOSED
 * expect: filter: CO4_ECLOSED
 * expect: map: CO4_ECLOSED
 * expect: race: CO4_ECLOSED
 * expect: putting: CO4_ECLOSED
 * expect: destroyed: CO4_OK
 * expect: select: the other
 * expect: race: the other
 * expect: destroyed: CO4_OK
 * expect: subscriber: CO4_ECLOSED
 * expect: destroyed: CO4_OK CO4_OK
 * expect: told at a rendezvous: CO4_EBUSY
 * expect: filter: CO4_ECLOSED
 * expect: told of a place: CO4_OK CO4_EBUSY
 * expect: sender: CO4_ECLOSED
 * expect: told of a message: CO4_EBUSY CO4_EBUSY
 * expect: receiver: CO4_OK */
#include <co4.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static co4_mailbox *mb, *full, *other;
static co4_broadcast *cast;
static co4_subscriber *subscriber;

static int any(void *arg, const void *value)
{
    (void)arg;
    (void)value;
    return 1;
}

static int same(void *arg, const void *in, void *out)
{
    (void)arg;
    *(int *)out = *(const int *)in;
    return CO4_OK;
}

/* Waits for the source, or for a message in `other`. */
static pausable void waits(const char *name, co4_source *source, void *out)
{
    int n;
    co4_case cases[] = { { .source = source, .out = out, .size = co4_source_size(source) },
                         CO4_CASE(co4_mailbox_source(other), &n) };
    int i = co4_select(cases, 2);
    printf("%s: %s\n", name,
           i == 0 || i == CO4_ENDED(0) ? co4_errname(cases[0].code) : "the other");
}

static pausable void selects(void)
{
    int n;
    waits("select", co4_mailbox_source(mb), &n);
}

static pausable void filters(void)
{
    int n;
    co4_filtering filtering;
    waits("filter", co4_source_filter(&filtering, co4_mailbox_source(mb), any, NULL), &n);
}

static pausable void maps(void)
{
    int n, made;
    co4_mapping mapping;
    waits("map", co4_source_map(&mapping, co4_mailbox_source(mb), sizeof made, &made, same, NULL),
          &n);
}

static pausable void races(void)
{
    int n;
    co4_racing racing;
    co4_racer racers[] = { { co4_mailbox_source(mb), { 0 } }, { co4_mailbox_source(mb), { 0 } } };
    waits("race", co4_source_race(&racing, racers, 2), &n);
}

static pausable void puts_one(void)
{
    int n = 1;
    co4_sending putting;
    waits("putting", co4_mailbox_sending(&putting, full, &n), NULL);
}

static int fine(void *arg, const void *in, void *out)
{
    (void)arg;
    (void)in;
    (void)out;
    return CO4_OK;
}

static pausable void sends(void)
{
    int n = 1;
    co4_broadcasting sending;
    co4_mapping mapping;
    waits("sender",
          co4_source_map(&mapping, co4_broadcast_sending(&sending, cast, &n), 0, NULL, fine, NULL),
          NULL);
}

static pausable void chooses(void)
{
    int n;
    co4_filtering filtering;
    waits("receiver", co4_source_filter(&filtering, co4_subscriber_source(subscriber), any, NULL),
          &n);
}

static pausable void receives(void)
{
    int n;
    waits("subscriber", co4_subscriber_source(subscriber), &n);
}

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static pausable void let_run(void)
{
    for (int i = 0; i < 50; i++)
        co4_yield();
}

static pausable void by_close(void)
{
    int n = 0;
    full = co4_mailbox_create(sizeof(int), 1);
    mb = co4_mailbox_create(sizeof(int), 4);
    must(co4_mailbox_send_until(full, &n, CO4_NOW));
    co4_spawn(selects());
    co4_spawn(filters());
    co4_spawn(maps());
    co4_spawn(races());
    co4_spawn(puts_one());
    let_run();
    must(co4_mailbox_close(mb));
    must(co4_mailbox_close(full));
    must(co4_mailbox_destroy(full));
    int err = co4_mailbox_destroy(mb);
    let_run();
    printf("destroyed: %s\n", co4_errname(err));
}

static pausable void by_another(void)
{
    int n = 0;
    mb = co4_mailbox_create(sizeof(int), 4);
    co4_spawn(selects());
    co4_spawn(races());
    let_run();
    must(co4_mailbox_send_until(other, &n, CO4_NOW));
    must(co4_mailbox_send_until(other, &n, CO4_NOW));
    must(co4_mailbox_close(mb));
    int err = co4_mailbox_destroy(mb);
    let_run();
    printf("destroyed: %s\n", co4_errname(err));
}

static pausable void at_subscriber(void)
{
    cast = co4_broadcast_create(sizeof(int));
    subscriber = co4_broadcast_subscribe(cast, 2, CO4_BROADCAST_WAIT);
    co4_spawn(receives());
    let_run();
    must(co4_broadcast_close(cast));
    int gone = co4_subscriber_destroy(subscriber), err = co4_broadcast_destroy(cast);
    let_run();
    printf("destroyed: %s %s\n", co4_errname(gone), co4_errname(err));
}

/* It ends when the notified listener has looked. */
static pausable void destroy_told(const char *what)
{
    must(co4_mailbox_close(mb));
    printf("%s: %s\n", what, co4_errname(co4_mailbox_destroy(mb)));
    let_run();
    must(co4_mailbox_destroy(mb));
}

static pausable void told_by_mailbox(void)
{
    int n = 0;
    co4_sending putting;
    mb = co4_mailbox_create(sizeof(int), 0);
    co4_spawn(filters());
    let_run();
    if (co4_await_until(co4_mailbox_sending(&putting, mb, &n), NULL, CO4_NOW) != CO4_EEMPTY)
        abort();
    destroy_told("told at a rendezvous");
}

static pausable void told_by_broadcast(bool sender)
{
    int n = 0;
    cast = co4_broadcast_create(sizeof(int));
    subscriber = co4_broadcast_subscribe(cast, 1, CO4_BROADCAST_WAIT);
    if (sender) {
        must(co4_broadcast_send_until(cast, &n, CO4_NOW));
        co4_spawn(sends());
    } else {
        co4_spawn(chooses());
    }
    let_run();
    if (sender)
        must(co4_subscriber_receive_until(subscriber, &n, CO4_NOW));
    else
        must(co4_broadcast_send_until(cast, &n, CO4_NOW));
    must(co4_broadcast_close(cast));
    int gone = co4_subscriber_destroy(subscriber);
    printf("told of a %s: %s %s\n", sender ? "place" : "message", co4_errname(gone),
           co4_errname(co4_broadcast_destroy(cast)));
    let_run();
    if (gone == CO4_EBUSY)
        must(co4_subscriber_destroy(subscriber));
    must(co4_broadcast_destroy(cast));
}

static pausable void all(void)
{
    other = co4_mailbox_create(sizeof(int), 4);
    by_close();
    by_another();
    at_subscriber();
    told_by_mailbox();
    told_by_broadcast(true);
    told_by_broadcast(false);
    must(co4_mailbox_destroy(other));
}

int main(void)
{
    co4_run(all());
    return 0;
}
