/* padded_messages - messages with unwritten bytes between their members: a task that looks at them
 * before it takes them does not depend on these. Under memcheck, too.
 * modes: woven forced
 * expect: a mailbox: 5 6
 * expect: a channel: 5 6
 * expect: a broadcast: 5 6
 * expect: removed: 5 6, left 0 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

struct message {
    char kind; /* 3 bytes behind it are never written */
    int n;
};

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static int is_kind_one(void *arg, const void *value)
{
    (void)arg;
    return ((const struct message *)value)->kind == 1;
}

static int number_of(void *arg, const void *in, void *out)
{
    (void)arg;
    *(int *)out = ((const struct message *)in)->n;
    return CO4_OK;
}

static pausable int get_number(co4_source *source)
{
    int n, buffer;
    co4_filtering f;
    co4_mapping m;
    co4_source *s = co4_source_filter(&f, source, is_kind_one, NULL);
    must(co4_await(co4_source_map(&m, s, sizeof n, &buffer, number_of, NULL), &n));
    return n;
}

static pausable void put(co4_mailbox *mb, int n)
{
    struct message x;
    x.kind = 1;
    x.n = n;
    must(co4_mailbox_send(mb, &x));
}

static pausable void send(co4_broadcast *b, int n)
{
    struct message x;
    x.kind = 1;
    x.n = n;
    must(co4_broadcast_send(b, &x));
}

static pausable void from_source(const char *what, co4_source *source)
{
    int first = get_number(source);
    printf("%s: %d", what, first);
    printf(" %d\n", get_number(source));
}

static pausable void go(void)
{
    struct message x;
    co4_mailbox *mb = co4_mailbox_create(sizeof x, 4), *ch = co4_mailbox_create(sizeof x, 0);
    co4_broadcast *b = co4_broadcast_create(sizeof x);
    co4_subscriber *s = co4_broadcast_subscribe(b, 4, CO4_BROADCAST_WAIT);
    for (int n = 5; n <= 6; n++) {
        co4_spawn(put(mb, n));
        co4_spawn(put(ch, n));
        co4_spawn(send(b, n));
    }
    from_source("a mailbox", co4_mailbox_source(mb));
    from_source("a channel", co4_mailbox_source(ch));
    from_source("a broadcast", co4_subscriber_source(s));
    co4_inbox *in = co4_inbox_create(sizeof x, 4);
    for (int n = 5; n <= 6; n++) {
        x.kind = 1;
        x.n = n;
        must(co4_inbox_send(in, &x));
    }
    must(co4_inbox_remove(in, is_kind_one, NULL, &x));
    printf("removed: %d", x.n);
    must(co4_inbox_remove(in, is_kind_one, NULL, &x));
    printf(" %d, left %zu\n", x.n, co4_inbox_len(in));
    co4_inbox_destroy(in);
    co4_mailbox_destroy(mb);
    co4_mailbox_destroy(ch);
    co4_subscriber_destroy(s);
    co4_broadcast_destroy(b);
}

int main(void)
{
    co4_run(go());
    return 0;
}
