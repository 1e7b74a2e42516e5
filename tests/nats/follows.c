/* follows.c - a follower of a stream, whose server loses messages, gives them twice, forgets the
 * consumer, and is not ready: each message comes once, and what is asked for says where it goes
 * on. */
#include <co4/nats_stream.h>

#include "store.h"

/* Where a consumer is to begin. Its name is "f" and the last letter of the answer's. */
static pausable void make(struct store *s, const char *text)
{
    const char *from = strstr(hear(s, "$JS.API.CONSUMER.CREATE.S"), "\"deliver_policy\"");
    printf("%.*s\n", from ? (int)strcspn(from, "p") + 60 : 0, from ? from : "");
    if (s->last != s->sid && s->last != 0)
        printf("the last inbox is there no more: %d\n", s->ended == s->last);
    s->last = s->sid;
    answer(s, text);
}

static pausable int lie(struct store *s)
{
    char line[300];
    let_in(&s->l, line, sizeof line);
    make(s, "{\"name\":\"f1\",\"num_pending\":0,\"delivered\":{\"stream_seq\":7}}");
    hear(s, "$JS.API.CONSUMER.MSG.NEXT.S.f1"); /* it is there */
    hang_up(&s->l);
    let_in(&s->l, line, sizeof line);
    make(s, "{\"name\":\"f2\",\"num_pending\":2}");
    hear(s, "$JS.API.CONSUMER.MSG.NEXT.S.f2");
    give(s, "S.f2.1.8.1.0.9", "eight");
    give(s, "S.f2.1.10.3.0.9", "ten");
    make(s, "{\"name\":\"f3\",\"num_pending\":2}");
    hear(s, "$JS.API.CONSUMER.MSG.NEXT.S.f3");
    give(s, "S.f3.1.8.1.0.9", "eight again");
    hear(s, "$JS.API.CONSUMER.CREATE.S");
    snprintf(line, sizeof line, "HMSG %s 0 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", s->reply);
    say(&s->l, line); /* it is not ready */
    s->last = s->sid;
    make(s, "{\"name\":\"f4\",\"num_pending\":2}");
    hear(s, "$JS.API.CONSUMER.MSG.NEXT.S.f4");
    give(s, "domain.account.S.f4.1.9.1.0.9.token", "nine");
    while (heard(&s->l, "", line, sizeof line)) {
    }
    hang_up(&s->l);
    return 0;
}

static pausable int lie_of_rest(struct store *s)
{
    char line[300];
    let_in(&s->l, line, sizeof line);
    make(s, "{\"name\":\"f4\",\"num_pending\":3}");
    hear(s, "$JS.API.CONSUMER.MSG.NEXT.S.f4");
    give(s, "S.f4.1.9.1.0.2", "nine");
    /* After some silence it asks for the rest. One more is on its way; then there is none. */
    hear(s, "$JS.API.CONSUMER.INFO.S.f4");
    answer(s, "{\"num_pending\":0,\"delivered\":{\"consumer_seq\":2}}");
    hear(s, "$JS.API.CONSUMER.INFO.S.f4");
    answer(s, "{\"num_pending\":0,\"delivered\":{\"consumer_seq\":1}}");
    give(s, "S.f4.1.11.2.0.1", "eleven");
    while (heard(&s->l, "", line, sizeof line)) {
    }
    hang_up(&s->l);
    return 0;
}

static pausable void next(co4_nats_follower *f)
{
    co4_nats_message *m;
    co4_nats_origin origin = { 0 };
    /* The first question of a consumer is asked at once; the last one was for three seconds. */
    show("next", co4_nats_follow_next(f, &m, co4_now() + 2500 * CO4_MS));
    if (m && co4_nats_origin_of(m, &origin) == CO4_OK)
        printf("%d: %s, %d\n", (int)origin.number, m->data, (int)origin.pending);
    co4_nats_message_destroy(m);
}

typedef pausable int liar(struct store *s);

static pausable void follow(liar *lies, co4_nats_from from)
{
    struct store s = { 0 };
    co4_nats_follower *f;
    liar_begin(&s.l, "{\"headers\":true}");
    co4_task *task = co4_spawn(lies(&s));
    co4_nats *c = open_one(s.l.url, NULL);
    show("follow", co4_nats_follow(&f, c, "S", NULL, from, 0, SOON));
    next(f);
    printf("current: %d\n", co4_nats_follow_is_current(f));
    next(f);
    printf("current: %d\n", co4_nats_follow_is_current(f));
    co4_nats_follower_destroy(f);
    co4_nats_close(c, co4_now());
    co4_join(task, NULL);
    co4_close(s.l.listening);
}

static pausable int all(void)
{
    follow(lie, CO4_NATS_FROM_NOW);
    follow(lie_of_rest, CO4_NATS_FROM_FIRST);
    return 0;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    return co4_run(all());
}
