/* plain.c - the bases: the same work in plain C, or as state machines written by hand on a run
 * queue of one thread. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

/* ---- calls ---- */

NOINLINE int plain_fib(int n)
{
    return n < 2 ? n : plain_fib(n - 1) + plain_fib(n - 2);
}

NOINLINE int plain_tak(int x, int y, int z)
{
    if (y >= x)
        return z;
    return plain_tak(plain_tak(x - 1, y, z), plain_tak(y - 1, z, x), plain_tak(z - 1, x, y));
}

NOINLINE int plain_ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return plain_ackermann(m - 1, 1);
    return plain_ackermann(m - 1, plain_ackermann(m, n - 1));
}

/* ---- generators ---- */

struct iterator {
    long now, end;
};

static NOINLINE bool iterator_next(struct iterator *it, long *out)
{
    if (it->now == it->end)
        return false;
    *out = it->now++;
    return true;
}

long plain_generator(long count)
{
    struct iterator it = { 0, count };
    long sum = 0, value;
    while (iterator_next(&it, &value))
        sum += value;
    return sum;
}

static NOINLINE void visit(void *data, long node)
{
    *(long *)data += node;
}

static NOINLINE void visit_tree(long first, int depth, void (*visitor)(void *, long), void *data)
{
    if (depth == 0)
        return;
    long node = first + (1L << (depth - 1)) - 1;
    visit_tree(first, depth - 1, visitor, data);
    visitor(data, node);
    visit_tree(node + 1, depth - 1, visitor, data);
}

long plain_walk(int depth)
{
    long sum = 0;
    visit_tree(0, depth, visit, &sum);
    return sum;
}

/* ---- a run queue ---- */

typedef struct machine machine;
struct machine {
    machine *next;
    void (*step)(machine *);
    int state;
};

static struct {
    machine *first, **last;
} ready = { NULL, &ready.first };

static void push(machine *m)
{
    m->next = NULL;
    *ready.last = m;
    ready.last = &m->next;
}

static void run_all(void)
{
    while (ready.first != NULL) {
        machine *m = ready.first;
        ready.first = m->next;
        if (ready.first == NULL)
            ready.last = &ready.first;
        m->step(m);
    }
}

/* A slot for one message, with one possible receiver and one possible sender waiting. */
struct slot {
    bool full;
    long value;
    machine *receiver, *sender;
};

static void slot_put(struct slot *s, long value)
{
    s->full = true;
    s->value = value;
    if (s->receiver != NULL) {
        push(s->receiver);
        s->receiver = NULL;
    }
}

static bool slot_get(struct slot *s, machine *self, long *value)
{
    if (!s->full) {
        s->receiver = self;
        return false;
    }
    s->full = false;
    *value = s->value;
    if (s->sender != NULL) {
        push(s->sender);
        s->sender = NULL;
    }
    return true;
}

/* ---- ring ---- */

struct member {
    machine head;
    struct slot in, *out;
    int tasks;
};

static void member_step(machine *m)
{
    struct member *self = (struct member *)m;
    long token;
    while (slot_get(&self->in, m, &token)) {
        slot_put(self->out, --token);
        if (token <= self->tasks - 1)
            return;
    }
}

void plain_ring(int tasks, long hops)
{
    struct member *all = calloc((size_t)tasks, sizeof *all);
    for (int i = 0; i < tasks; i++) {
        all[i].head.step = member_step;
        all[i].out = &all[(i + 1) % tasks].in;
        all[i].tasks = tasks;
        push(&all[i].head);
    }
    slot_put(&all[0].in, hops);
    run_all();
    int left = 0;
    for (int i = 0; i < tasks; i++)
        left += all[i].in.full;
    bench_check("plain ring", left, 1);
    free(all);
}

/* ---- ping-pong ---- */

struct player {
    machine head;
    struct slot in, *out;
    long i, rounds;
};

static void ping_step(machine *m)
{
    struct player *self = (struct player *)m;
    long got;
    for (;;) {
        if (m->state == 0) {
            slot_put(self->out, self->i);
            m->state = 1;
        }
        if (!slot_get(&self->in, m, &got))
            return;
        bench_check("plain ping_pong", got, self->i);
        m->state = 0;
        if (++self->i == self->rounds)
            return;
    }
}

static void pong_step(machine *m)
{
    struct player *self = (struct player *)m;
    long got;
    while (self->i < self->rounds && slot_get(&self->in, m, &got)) {
        self->i++;
        slot_put(self->out, got);
    }
}

void plain_ping_pong(long rounds)
{
    struct player a = { .head.step = ping_step, .rounds = rounds },
                  b = { .head.step = pong_step, .rounds = rounds };
    a.out = &b.in;
    b.out = &a.in;
    push(&a.head);
    push(&b.head);
    run_all();
    bench_check("plain ping_pong", a.i, rounds);
}

/* ---- fan-in ---- */

enum { CAPACITY = 300 };

static struct {
    long values[CAPACITY];
    int count, at;
    machine *receiver, *senders;
} box;

struct sender {
    machine head;
    long i, each;
};

struct receiver {
    machine head;
    long left, sum;
};

static void sender_step(machine *m)
{
    struct sender *self = (struct sender *)m;
    while (self->i <= self->each) {
        if (box.count == CAPACITY) {
            m->next = box.senders;
            box.senders = m;
            return;
        }
        box.values[(box.at + box.count++) % CAPACITY] = self->i++;
        if (box.receiver != NULL) {
            push(box.receiver);
            box.receiver = NULL;
        }
    }
}

static void receiver_step(machine *m)
{
    struct receiver *self = (struct receiver *)m;
    while (self->left > 0) {
        if (box.count == 0) {
            box.receiver = m;
            return;
        }
        self->sum += box.values[box.at];
        box.at = (box.at + 1) % CAPACITY;
        box.count--;
        self->left--;
        if (box.senders != NULL) {
            machine *waiting = box.senders;
            box.senders = waiting->next;
            push(waiting);
        }
    }
}

long plain_fan_in(int producers, long each)
{
    struct receiver r = { .head.step = receiver_step, .left = producers * each };
    struct sender *s = calloc((size_t)producers, sizeof *s);
    push(&r.head);
    for (int i = 0; i < producers; i++) {
        s[i] = (struct sender){ .head.step = sender_step, .i = 1, .each = each };
        push(&s[i].head);
    }
    run_all();
    free(s);
    return r.sum;
}

/* ---- skynet ---- */

struct sky {
    machine head;
    struct sky *parent;
    long number, size, sum;
    int missing;
};

static struct sky *sky_new(struct sky *parent, long number, long size);
static long sky_total;

static void sky_done(struct sky *self, long sum)
{
    struct sky *parent = self->parent;
    free(self);
    if (parent == NULL) {
        sky_total = sum;
        return;
    }
    parent->sum += sum;
    if (--parent->missing == 0)
        push(&parent->head);
}

static void sky_step(machine *m)
{
    struct sky *self = (struct sky *)m;
    if (self->size == 1) {
        sky_done(self, self->number);
    } else if (m->state == 0) {
        m->state = 1;
        self->missing = 10;
        for (long i = 0; i < 10; i++)
            push(&sky_new(self, self->number + i * (self->size / 10), self->size / 10)->head);
    } else {
        sky_done(self, self->sum);
    }
}

static struct sky *sky_new(struct sky *parent, long number, long size)
{
    struct sky *sky = malloc(sizeof *sky);
    *sky = (struct sky){ .head.step = sky_step, .parent = parent, .number = number, .size = size };
    return sky;
}

long plain_skynet(long leaves)
{
    push(&sky_new(NULL, 0, leaves)->head);
    run_all();
    return sky_total;
}

/* ---- spawn ---- */

static long finished;

static void finish_step(machine *m)
{
    finished++;
    free(m);
}

long plain_spawn(long count)
{
    finished = 0;
    for (long i = 0; i < count; i++) {
        machine *m = malloc(sizeof *m);
        m->step = finish_step;
        push(m);
        if (i % 256 == 255)
            run_all();
    }
    run_all();
    return finished;
}

/* ---- yield ---- */

struct giver {
    machine head;
    long left;
};

static void giver_step(machine *m)
{
    if (--((struct giver *)m)->left > 0)
        push(m);
}

void plain_yield_two(long each)
{
    struct giver a = { .head.step = giver_step, .left = each }, b = a;
    push(&a.head);
    push(&b.head);
    run_all();
    bench_check("plain yield_two", a.left + b.left, 0);
}

/* ---- select: several rings, one receiver ---- */

struct lane {
    long values[CAPACITY];
    int count, at;
    machine *sender; /* that waits for room */
};

struct lane_sender {
    machine head;
    struct lane *to;
    machine **receiver; /* that waits for anything */
    long i, each;
};

struct lane_receiver {
    machine head;
    struct lane *from;
    machine *waiting;
    int lanes, next;
    long left, sum;
};

static void lane_sender_step(machine *m)
{
    struct lane_sender *self = (struct lane_sender *)m;
    struct lane *to = self->to;
    while (self->i <= self->each) {
        if (to->count == CAPACITY) {
            to->sender = m;
            return;
        }
        to->values[(to->at + to->count++) % CAPACITY] = self->i++;
        if (*self->receiver != NULL) {
            push(*self->receiver);
            *self->receiver = NULL;
        }
    }
}

static bool lane_take(struct lane *from, long *value)
{
    if (from->count == 0)
        return false;
    *value = from->values[from->at];
    from->at = (from->at + 1) % CAPACITY;
    from->count--;
    if (from->sender != NULL) {
        push(from->sender);
        from->sender = NULL;
    }
    return true;
}

static void lane_receiver_step(machine *m)
{
    struct lane_receiver *self = (struct lane_receiver *)m;
    for (int empty = 0; self->left > 0;) {
        long value;
        self->next = (self->next + 1) % self->lanes;
        if (lane_take(&self->from[self->next], &value)) {
            self->sum += value;
            self->left--;
            empty = 0;
        } else if (++empty == self->lanes) {
            self->waiting = m;
            return;
        }
    }
}

long plain_select(int sources, long each)
{
    struct lane *lanes = calloc((size_t)sources, sizeof *lanes);
    struct lane_sender *senders = calloc((size_t)sources, sizeof *senders);
    struct lane_receiver r = {
        .head.step = lane_receiver_step, .from = lanes, .lanes = sources, .left = sources * each
    };
    push(&r.head);
    for (int i = 0; i < sources; i++) {
        senders[i] = (struct lane_sender){ .head.step = lane_sender_step,
                                           .to = &lanes[i],
                                           .receiver = &r.waiting,
                                           .i = 1,
                                           .each = each };
        push(&senders[i].head);
    }
    run_all();
    free(lanes);
    free(senders);
    return r.sum;
}

/* ---- timers: a heap whose entries know their positions ---- */

struct alarm {
    long when, at;
};

static struct {
    struct alarm **all;
    long count;
} heap;

static void heap_set(long at, struct alarm *a)
{
    heap.all[at] = a;
    a->at = at;
}

static void heap_up(struct alarm *a)
{
    long at = a->at;
    for (; at > 0 && heap.all[(at - 1) / 2]->when > a->when; at = (at - 1) / 2)
        heap_set(at, heap.all[(at - 1) / 2]);
    heap_set(at, a);
}

static void heap_down(struct alarm *a)
{
    long at = a->at;
    for (long child; (child = 2 * at + 1) < heap.count; at = child) {
        if (child + 1 < heap.count && heap.all[child + 1]->when < heap.all[child]->when)
            child++;
        if (heap.all[child]->when >= a->when)
            break;
        heap_set(at, heap.all[child]);
    }
    heap_set(at, a);
}

static void heap_add(struct alarm *a)
{
    heap_set(heap.count++, a);
    heap_up(a);
}

static void heap_remove(struct alarm *a)
{
    struct alarm *last = heap.all[--heap.count];
    if (last == a)
        return;
    heap_set(a->at, last);
    heap_up(last);
    heap_down(last);
}

long plain_timers(long count, bool cancelled)
{
    struct alarm *alarms = malloc((size_t)count * sizeof *alarms);
    heap.all = malloc((size_t)count * sizeof *heap.all);
    long gone = 0;
    for (long i = 0; i < count; i++) {
        alarms[i].when = cancelled ? i : i % 10;
        heap_add(&alarms[i]);
    }
    for (long i = 0; i < count; i++, gone++)
        heap_remove(cancelled ? &alarms[i] : heap.all[0]);
    free(alarms);
    free(heap.all);
    return heap.count == 0 ? gone : -1;
}

/* ---- work ---- */

double plain_load_step(long ns)
{
    volatile uint64_t x = 1;
    double begin = bench_now();
    while (bench_now() < begin + (double)ns * 1e-9)
        x = x * 6364136223846793005u + 1;
    return (bench_now() - begin) * 1e9;
}

long plain_queens(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    if (columns == all)
        return 1;
    long count = 0;
    for (unsigned open = all & ~(columns | left | right); open != 0;) {
        unsigned bit = open & -open;
        open ^= bit;
        count += plain_queens(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

long plain_queens_solutions(int n)
{
    static const long solutions[] = { 1,  1,   0,   0,    2,     10,    4,      40,
                                      92, 352, 724, 2680, 14200, 73712, 365596, 2279184 };
    bench_check("a board of 2 to 15", n >= 2 && n <= 15, 1);
    return solutions[n];
}

void plain_multiply(double *c, const double *a, const double *b, int n, int stride)
{
    if (n <= PLAIN_LEAF) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                double x = a[i * stride + k];
                for (int j = 0; j < n; j++)
                    c[i * stride + j] += x * b[k * stride + j];
            }
        return;
    }
    int h = n / 2;
    for (int half = 0; half < 2; half++)
        for (int q = 0; q < 4; q++) {
            int row = q / 2 * h, column = q % 2 * h;
            plain_multiply(c + row * stride + column, a + row * stride + half * h,
                           b + half * h * stride + column, h, stride);
        }
}

/* ---- memory ---- */

double bench_resident(void)
{
    long size = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm != NULL) {
        if (fscanf(statm, "%ld %ld", &size, &resident) != 2)
            resident = 0;
        fclose(statm);
    }
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

struct waiter {
    machine head;
    struct slot *in;
    int id;
};

double plain_parked_bytes(long count, int own)
{
    static struct slot nobody;
    struct waiter *chain = NULL;
    double before = bench_resident();
    for (long i = 0; i < count; i++) {
        struct waiter *w = malloc(sizeof *w);
        *w = (struct waiter){ .head.next = chain ? &chain->head : NULL,
                              .in = own ? calloc(1, sizeof(struct slot)) : &nobody,
                              .id = (int)i };
        w->in->receiver = &w->head;
        chain = w;
    }
    double each = (bench_resident() - before) / (double)count;
    while (chain != NULL) {
        struct waiter *next = (struct waiter *)chain->head.next;
        if (own)
            free(chain->in);
        free(chain);
        chain = next;
    }
    return each;
}
