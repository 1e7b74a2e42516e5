/* group.c - what an asker of a group knows of its workers, and the jobs that wait for a place.
 *
 * A worker reports its state in announcements and in its answers. States have numbers, and the one
 * with the highest number holds, in whatever order they come. Workers with free places are in a
 * heap, ordered by how many they have. The order of equal ones is random and drawn again at each
 * change, so that several askers do not all choose the same. Jobs wait in a queue; the connection's
 * reader gives a free place to the first of it. Each change costs O(log n) for n workers.
 *
 * The asker always knows an old state. These are the races, and how they end:
 * - Two askers choose the same last place. The worker refuses one of them, whose job goes to
 *   another worker, or waits. A refusal is certain: the job has not begun.
 * - A state was sent before a job of this asker arrived. So the asker never counts more free places
 *   than all places without its own jobs. Jobs of others may be missing: see above.
 * - A state overtakes an answer, as the asker runs later. So `said` keeps the state as it was, and
 *   `some` is computed again whenever the state or the asker's jobs change.
 * - A worker has ended, and the asker does not know. The server reports that nobody listens, and
 *   the job goes to the next worker. A late announcement may bring the worker back for once.
 * - A worker ends, or the connection is lost, after the job was sent. No answer comes: the asker
 *   gets a code when the worker has been silent for three seconds, and does not try again.
 * - An announcement is lost with a connection. The next one comes within a second.
 *
 * With p asking processes, the news of a free place is p messages, and at most p jobs are sent for
 * it, of which the worker refuses all but one. */
#include "group.h"
#include "service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- heap ---- */

static void place(co4_nats_group *g, size_t at, struct co4__nats_worker *w)
{
    g->heap[at] = w;
    w->at = at + 1;
}

static void rise(co4_nats_group *g, size_t at, struct co4__nats_worker *w)
{
    for (; at > 0 && g->heap[(at - 1) / 2]->rank < w->rank; at = (at - 1) / 2)
        place(g, at, g->heap[(at - 1) / 2]);
    place(g, at, w);
}

static void sink(co4_nats_group *g, size_t at, struct co4__nats_worker *w)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < g->ranked && g->heap[child + 1]->rank > g->heap[child]->rank)
            child++;
        if (child >= g->ranked || g->heap[child]->rank <= w->rank)
            break;
        place(g, at, g->heap[child]);
        at = child;
    }
    place(g, at, w);
}

static void leave_heap(co4_nats_group *g, struct co4__nats_worker *w)
{
    size_t at = w->at - 1;
    struct co4__nats_worker *last = g->heap[--g->ranked];
    w->at = 0;
    if (last == w)
        return;
    if (at > 0 && g->heap[(at - 1) / 2]->rank < last->rank)
        rise(g, at, last);
    else
        sink(g, at, last);
}

/* Called after a change of the worker's state, or of the number of our jobs there. */
static void update(co4_nats_group *g, struct co4__nats_worker *w)
{
    int most = w->places - w->mine;
    w->some = w->said < most ? w->said : most;
    w->some = w->some > 0 ? w->some : 0;
    if (w->gone)
        return;
    if (w->at > 0)
        leave_heap(g, w);
    if (w->some == 0)
        return;
    w->rank = (uint64_t)w->some << 32 | co4__nats_random(&g->random) >> 32;
    rise(g, g->ranked++, w);
}

/* ---- workers ---- */

static size_t hash(const char *id)
{
    uint64_t h = 14695981039346656037u;
    for (; *id; id++)
        h = (h ^ (unsigned char)*id) * 1099511628211u;
    return (size_t)(h >> 16);
}

static struct co4__nats_worker *find(const co4_nats_group *g, const char *id)
{
    struct co4__nats_worker *w = g->room ? g->buckets[hash(id) % g->room] : NULL;
    while (w && strcmp(w->id, id) != 0)
        w = w->next;
    return w;
}

/* Makes room for one more worker in both arrays. */
static bool grow(co4_nats_group *g)
{
    if (g->workers < g->room)
        return true;
    size_t room = g->room ? 2 * g->room : 16;
    struct co4__nats_worker **heap = realloc(g->heap, room * sizeof(struct co4__nats_worker *));
    g->heap = heap ? heap : g->heap;
    struct co4__nats_worker **buckets = calloc(room, sizeof(struct co4__nats_worker *));
    if (!heap || !buckets) {
        free(buckets);
        return false;
    }
    for (struct co4__nats_worker *w = g->oldest; w; w = w->newer) {
        size_t i = hash(w->id) % room;
        w->next = buckets[i];
        buckets[i] = w;
    }
    free(g->buckets);
    g->buckets = buckets;
    g->room = room;
    return true;
}

static void unlink_by_age(co4_nats_group *g, struct co4__nats_worker *w)
{
    *(w->older ? &w->older->newer : &g->oldest) = w->newer;
    *(w->newer ? &w->newer->older : &g->newest) = w->older;
}

static void link_as_newest(co4_nats_group *g, struct co4__nats_worker *w)
{
    w->older = g->newest;
    w->newer = NULL;
    *(g->newest ? &g->newest->newer : &g->oldest) = w;
    g->newest = w;
}

static void forget(co4_nats_group *g, struct co4__nats_worker *w)
{
    if (w->gone)
        return;
    struct co4__nats_worker **at = &g->buckets[hash(w->id) % g->room];
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    if (w->at > 0)
        leave_heap(g, w);
    unlink_by_age(g, w);
    w->gone = true;
    w->some = w->said = 0;
    g->workers--;
    g->counts.gone++;
}

/* Called last in each change, as the worker may be gone then. */
static void free_gone(struct co4__nats_worker *w)
{
    if (w->gone && w->mine == 0)
        free(w);
}

static void forget_silent(co4_nats_group *g)
{
    int64_t now = co4_now();
    struct co4__nats_worker *newer;
    for (struct co4__nats_worker *w = g->oldest; w && now - w->seen > CO4__NATS_SILENT; w = newer) {
        newer = w->newer;
        forget(g, w);
        free_gone(w);
    }
}

static struct co4__nats_worker *add(co4_nats_group *g, const char *id)
{
    struct co4__nats_worker *w = grow(g) ? calloc(1, sizeof *w) : NULL;
    if (!w)
        return NULL; /* its next announcement comes in a second */
    snprintf(w->id, sizeof w->id, "%s", id);
    size_t i = hash(id) % g->room;
    w->next = g->buckets[i];
    g->buckets[i] = w;
    link_as_newest(g, w);
    g->workers++;
    return w;
}

/* ---- places ---- */

/* Returns a place at the worker with the most room, or NULL. */
static struct co4__nats_worker *take_place(co4_nats_group *g)
{
    forget_silent(g);
    struct co4__nats_worker *w = g->ranked > 0 ? g->heap[0] : NULL;
    if (w) {
        w->mine++;
        w->said--;
        update(g, w);
        g->counts.sent++;
    }
    return w;
}

/* Takes a job out of the queue. Its permit, too, is given under the lock: the job may be gone as
 * soon as it can take the lock. */
static void grant(co4_nats_group *g, struct co4__nats_turn *t, struct co4__nats_worker *w)
{
    *(t->before ? &t->before->behind : &g->first) = t->behind;
    *(t->behind ? &t->behind->before : &g->last) = t->before;
    g->counts.waiting--;
    t->queued = false;
    t->worker = w;
    if (w || g->closed)
        co4_sem_release(&t->granted);
}

static void serve_queue(co4_nats_group *g)
{
    struct co4__nats_worker *w;
    while (g->first && (w = take_place(g)) != NULL)
        grant(g, g->first, w);
}

/* Reads a state, "<number> <free> <places>". With 0 places the worker takes no more jobs; a
 * negative number means that it has ended. */
static void hear(co4_nats_group *g, struct co4__nats_worker *w, const char *said, int most)
{
    unsigned long long state;
    int some, places;
    if (sscanf(said, "%llu %d %d", &state, &some, &places) != 3 || w->gone)
        return;
    w->seen = co4_now();
    unlink_by_age(g, w);
    link_as_newest(g, w);
    if (state <= w->state)
        return;
    w->state = state;
    w->places = places > 0 && places < 1 << 24 ? places : 0;
    w->said = some < most ? some : most;
    update(g, w);
    if (places < 0)
        forget(g, w);
}

static bool take(struct co4__nats_hook *hook, co4_nats_subscription *s, co4_nats_message *m)
{
    co4_nats_group *g = (co4_nats_group *)hook;
    char id[CO4__NATS_ID];
    int end = 0;
    (void)s;
    if (sscanf(m->data, "%39s %n", id, &end) == 1 && end > 0) {
        pthread_mutex_lock(&g->lock);
        struct co4__nats_worker *w = find(g, id);
        if (!w && !g->closed)
            w = add(g, id);
        if (w) {
            hear(g, w, m->data + end, INT32_MAX);
            free_gone(w);
        }
        serve_queue(g);
        pthread_mutex_unlock(&g->lock);
    }
    co4_nats_message_destroy(m);
    return true;
}

/* ---- turns ---- */

static void queue(co4_nats_group *g, struct co4__nats_turn *t, bool again)
{
    t->queued = true;
    t->before = again ? NULL : g->last;
    t->behind = again ? g->first : NULL;
    *(t->before ? &t->before->behind : &g->first) = t;
    *(t->behind ? &t->behind->before : &g->last) = t;
    g->counts.waiting++;
}

int co4__nats_turn_begin(struct co4__nats_turn *t, co4_nats_group *g, bool again)
{
    *t = (struct co4__nats_turn){ .g = g, .granted = CO4_SEM_INIT(0) };
    pthread_mutex_lock(&g->lock);
    int err = g->closed ? CO4_ECLOSED : CO4_OK;
    if (err == CO4_OK && (again || !g->first))
        t->worker = take_place(g);
    if (err == CO4_OK && !t->worker) {
        queue(g, t, again);
        err = CO4_EEMPTY;
    }
    pthread_mutex_unlock(&g->lock);
    return err;
}

static void not_sent(co4_nats_group *g, struct co4__nats_worker *w)
{
    w->said++;
    g->counts.sent--;
}

void co4__nats_turn_leave(struct co4__nats_turn *t)
{
    co4_nats_group *g = t->g;
    if (!g)
        return;
    pthread_mutex_lock(&g->lock);
    if (t->queued)
        grant(g, t, NULL);
    struct co4__nats_worker *w = t->worker; /* it may have been granted at the last moment */
    if (w) {
        w->mine--;
        if (!t->used) /* otherwise the worker may have the job */
            not_sent(g, w);
        update(g, w);
        free_gone(w);
        serve_queue(g);
    }
    t->worker = NULL;
    pthread_mutex_unlock(&g->lock);
}

static bool is_lost(int code)
{
    return code == CO4_ETIMEDOUT || code == CO4_NATS_EGONE || code == CO4_NATS_EDISCONNECTED ||
           code == CO4_ECANCELED;
}

void co4__nats_turn_end(struct co4__nats_turn *t, const co4_nats_message *reply, int code)
{
    co4_nats_group *g = t->g;
    struct co4__nats_worker *w = t->worker;
    bool refused = code == CO4_NATS_EBUSY, absent = code == CO4_NATS_ENORESPONDERS;
    const char *said = co4_nats_header(reply, CO4__NATS_READY, NULL);
    pthread_mutex_lock(&g->lock);
    w->mine--;
    g->counts.refused += refused;
    g->counts.retried += refused || absent;
    g->counts.lost += is_lost(code);
    if (absent)
        forget(g, w);
    else if (refused) /* its next state says when it has a place again */
        w->said = 0;
    else if (!reply && !is_lost(code)) /* the job was too large, for example */
        not_sent(g, w);
    if (said)
        hear(g, w, said, refused ? 0 : INT32_MAX);
    update(g, w);
    free_gone(w);
    serve_queue(g);
    t->worker = NULL;
    pthread_mutex_unlock(&g->lock);
}

int64_t co4__nats_turn_look(void *turn)
{
    struct co4__nats_turn *t = turn;
    pthread_mutex_lock(&t->g->lock);
    int64_t until = t->worker->seen + CO4__NATS_SILENT;
    pthread_mutex_unlock(&t->g->lock);
    return until > co4_now() ? until : 0;
}

/* ---- groups ---- */

/* No announcement comes any more: all jobs leave the queue without a place. */
static void close_group(struct co4__nats_hook *hook)
{
    co4_nats_group *g = (co4_nats_group *)hook;
    pthread_mutex_lock(&g->lock);
    g->closed = true;
    while (g->first)
        grant(g, g->first, NULL);
    pthread_mutex_unlock(&g->lock);
}

static void begin_hook(struct co4__nats_hook *hook)
{
    co4_nats_group *g;
    co4__nats_group_retain(&g, (co4_nats_group *)hook);
}

static void end_hook(struct co4__nats_hook *hook)
{
    co4__nats_group_release((co4_nats_group *)hook);
}

int co4__nats_group_new(co4_nats_group **out, struct co4_nats *c, const char *name)
{
    int err = co4__nats_object(out, c, sizeof **out);
    co4_nats_group *g = *out;
    if (err != CO4_OK)
        return err;
    g->hook = (struct co4__nats_hook){ take, begin_hook, end_hook, close_group };
    g->c = c;
    atomic_init(&g->references, 1);
    pthread_mutex_init(&g->lock, NULL);
    g->random = ((uint64_t)co4_now() ^ (uint64_t)(uintptr_t)g ^ (uint64_t)hash(c->inbox) << 20) | 1;
    snprintf(g->prefix, sizeof g->prefix, CO4__NATS_GROUP "%s", name);
    return CO4_OK;
}

void co4__nats_group_retain(co4_nats_group **held, co4_nats_group *g)
{
    atomic_fetch_add_explicit(&g->references, 1, memory_order_relaxed);
    *held = g;
}

void co4__nats_group_release(co4_nats_group *g)
{
    if (atomic_fetch_sub_explicit(&g->references, 1, memory_order_acq_rel) != 1)
        return;
    for (struct co4__nats_worker *w = g->oldest, *next; w; w = next) {
        next = w->newer;
        free(w);
    }
    co4_nats_release(g->c);
    pthread_mutex_destroy(&g->lock);
    free(g->buckets);
    free(g->heap);
    free(g);
}

void co4_nats_group_close(co4_nats_group *g)
{
    if (!g)
        return;
    close_group(&g->hook);
    co4_nats_unsubscribe(g->ready);
    co4_nats_unsubscribe(g->inbox);
    co4__nats_group_release(g);
}

void co4_nats_group_count(co4_nats_group *g, co4_nats_group_counts *counts)
{
    if (!counts)
        return;
    *counts = (co4_nats_group_counts){ 0 };
    if (!g)
        return;
    pthread_mutex_lock(&g->lock);
    forget_silent(g);
    *counts = g->counts;
    counts->workers = g->workers;
    for (size_t i = 0; i < g->ranked; i++)
        counts->room += (size_t)g->heap[i]->some;
    pthread_mutex_unlock(&g->lock);
}
