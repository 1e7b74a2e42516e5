/* actor_races - askers with short deadlines, requests and cancellations against actors on four
 * workers that answer late, and are stopped in the middle: no answer goes astray, no asker is left
 * waiting.
 * needs: posix
 * modes: woven forced
 * expect: every answer was the right one; all asks ended; nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { ACTORS = 3, ASKERS = 6, EACH = 1500 };

struct msg {
    int value;
    co4_reply reply;
};

static co4_actor *actors[ACTORS];
static atomic_long wrong, ended, most;

static pausable int twice(co4_actor *self)
{
    struct msg m;
    int err;
    for (int n = 0; (err = co4_actor_receive(self, &m)) == CO4_OK; n++) {
        if (n % 7 == 0)
            co4_sleep(30 * CO4_US);
        m.value *= 2;
        co4_actor_reply(self, m.reply, &m.value);
        if (n % 50 == 0)
            co4_actor_reply(self, m.reply, &n); /* once too often */
    }
    return CO4_OK;
}

static pausable void ask(int self)
{
    for (int i = 1; i <= EACH; i++) {
        co4_actor *a = actors[(self + i) % ACTORS];
        struct msg m = { .value = self * EACH + i };
        int want = 2 * m.value, answer = want, err;
        co4_future *f = NULL;
        int64_t deadline = i % 3 ? CO4_NEVER : co4_now() + 20 * CO4_US;
        if (i % 5 == 0) {
            err = co4_actor_request(a, &m, &m.reply, sizeof answer, &f);
            if (err == CO4_OK)
                err = co4_future_await_until(f, &answer, deadline);
            co4_future_release(f);
        } else {
            err = co4_actor_ask_until(a, &m, &m.reply, &answer, deadline);
        }
        if (answer != want)
            atomic_fetch_add(&wrong, 1);
        if (i > atomic_load(&most))
            atomic_store(&most, i);
        if (err == CO4_ECANCELED)
            break;
    }
    atomic_fetch_add(&ended, 1);
}

/* One step where no thread drives the runtime; else the threads get the processor. */
static void drive(co4_runtime *rt)
{
    if (co4_runtime_run_once(rt) == CO4_ESTATE)
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    co4_task *t[ASKERS];
    co4_runtime_start(rt);
    for (int i = 0; i < ACTORS; i++) {
        actors[i] = co4_actor_create(sizeof(struct msg), 4, 0);
        co4_actor_spawn(actors[i], twice(actors[i]));
    }
    for (int i = 0; i < ASKERS; i++)
        co4_runtime_schedule(rt, t[i] = co4_task_create(ask(i)));
    while (atomic_load(&most) < EACH / 2)
        drive(rt);
    co4_task_cancel(t[0], 0);
    co4_task_cancel(t[1], 0);
    co4_actor_stop(actors[0]);
    co4_actor_cancel(actors[1], 0);
    for (int i = 0; i < ASKERS; i++) {
        co4_block(co4_task_join(t[i]));
        co4_task_release(t[i]);
    }
    co4_actor_stop(actors[2]);
    co4_runtime_join(rt);
    for (int i = 0; i < ACTORS; i++)
        co4_actor_release(actors[i]);
    co4_runtime_destroy(rt);
    printf("%s; %s; ",
           atomic_load(&wrong) ? "answers were wrong" : "every answer was the right one",
           atomic_load(&ended) == ASKERS ? "all asks ended" : "some wait");
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    else
        printf("%lld %lld left\n", co4_test_pool_live() - pool, co4_test_alloc_live() - blocks);
    return 0;
}
