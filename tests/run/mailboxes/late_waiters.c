/* late_waiters - a thread that makes a place, or brings a message, passes by many selects that
 * another source has served, and others have the lock meanwhile. None that comes then waits for
 * ever, and none that waited is forgotten.
 * flags: -Wno-co4-blocking
 * modes: woven
 * needs: threads workers
 * expect: each round both got one, and the sender went on
 * expect: each round three got the three that were put
 * expect: a put by select at a channel that is closed meanwhile: 40 of 40 ended */
#include <co4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SELECTS = 200, ROUNDS = 60, CLOSED_ROUNDS = 40 };

static co4_mailbox *mb, *other;
static atomic_int got, over, closing;

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

/* It waits until the channel is closed when something is wrong. */
static void must_end(int code)
{
    if (code != CO4_ECLOSED)
        must(code);
}

/* Each is served by `other`, and goes on when all has been done. */
static pausable void selects(bool sends, co4_waitgroup *ended)
{
    int n = 7, m = 0;
    co4_sending putting;
    co4_source *source = sends ? co4_mailbox_sending(&putting, mb, &n) : co4_mailbox_source(mb);
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(other), &m), CO4_CASE(source, &n) };
    if (co4_select(cases, 2) != 0)
        abort();
    co4_waitgroup_done(ended);
}

static pausable void puts_one(co4_waitgroup *ended)
{
    int n = 2;
    must_end(co4_mailbox_send(mb, &n));
    co4_waitgroup_done(ended);
}

static void *gets_one(void *arg)
{
    int n;
    int err = co4_block(co4_mailbox_receive(mb, &n));
    must_end(err);
    atomic_fetch_add(&got, err == CO4_OK);
    return arg;
}

/* So that the lock is always wanted. */
static void *wants_the_lock(void *arg)
{
    while (!atomic_load(&over))
        co4_mailbox_len(mb);
    return arg;
}

static pausable void takes(co4_waitgroup *ended)
{
    int n;
    must_end(co4_mailbox_receive(mb, &n));
    co4_waitgroup_done(ended);
}

static void *puts_block(void *arg)
{
    int n = 3;
    must_end(co4_block(co4_mailbox_send(mb, &n)));
    return arg;
}

static pausable void select_all(bool sends, co4_waitgroup *ended)
{
    co4_waitgroup_add(ended, SELECTS);
    for (int i = 0; i < SELECTS; i++)
        co4_spawn(selects(sends, ended));
    co4_yield();
}

static void serve_all(void)
{
    for (int i = 0; i < SELECTS; i++)
        must(co4_mailbox_send_until(other, &i, CO4_NOW));
}

/* ---- a round: selects that have been served, and threads beside the task ---- */

struct scene {
    co4_waitgroup ended;
    pthread_t threads[3];
    int count;
};

static void open_scene(struct scene *s, size_t capacity)
{
    *s = (struct scene){ .ended = CO4_WAITGROUP_INIT };
    mb = co4_mailbox_create(sizeof(int), capacity);
    other = co4_mailbox_create(sizeof(int), SELECTS);
    atomic_store(&got, 0);
    atomic_store(&over, 0);
    atomic_store(&closing, 0);
}

static void add_thread(struct scene *s, void *(*f)(void *))
{
    must(-pthread_create(&s->threads[s->count++], NULL, f, NULL));
}

static void end(pthread_t thread)
{
    pthread_join(thread, NULL);
}

/* Those that wait still hear that the channel is closed. */
static pausable void close_scene(struct scene *s, bool right)
{
    if (!right)
        must(co4_mailbox_close(mb));
    atomic_store(&over, 1);
    co4_waitgroup_wait(&s->ended);
    for (int i = 0; i < s->count; i++)
        end(s->threads[i]);
    must(co4_mailbox_destroy(mb));
    must(co4_mailbox_destroy(other));
}

static pausable bool meet(void)
{
    int n = 1;
    struct scene scene;
    open_scene(&scene, 1);
    must(co4_mailbox_send_until(mb, &n, CO4_NOW));
    select_all(true, &scene.ended);
    co4_waitgroup_add(&scene.ended, 1);
    co4_spawn(puts_one(&scene.ended));
    co4_yield();
    serve_all();
    add_thread(&scene, wants_the_lock);
    add_thread(&scene, gets_one);
    add_thread(&scene, gets_one);
    int64_t limit = co4_now() + 20 * CO4_SEC;
    while (atomic_load(&got) < 2 && co4_now() < limit)
        ;
    bool both = atomic_load(&got) == 2;
    close_scene(&scene, both);
    return both;
}

/* Of three that put, one passes by the selects, and two may wait for a place meanwhile. */
static pausable bool bring(void)
{
    int n = 1;
    co4_sending putting;
    struct scene scene;
    open_scene(&scene, 1);
    select_all(false, &scene.ended);
    co4_waitgroup_add(&scene.ended, 3);
    for (int i = 0; i < 3; i++)
        co4_spawn(takes(&scene.ended));
    co4_yield();
    serve_all();
    add_thread(&scene, wants_the_lock);
    add_thread(&scene, puts_block);
    add_thread(&scene, puts_block);
    must(co4_await(co4_mailbox_sending(&putting, mb, &n), NULL));
    int64_t limit = co4_now() + 20 * CO4_SEC;
    bool all = co4_waitgroup_wait_until(&scene.ended, limit) == CO4_OK;
    close_scene(&scene, all);
    return all;
}

static void *closes(void *arg)
{
    while (!atomic_load(&closing))
        ;
    must(co4_mailbox_close(mb));
    return arg;
}

static pausable bool closed_round(void)
{
    int n = 1;
    co4_sending putting;
    struct scene scene;
    open_scene(&scene, 0);
    select_all(false, &scene.ended);
    serve_all();
    add_thread(&scene, wants_the_lock);
    add_thread(&scene, closes);
    atomic_store(&closing, 1);
    int err = co4_await_until(co4_mailbox_sending(&putting, mb, &n), NULL, CO4_NOW);
    close_scene(&scene, true);
    return err == CO4_EEMPTY || err == CO4_ECLOSED;
}

static pausable void rounds(void)
{
    int right = 0, three = 0, ended = 0;
    for (int i = 0; i < ROUNDS; i++)
        right += meet();
    for (int i = 0; i < ROUNDS; i++)
        three += bring();
    if (right == ROUNDS)
        printf("each round both got one, and the sender went on\n");
    else
        printf("%d of %d rounds were right\n", right, ROUNDS);
    if (three == ROUNDS)
        printf("each round three got the three that were put\n");
    else
        printf("%d of %d rounds were right, of three\n", three, ROUNDS);
    for (int i = 0; i < CLOSED_ROUNDS; i++)
        ended += closed_round();
    printf("a put by select at a channel that is closed meanwhile: %d of %d ended\n", ended,
           CLOSED_ROUNDS);
}

int main(void)
{
    co4_deadlock_detect(0);
    co4_run(rounds());
    return 0;
}
