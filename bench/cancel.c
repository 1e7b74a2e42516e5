/* cancel.c - a crowd of tasks that wait, all cancelled at once: what each of them takes, and how
 * long it takes to end.
 *
 *     co4cancel [COUNT]      1000000 when absent
 *
 * In a runtime of two workers, as members of a group; and inside a co4_run(), as children of a
 * scope. Each has to hear it and end, and nothing may be left over: else the exit status is 1. */
#include <co4.h>
#include <co4/test.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

struct crowd {
    int count;
    atomic_int arrived, cancelled;
    co4_mailbox *empty, *full;
    co4_future *future;
    co4_sem sem;
    co4_mutex mutex;
    co4_cond cond;
    co4_waitgroup waitgroup;
    co4_timer timer;
    co4_task *sleeper;
};

/* ---- ways to wait ---- */

static int heard(struct crowd *crowd, int err)
{
    crowd->cancelled += err == CO4_ECANCELED;
    return CO4_OK;
}

static pausable int in_mailbox(struct crowd *crowd)
{
    int message;
    crowd->arrived++;
    return heard(crowd, co4_mailbox_receive(crowd->empty, &message));
}

static pausable int in_full_mailbox(struct crowd *crowd)
{
    int message = 1;
    crowd->arrived++;
    return heard(crowd, co4_mailbox_send(crowd->full, &message));
}

static pausable int with_deadline(struct crowd *crowd)
{
    int message;
    crowd->arrived++;
    return heard(crowd,
                 co4_mailbox_receive_until(crowd->empty, &message, co4_now() + 3600 * CO4_SEC));
}

static pausable int in_own_mailbox(struct crowd *crowd)
{
    int message;
    co4_mailbox *own = co4_mailbox_create(sizeof message, 1);
    crowd->arrived++;
    int err = own ? co4_mailbox_receive(own, &message) : CO4_ENOMEM;
    co4_mailbox_destroy(own);
    return heard(crowd, err);
}

static pausable int in_sleep(struct crowd *crowd)
{
    crowd->arrived++;
    return heard(crowd, co4_sleep(3600 * CO4_SEC));
}

static pausable int in_select(struct crowd *crowd)
{
    int message;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(crowd->empty), &message),
                         CO4_CASE(co4_future_source(crowd->future), NULL) };
    crowd->arrived++;
    return heard(crowd, co4_select(cases, 2));
}

static pausable int at_future(struct crowd *crowd)
{
    crowd->arrived++;
    return heard(crowd, co4_future_await(crowd->future, NULL));
}

static pausable int at_timer(struct crowd *crowd)
{
    crowd->arrived++;
    return heard(crowd, co4_await(co4_timer_source(&crowd->timer), NULL));
}

static pausable int at_semaphore(struct crowd *crowd)
{
    crowd->arrived++;
    return heard(crowd, co4_sem_acquire(&crowd->sem));
}

static pausable int at_condition(struct crowd *crowd)
{
    must(co4_mutex_lock(&crowd->mutex));
    crowd->arrived++;
    int err = co4_cond_wait(&crowd->cond, &crowd->mutex);
    co4_mutex_unlock(&crowd->mutex);
    return heard(crowd, err);
}

static pausable int at_wait_group(struct crowd *crowd)
{
    crowd->arrived++;
    return heard(crowd, co4_waitgroup_wait(&crowd->waitgroup));
}

static pausable int in_join(struct crowd *crowd)
{
    crowd->arrived++;
    return heard(crowd, co4_task_join(crowd->sleeper));
}

static pausable int child(struct crowd *crowd)
{
    crowd->arrived++;
    return co4_sleep(3600 * CO4_SEC);
}

static pausable int with_child(struct crowd *crowd)
{
    return co4_scope_spawn(co4_scope_here(), child(crowd));
}

static pausable int in_scope(struct crowd *crowd)
{
    return heard(crowd, co4_scope_run(0, with_child(crowd)));
}

static const struct way {
    const char *name;
    pausable int (*wait)(struct crowd *);
    bool apart; /* as a group, each is in one of its own, below the one that is cancelled */
} ways[] = {
    { .name = "mailbox, get", .wait = in_mailbox },
    { .name = "mailbox, apart", .wait = in_mailbox, .apart = true },
    { .name = "mailbox, put", .wait = in_full_mailbox },
    { .name = "mailbox, get until", .wait = with_deadline },
    { .name = "mailbox of its own", .wait = in_own_mailbox },
    { .name = "sleep", .wait = in_sleep },
    { .name = "select", .wait = in_select },
    { .name = "future", .wait = at_future },
    { .name = "timer", .wait = at_timer },
    { .name = "semaphore", .wait = at_semaphore },
    { .name = "condition", .wait = at_condition },
    { .name = "wait group", .wait = at_wait_group },
    { .name = "join", .wait = in_join },
    { .name = "scope of its own", .wait = in_scope },
};

/* ---- the crowd ---- */

static pausable void sleep_long(void)
{
    co4_sleep(3600 * CO4_SEC);
}

static void need(bool there)
{
    if (!there) {
        fprintf(stderr, "co4cancel: %s\n", co4_strerror(CO4_ENOMEM));
        exit(1);
    }
}

static void crowd_init(struct crowd *crowd, int count)
{
    int message = 0;
    *crowd = (struct crowd){ .count = count, .empty = co4_mailbox_create(sizeof(int), 1) };
    crowd->full = co4_mailbox_create(sizeof(int), 1);
    crowd->future = co4_future_create(0);
    need(crowd->empty && crowd->full && crowd->future);
    need(co4_mailbox_send_until(crowd->full, &message, CO4_NOW) == CO4_OK);
    co4_waitgroup_add(&crowd->waitgroup, 1);
    co4_timer_init(&crowd->timer);
    co4_timer_start(&crowd->timer, co4_now() + 3600 * CO4_SEC);
}

static void crowd_fini(struct crowd *crowd)
{
    co4_mailbox_destroy(crowd->empty);
    co4_mailbox_destroy(crowd->full);
    co4_future_release(crowd->future);
    co4_timer_destroy(&crowd->timer);
}

static unsigned long long bytes_in_use(void)
{
    co4_memory m;
    co4_memory_of_process(&m);
    return m.task_bytes + m.block_bytes;
}

struct figures {
    unsigned long long bytes;          /* while they wait */
    int64_t started, cancelled, ended; /* what each phase took */
};

static bool show(const struct way *way, const char *where, const struct crowd *crowd,
                 const struct figures *f)
{
    double n = crowd->count;
    printf("%-20s %-8s %6.0f bytes, %5.0f ns to start, %5.0f to cancel, %5.0f to end\n", way->name,
           where, (double)f->bytes / n, (double)f->started / n, (double)f->cancelled / n,
           (double)f->ended / n);
    fflush(stdout);
    if (crowd->cancelled != crowd->count)
        fprintf(stderr, "co4cancel: %d of %d have heard it\n", crowd->cancelled, crowd->count);
    return crowd->cancelled == crowd->count;
}

/* ---- in a runtime, as a group ---- */

static void wait_for_all(co4_runtime *rt, struct crowd *crowd)
{
    co4_stats stats;
    do {
        co4_runtime_run_once(rt); /* where there are no threads; else it does nothing */
        co4_stats_of(rt, &stats);
    } while (crowd->arrived < crowd->count || stats.pauses < (unsigned long long)crowd->count);
}

static bool in_runtime(const struct way *way, int count)
{
    static struct crowd crowd;
    struct figures f = { 0 };
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_group *group = co4_group_create(NULL);
    co4_group **own = way->apart ? malloc((size_t)count * sizeof *own) : NULL;
    need(own || !way->apart);
    crowd_init(&crowd, count);
    need(rt && group && co4_runtime_start(rt) == CO4_OK);
    crowd.sleeper = co4_task_create(sleep_long());
    need(crowd.sleeper != NULL);
    co4_runtime_schedule(rt, crowd.sleeper);

    int64_t begin = co4_now();
    unsigned long long bytes = bytes_in_use();
    for (int i = 0; i < count; i++) {
        co4_task *task = co4_task_create(way->wait(&crowd));
        co4_group *its = way->apart ? co4_group_create(group) : group;
        if (own)
            own[i] = its;
        need(task && its && co4_group_link(its, task) == CO4_OK);
        co4_runtime_schedule(rt, task);
        co4_task_release(task);
    }
    wait_for_all(rt, &crowd);
    f.bytes = bytes_in_use() - bytes;
    f.started = co4_now() - begin;

    begin = co4_now();
    co4_group_cancel(group, 0);
    f.cancelled = co4_now() - begin;
    co4_task_cancel(crowd.sleeper, 0);
    co4_runtime_join(rt);
    bool empty = true;
    for (int i = 0; own && i < count; i++)
        empty = co4_group_destroy(own[i]) == CO4_OK && empty;
    empty = co4_group_destroy(group) == CO4_OK && empty;
    f.ended = co4_now() - begin - f.cancelled;
    free(own);
    co4_task_release(crowd.sleeper);
    crowd_fini(&crowd);
    return empty && co4_runtime_destroy(rt) == CO4_OK && show(way, "group", &crowd, &f);
}

/* ---- inside a co4_run(), as a scope ---- */

struct scoped {
    const struct way *way;
    struct crowd *crowd;
    struct figures figures;
    int64_t cancelled;
};

static pausable int fill(struct scoped *s)
{
    co4_scope *scope = co4_scope_here();
    struct crowd *crowd = s->crowd;
    int64_t begin = co4_now();
    unsigned long long bytes = bytes_in_use();
    for (int i = 0; i < crowd->count; i++)
        need(co4_scope_spawn(scope, s->way->wait(crowd)) == CO4_OK);
    while (crowd->arrived < crowd->count)
        co4_yield();
    s->figures.bytes = bytes_in_use() - bytes;
    s->figures.started = co4_now() - begin;
    begin = co4_now();
    co4_scope_cancel(scope, 0);
    s->cancelled = co4_now();
    s->figures.cancelled = s->cancelled - begin;
    return CO4_OK;
}

static pausable int run_scope(struct scoped *s)
{
    s->crowd->sleeper = co4_task_create(sleep_long());
    need(s->crowd->sleeper != NULL);
    co4_runtime_schedule(NULL, s->crowd->sleeper);
    int err = co4_scope_run(0, fill(s));
    s->figures.ended = co4_now() - s->cancelled;
    co4_task_cancel(s->crowd->sleeper, 0);
    co4_task_join(s->crowd->sleeper);
    co4_task_release(s->crowd->sleeper);
    return err;
}

static bool in_run(const struct way *way, int count)
{
    static struct crowd crowd;
    struct scoped s = { .way = way, .crowd = &crowd };
    crowd_init(&crowd, count);
    co4_run(run_scope(&s));
    crowd_fini(&crowd);
    return show(way, "co4_run", &crowd, &s.figures);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1000 * 1000;
    bool right = count > 0;
    long long live = co4_test_pool_live(), blocks = co4_test_alloc_live();
    for (size_t i = 0; right && i < sizeof ways / sizeof *ways; i++)
        right = in_runtime(&ways[i], count) && in_run(&ways[i], count);
    if (co4_test_pool_live() != live || co4_test_alloc_live() != blocks) {
        fprintf(stderr, "co4cancel: %lld objects and %lld blocks are left\n",
                co4_test_pool_live() - live, co4_test_alloc_live() - blocks);
        right = false;
    }
    return right ? 0 : 1;
}
