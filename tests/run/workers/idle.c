/* idle.c - a runtime that waits uses no CPU; and all its waiting tasks are reported when it is
 * destroyed.
 * modes: woven forced
 * needs: threads signals
 * expect: 8 workers, 203 tasks, 3 threads that block: idle
 * expect: watched, with a stall callback, a thread for signals, threads for blocking calls: idle
 * expect: destroyed while they wait: CO4_EBUSY, 203 told of
 * expect: join: CO4_OK, destroy: CO4_OK
 * expect: nothing is left */
#define _DEFAULT_SOURCE
#include <co4.h>
#include <co4/test.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

enum { THREADS = 64, TRIES = 8 };

struct shared {
    co4_mailbox *mailbox, *full;
    co4_future *future;
    co4_ticker ticker;
    atomic_int arrived;
};

static pausable int get(struct shared *s)
{
    int message;
    s->arrived++;
    return co4_mailbox_receive(s->mailbox, &message);
}

static pausable int get_until(struct shared *s)
{
    int message;
    s->arrived++;
    return co4_mailbox_receive_until(s->mailbox, &message, co4_now() + 1000 * CO4_SEC);
}

static pausable int sleeper(struct shared *s)
{
    s->arrived++;
    return co4_sleep(3600 * CO4_SEC);
}

static pausable int chooser(struct shared *s)
{
    int message;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(s->mailbox), &message),
                         CO4_CASE(co4_future_source(s->future), NULL),
                         CO4_CASE(co4_ticker_source(&s->ticker), NULL) };
    s->arrived++;
    return co4_select_until(cases, 3, 0, co4_now() + 2000 * CO4_SEC);
}

static void *blocked(void *arg)
{
    struct shared *s = arg;
    int message;
    s->arrived++;
    co4_block(co4_mailbox_receive_until(s->mailbox, &message, co4_now() + 3000 * CO4_SEC));
    return NULL;
}

static void *blocked_in_future(void *arg)
{
    struct shared *s = arg;
    s->arrived++;
    co4_block(co4_future_await(s->future, NULL));
    return NULL;
}

static void *blocked_in_join(void *arg)
{
    return co4_block(co4_task_join(arg)) == CO4_OK ? arg : NULL;
}

static int compute(int n)
{
    return n + 1;
}

static pausable int block(int n)
{
    return co4_blocking(compute(n));
}

/* ---- a second of nothing ---- */

static void nap(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* How often each thread of this process has been given a processor, by Linux; elsewhere nothing is
 * known. */
struct threads {
    int n;
    long id[THREADS];
    long long turns[THREADS]; /* -1: it runs, or would */
};

static long long turns_of(const char *id)
{
    char path[64], line[128], state = 'R';
    long long turns = 0, n;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", id);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "State: %c", &state);
        if (sscanf(line, "voluntary_ctxt_switches: %lld", &n) == 1 ||
            sscanf(line, "nonvoluntary_ctxt_switches: %lld", &n) == 1)
            turns += n;
    }
    if (f)
        fclose(f);
    return state == 'S' ? turns : -1;
}

static bool is_in(const struct threads *t, long id, long long turns)
{
    for (int i = 0; i < t->n; i++)
        if (t->id[i] == id && (turns < 0 || t->turns[i] == turns))
            return true;
    return false;
}

static struct threads
    strangers; /* there before any of the library: main's, a sanitizer's, an emulator's */

static struct threads ours(void)
{
    struct threads t = { .n = 0 };
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *d; folder && t.n < THREADS && (d = readdir(folder));) {
        long id = atol(d->d_name);
        if (id <= 0 || is_in(&strangers, id, -1))
            continue;
        t.id[t.n] = id;
        t.turns[t.n++] = turns_of(d->d_name);
    }
    if (folder)
        closedir(folder);
    return t;
}

static void *nothing(void *arg)
{
    return arg;
}

static void know_strangers(void)
{
    pthread_t first; /* with it, the thread sanitizer begins one of its own */
    pthread_create(&first, NULL, nothing, NULL);
    pthread_join(first, NULL);
    strangers = ours();
}

/* How many have had a turn. A processor's time would say less, because other programs change it. */
static int that_ran(const struct threads *before, const struct threads *after)
{
    int ran = 0;
    for (int i = 0; i < after->n; i++)
        ran += after->turns[i] < 0 || !is_in(before, after->id[i], after->turns[i]);
    return ran;
}

/* Of the whole process, main with it. */
static void tell_usage(const char *what, long ms)
{
    static struct rusage last;
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    if (what)
        fprintf(stderr, "%s: %.3f ms of CPU, %ld switches in %ld ms\n", what,
                (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec - last.ru_utime.tv_sec -
                         last.ru_stime.tv_sec) *
                        1e3 +
                    (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec - last.ru_utime.tv_usec -
                             last.ru_stime.tv_usec) /
                        1e3,
                r.ru_nvcsw - last.ru_nvcsw, ms);
    last = r;
}

/* Within a second no thread has had a turn; some may still be on their way to sleep, so there are
 * more seconds than one. IDLE_SECONDS: to measure it over a longer time; the figures go to stderr
 * then. */
static void idle(const char *what)
{
    const char *seconds = getenv("IDLE_SECONDS");
    long ms = seconds ? atol(seconds) * 1000 : 1000;
    int ran = 1;
    for (int i = 0; i < TRIES && ran; i++) {
        nap(50);
        struct threads before = ours();
        tell_usage(NULL, 0);
        nap(ms);
        if (seconds)
            tell_usage(what, ms);
        struct threads after = ours();
        ran = that_ran(&before, &after);
    }
    if (ran)
        printf("%s: %d threads run\n", what, ran);
    else
        printf("%s: idle\n", what);
}

/* ---- notices at the end ---- */

static int told;

static int count_tasks(void *data, const char *text, size_t bytes)
{
    static char line[512];
    static size_t length;
    (void)data;
    for (size_t i = 0; i < bytes; i++) {
        if (length < sizeof line - 1)
            line[length++] = text[i];
        if (text[i] != '\n')
            continue;
        line[length] = '\0';
        told += strstr(line, " paused") != NULL;
        length = 0;
    }
    return CO4_OK;
}

/* A machine that others use, too, may stop a thread for so long: that is none of our business
 * here. */
static void stalled(void *data, const co4_stall *stall)
{
    (void)data;
    (void)stall;
}

int main(void)
{
    long long live = co4_test_pool_live(), blocks = co4_test_alloc_live();
    static struct shared s;
    know_strangers();
    s.mailbox = co4_mailbox_create(sizeof(int), 1);
    s.future = co4_future_create(0);
    co4_ticker_init(&s.ticker);
    co4_ticker_start(&s.ticker, co4_now() + 500 * CO4_SEC, CO4_SEC);
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = 8, .report = count_tasks });
    co4_group *group = co4_group_create(NULL);
    co4_runtime_start(rt);
    co4_task *last = NULL;
    for (int i = 0; i < 203; i++) {
        co4_task *t = i % 4 == 0   ? co4_task_create(get(&s))
                      : i % 4 == 1 ? co4_task_create(get_until(&s))
                      : i % 4 == 2 ? co4_task_create(sleeper(&s))
                                   : co4_task_create(chooser(&s));
        must(co4_group_link(group, t));
        co4_runtime_schedule(rt, t);
        co4_task_release(last);
        last = t;
    }
    /* Without threads there is no other thread to block, and the tasks have their steps here. */
    bool has_threads = co4_runtime_run_once(rt) == CO4_ESTATE;
    pthread_t threads[3];
    if (has_threads) {
        pthread_create(&threads[0], NULL, blocked, &s);
        pthread_create(&threads[1], NULL, blocked_in_future, &s);
        pthread_create(&threads[2], NULL, blocked_in_join, last);
    }
    co4_stats stats;
    do {
        while (co4_runtime_run_once(rt) > 0)
            continue;
        nap(5);
        co4_stats_of(rt, &stats);
    } while (s.arrived < (has_threads ? 205 : 203) || stats.steps != stats.pauses + stats.yields);
    idle("8 workers, 203 tasks, 3 threads that block");

    co4_runtime *watched = co4_runtime_create(
        &(co4_runtime_options){ .workers = 2, .on_stall = stalled, .stall_ns = 10 * CO4_MS });
    co4_watch(1);
    co4_runtime_start(watched);
    co4_dump_on_signal(SIGUSR1, co4_write_fd, (void *)(intptr_t)2);
    for (int i = 0; i < 4; i++)
        co4_runtime_spawn(watched, block(i));
    co4_runtime_join(watched);
    idle("watched, with a stall callback, a thread for signals, threads for blocking calls");
    co4_runtime_destroy(watched);
    co4_dump_on_signal(SIGUSR1, NULL, NULL);
    co4_blocking_stop();
    co4_watch(0);

    printf("destroyed while they wait: %s,", co4_errname(co4_runtime_destroy(rt)));
    printf(" %d told of\n", told);
    co4_group_cancel(group, 0);
    co4_future_complete(s.future, NULL);
    co4_mailbox_close(s.mailbox);
    for (int i = 0; has_threads && i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("join: %s,", co4_errname(co4_runtime_join(rt)));
    co4_task_release(last);
    printf(" destroy: %s\n", co4_errname(co4_runtime_destroy(rt)));
    co4_group_destroy(group);
    co4_mailbox_destroy(s.mailbox);
    co4_future_release(s.future);
    co4_ticker_destroy(&s.ticker);
    if (co4_test_pool_live() == live && co4_test_alloc_live() == blocks)
        printf("nothing is left\n");
    return 0;
}
