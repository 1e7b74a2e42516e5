/* nested_deep.c - sources, futures and streams that are made of others, as deep as they may be; the
 * next one is refused. Generators run each other until the C stack is nearly used up.
 * needs: threads
 * modes: woven
 * flags: -pthread
 * expect: sources: 500 deep, then refused; gives 41
 * expect: races: 500 deep, then refused; gives 7
 * expect: futures: 500 deep, then refused; no error
 * expect: futures cancelled: the task was cancelled
 * expect: streams: 500 deep, then refused; gives 0
 * expect: generators: some hundreds, then out of memory; and again */
#include <co4.h>
#include <co4/runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MORE = CO4_NEST_MAX + 10 };

static int same(void *arg, const void *in, void *out)
{
    (void)arg;
    *(int *)out = *(const int *)in;
    return CO4_OK;
}

static int any(void *arg, const void *value)
{
    (void)arg, (void)value;
    return 1;
}

static pausable void sources(void)
{
    static co4_mapping maps[MORE];
    static co4_filtering filters[MORE];
    static int values[MORE];
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_source *s = co4_mailbox_source(mb), *next;
    int depth = 0, value = 41;
    while ((next = depth % 2 ? co4_source_filter(&filters[depth], s, any, NULL)
                             : co4_source_map(&maps[depth], s, sizeof value, &values[depth], same,
                                              NULL)) != NULL &&
           ++depth < MORE)
        s = next;
    co4_mailbox_send(mb, &value);
    value = 0;
    co4_await(s, &value);
    printf("sources: %d deep, then %s; gives %d\n", depth, next ? "more" : "refused", value);
    co4_mailbox_destroy(mb);
}

static pausable void races(void)
{
    static co4_either eithers[MORE];
    static co4_timed timeds[MORE];
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1), *never = co4_mailbox_create(4, 1);
    co4_source *s = co4_mailbox_source(mb), *next;
    int depth = 0, value = 7;
    while ((next = depth == 0
                       ? co4_source_until(&timeds[0], s, CO4_NEVER)
                       : co4_source_until(&timeds[depth], s, co4_now() + 3600 * CO4_SEC)) != NULL &&
           ++depth < MORE)
        s = next;
    next = next ? next : co4_source_either(&eithers[0], co4_mailbox_source(never), NULL, s, NULL);
    co4_mailbox_send(mb, &value);
    value = 0;
    co4_await(s, &value);
    printf("races: %d deep, then %s; gives %d\n", depth, next ? "more" : "refused", value);
    co4_mailbox_destroy(mb);
    co4_mailbox_destroy(never);
}

static co4_future *nest(co4_future *f, int *depth)
{
    co4_future *next;
    *depth = 0;
    while ((next = *depth % 2 ? co4_future_all(&f, 1, CO4_FUTURE_CANCEL)
                              : co4_future_first(&f, 1, CO4_FUTURE_CANCEL)) != NULL &&
           ++*depth < MORE) {
        co4_future_release(f);
        f = next;
    }
    return f;
}

static pausable void futures(void)
{
    int depth;
    co4_future *first = co4_future_create(0), *f = nest(co4_future_retain(first), &depth);
    co4_future_complete(first, NULL);
    printf("futures: %d deep, then %s; %s\n", depth, depth < MORE ? "refused" : "more",
           co4_strerror(co4_future_await(f, NULL)));
    co4_future_release(f);
    co4_future_release(first);
    f = nest(co4_future_create(0), &depth);
    co4_future_cancel(f, 0);
    printf("futures cancelled: %s\n", co4_strerror(co4_future_await(f, NULL)));
    co4_future_release(f);
}

static pausable int count(void *arg, void *out)
{
    *(int *)out = (*(int *)arg)++;
    return CO4_OK;
}

/* A stage that is refused ends what is below: the depth is tried first. */
static co4_stream *stages(int *from, int depth)
{
    co4_stream *s = co4_stream_of_producer(sizeof(int), count, NULL, from);
    for (int i = 0; i < depth; i++)
        s = co4_stream_take(s, 10);
    return s;
}

static pausable void streams(void)
{
    int from = 0, value = -1, depth = 0;
    co4_stream *s;
    while (depth < MORE && (s = stages(&from, depth + 1)) != NULL) {
        co4_stream_destroy(s);
        depth++;
    }
    s = stages(&from, depth);
    co4_stream_next(s, &value);
    printf("streams: %d deep, then %s; gives %d\n", depth, depth < MORE ? "refused" : "more",
           value);
    co4_stream_destroy(s);
}

static int deepest, refused;

static pausable void level(int depth)
{
    deepest = depth > deepest ? depth : deepest;
    if (depth == 1000000)
        return;
    co4_gen *below = co4_generate(level(depth + 1));
    int value, err = co4_gen_next(below, &value);
    if (err == CO4_ENOMEM)
        refused += co4_gen_next(below, &value) == err;
    co4_gen_destroy(below);
    co4_gen_yield(&depth);
}

static void *small_stack(void *arg)
{
    int value;
    co4_gen *g = co4_generate(level(0));
    co4_gen_next(g, &value);
    co4_gen_destroy(g);
    return arg;
}

/* Else it does not know where its stack ends. */
static int library_has_threads(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_runtime_start(rt);
    int has = co4_runtime_run_once(rt) == CO4_ESTATE;
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    return has;
}

static pausable void all(void)
{
    sources();
    races();
    futures();
    streams();
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    fclose(stderr); /* each is reported once */
    co4_run(all());
    if (!library_has_threads()) {
        printf("generators: some hundreds, then out of memory; and again\n");
        return 0;
    }
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 << 10);
    pthread_create(&thread, &attr, small_stack, NULL);
    pthread_join(thread, NULL);
    printf("generators: %s, then %s; %s\n", deepest > 100 ? "some hundreds" : "few",
           refused ? "out of memory" : "nothing", refused == 1 ? "and again" : "not again");
    return 0;
}
