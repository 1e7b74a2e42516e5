/* policies.c - how policies share work out among 64 to 1,024 workers: a simulation of queues, with
 * the library's own policies.
 *
 *   co4policies [--tasks N]      a line of comma-separated values for each: kind, workers, load,
 *                                policy, mean, p99, idle
 *
 * Time is in mean lengths of a task. Tasks come as often as keeps `load` of the workers busy; each
 * is placed by the policy, on the loads as they are then, waits in that worker's queue, and runs to
 * its end. `mean` and `p99` say how long they have waited, `idle` how often a task was put behind
 * another while some worker had nothing to do.
 *
 *   even     all from outside; lengths are exponential
 *   skewed   all from outside; one task in twenty takes 21 times as long as the others
 *   bursts   32 at a time, made ready by one of a few busy workers: one in sixteen makes all the
 *            work
 *
 * Left out: loads that are reported late, the cost of a wake, tasks that pause. */
#include <co4.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splitmix (Steele, Lea, Flood 2014): the same numbers everywhere. */
static unsigned long long seed;

static double chance(void)
{
    unsigned long long x = seed += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

static unsigned below(unsigned n)
{
    return (unsigned)(chance() * n);
}

static double exponential(double mean)
{
    return -mean * log(1 - chance());
}

/* ---- a policy of one's own: the less loaded of two random ones (Mitzenmacher 2001) ---- */

static int two_random(void *data, const co4_placing *p)
{
    unsigned a = below(p->workers), b = below(p->workers);
    (void)data;
    return (int)(co4_placing_load(p, b) < co4_placing_load(p, a) ? b : a);
}

static const co4_policy co4_two = { "two-random", two_random };

/* ---- queues ---- */

struct work {
    double came, length;
    int next; /* in its queue; -1: the last */
};

struct simulated {
    struct work *work;
    unsigned workers;
    unsigned *loads, *turns; /* by worker; turns[workers]: the outside's */
    int *head, *tail;
    double *ends; /* of what runs there; a heap of workers by it */
    unsigned *heap, nheap;
    double *waited;
    unsigned started, behind, idle;
};

static void sift_down(struct simulated *s, unsigned at)
{
    for (;;) {
        unsigned least = at;
        for (unsigned child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < s->nheap && s->ends[s->heap[child]] < s->ends[s->heap[least]])
                least = child;
        if (least == at)
            return;
        unsigned moved = s->heap[at];
        s->heap[at] = s->heap[least];
        s->heap[least] = moved;
        at = least;
    }
}

static void sift_up(struct simulated *s, unsigned at)
{
    while (at > 0 && s->ends[s->heap[at]] < s->ends[s->heap[(at - 1) / 2]]) {
        unsigned moved = s->heap[at];
        s->heap[at] = s->heap[(at - 1) / 2];
        s->heap[(at - 1) / 2] = moved;
        at = (at - 1) / 2;
    }
}

static void start(struct simulated *s, unsigned worker, int task, double now)
{
    s->waited[s->started++] = now - s->work[task].came;
    s->ends[worker] = now + s->work[task].length;
}

static void place(struct simulated *s, const co4_policy *policy, int task, double now, int here)
{
    unsigned *turn = &s->turns[here < 0 ? s->workers : (unsigned)here];
    unsigned to = (unsigned)co4_policy_try(policy, NULL, s->loads, s->workers, CO4_RUNTIME_BATCH,
                                           (*turn)++, here);
    s->work[task].came = now;
    s->work[task].next = -1;
    if (s->loads[to]++ == 0) {
        start(s, to, task, now);
        s->idle--;
        s->heap[s->nheap++] = to;
        sift_up(s, s->nheap - 1);
        return;
    }
    s->behind += s->idle > 0;
    if (s->head[to] < 0)
        s->head[to] = task;
    else
        s->work[s->tail[to]].next = task;
    s->tail[to] = task;
}

static void end_one(struct simulated *s)
{
    unsigned worker = s->heap[0];
    double now = s->ends[worker];
    int next = s->head[worker];
    if (--s->loads[worker] > 0) {
        s->head[worker] = s->work[next].next;
        start(s, worker, next, now);
    } else {
        s->idle++;
        s->heap[0] = s->heap[--s->nheap];
    }
    sift_down(s, 0);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- kinds of load ---- */

enum kind { EVEN, SKEWED, BURSTS };
static const char *const kinds[] = { "even", "skewed", "bursts" };

static void simulate(enum kind kind, unsigned workers, double load, const co4_policy *policy,
                     unsigned tasks)
{
    struct simulated s = { .workers = workers, .idle = workers };
    unsigned burst = kind == BURSTS ? 32 : 1;
    s.work = calloc(tasks, sizeof *s.work);
    s.loads = calloc(workers, sizeof *s.loads);
    s.turns = calloc(workers + 1, sizeof *s.turns);
    s.head = malloc(workers * sizeof *s.head);
    s.tail = malloc(workers * sizeof *s.tail);
    s.ends = calloc(workers, sizeof *s.ends);
    s.heap = calloc(workers, sizeof *s.heap);
    s.waited = calloc(tasks, sizeof *s.waited);
    if (!s.work || !s.loads || !s.turns || !s.head || !s.tail || !s.ends || !s.heap || !s.waited)
        abort();
    for (unsigned i = 0; i < workers; i++) {
        s.head[i] = -1;
        s.turns[i] = i;
    }
    seed = 1;
    double now = 0;
    for (unsigned task = 0; task < tasks;) {
        now += exponential(burst / (load * workers));
        while (s.nheap > 0 && s.ends[s.heap[0]] <= now)
            end_one(&s);
        int here = kind == BURSTS ? (int)below(workers / 16) : -1;
        for (unsigned i = 0; i < burst && task < tasks; i++, task++) {
            s.work[task].length = kind == SKEWED ? (below(20) == 0 ? 10.5 : 0.5) : exponential(1);
            place(&s, policy, (int)task, now, here);
        }
    }
    while (s.nheap > 0)
        end_one(&s);
    double sum = 0;
    for (unsigned i = 0; i < s.started; i++)
        sum += s.waited[i];
    qsort(s.waited, s.started, sizeof *s.waited, by_value);
    printf("%s,%u,%.2f,%s,%.3f,%.3f,%.4f\n", kinds[kind], workers, load, policy->name,
           sum / s.started, s.waited[s.started / 100 * 99], (double)s.behind / s.started);
    free(s.work);
    free(s.loads);
    free(s.turns);
    free(s.head);
    free(s.tail);
    free(s.ends);
    free(s.heap);
    free(s.waited);
}

int main(int argc, char **argv)
{
    static const co4_policy *const policies[] = { &co4_policy_windows, &co4_policy_least_loaded,
                                                  &co4_policy_round_robin, &co4_two };
    static const double loads[] = { 0.5, 0.7, 0.8, 0.9, 0.95 };
    long tasks = argc == 3 && strcmp(argv[1], "--tasks") == 0 ? strtol(argv[2], NULL, 10) : 200000;
    if ((argc != 1 && argc != 3) || tasks < 100 || tasks > 100000000) {
        fprintf(stderr, "usage: co4policies [--tasks N]      N from 100 to 100000000\n");
        return 2;
    }
    printf("kind,workers,load,policy,mean,p99,idle\n");
    for (int kind = EVEN; kind <= BURSTS; kind++)
        for (unsigned workers = 64; workers <= 1024; workers *= 4)
            for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++)
                for (unsigned p = 0; p < sizeof policies / sizeof *policies; p++)
                    simulate((enum kind)kind, workers, loads[i], policies[p], (unsigned)tasks);
    return 0;
}
