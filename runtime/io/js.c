/* js.c - the driver for Emscripten: JavaScript says when a descriptor is ready.
 *
 * Purpose: while C is on the stack nothing arrives. So this driver never waits: it asks to hear of
 * an event (arm), JavaScript calls co4__js_ready() from its own loop, and the turn that it then
 * makes finds the event here.
 *
 * Invariant: there is at most one question for a direction of a descriptor. An answer to an older
 * one, of another file of the same number, has another generation, and is ignored. */
#include <errno.h>

#ifdef __EMSCRIPTEN__
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include <emscripten.h>

#include "base/alloc.h"
#include "io/reactor.h"
#include "platform/clock.h"
#include "platform/js.h"
#include "platform/thread.h"

/* ---- JavaScript ---- */

/* clang-format off */
/* The files and sockets of Emscripten's own code say only when they are asked whether they are
 * ready. */
EM_JS(void, co4__js_watch, (int fd, int events, uint32_t generation), {
    var look = function(ms)
    {
        var stream = typeof FS != 'undefined' ? FS.getStream(fd) : null;
        var poll = stream && stream.stream_ops && stream.stream_ops.poll;
        var found = !poll ? (ms > 0 ? events : 0) : poll(stream) & (events | 24);
        if (typeof ABORT != 'undefined' && ABORT)
            return;
        if (found)
            _co4__js_ready(fd, found, generation);
        else
            setTimeout(
                function() { look(Math.min(2 * ms || 1, 20)); }, ms);
    };
    if (Module.co4 && Module.co4.watch)
        Module.co4.watch(fd, events, generation);
    else
        look(0);
});

EM_JS(int, co4__js_takes_time, (int fd), {
    return typeof CO4 != 'undefined' && CO4.takesTime(fd) ? 1 : 0;
});
/* clang-format on */

/* ---- the driver ---- */

struct entry {
    uint32_t generation; /* 0: not registered; else it is odd */
    short armed;         /* events of poll() that are asked for */
    short ready;         /* those that have come */
    bool queued;
};

struct state {
    struct entry *entries; /* by number */
    size_t room;
    int *queue; /* descriptors with an answer; each is in it once, so it has the same room */
    size_t first, count;
    struct state *next;
};

static struct state *states;

static struct state *js_state_of(const struct co4__reactor *r)
{
    return r->state;
}

static int js_open(struct co4__reactor *r)
{
    struct state *s = co4__alloc(sizeof *s);
    if (!s)
        return ENOMEM;
    s->next = states;
    states = s;
    r->state = s;
    return 0;
}

static void js_close(struct co4__reactor *r)
{
    struct state *s = js_state_of(r), **link = &states;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    co4__free(s->entries);
    co4__free(s->queue);
    co4__free(s);
    r->state = NULL;
}

static bool js_make_room(struct state *s, int fd)
{
    size_t room = s->room > 16 ? s->room : 16;
    while (room <= (size_t)fd)
        room *= 2;
    if (room == s->room)
        return true;
    struct entry *entries = co4__alloc(room * sizeof *entries);
    int *queue = co4__alloc(room * sizeof *queue);
    if (!entries || !queue) {
        co4__free(entries);
        co4__free(queue);
        return false;
    }
    if (s->room > 0)
        memcpy(entries, s->entries, s->room * sizeof *entries);
    for (size_t i = 0; i < s->count; i++)
        queue[i] = s->queue[(s->first + i) % s->room];
    co4__free(s->entries);
    co4__free(s->queue);
    s->entries = entries;
    s->queue = queue;
    s->first = 0;
    s->room = room;
    return true;
}

static int js_add(struct co4__reactor *r, int fd, uint32_t generation)
{
    struct state *s = js_state_of(r);
    struct stat file;
    if (co4__js_takes_time(fd) || (fstat(fd, &file) == 0 && S_ISREG(file.st_mode)))
        return EPERM; /* it never waits */
    if (!js_make_room(s, fd))
        return ENOMEM;
    s->entries[fd] = (struct entry){ .generation = generation, .queued = s->entries[fd].queued };
    return 0;
}

static void js_remove(struct co4__reactor *r, int fd)
{
    struct state *s = js_state_of(r);
    if ((size_t)fd < s->room)
        s->entries[fd] = (struct entry){ .queued = s->entries[fd].queued };
}

static void js_arm(struct co4__reactor *r, int fd, short events)
{
    struct state *s = js_state_of(r);
    if ((size_t)fd >= s->room || !s->entries[fd].generation)
        return;
    struct entry *e = &s->entries[fd];
    short more = (short)(events & ~e->armed);
    e->armed |= more;
    if (more != 0)
        co4__js_watch(fd, more, e->generation);
}

static void answer(struct state *s, int fd, int events, uint32_t generation)
{
    struct entry *e = &s->entries[fd];
    if (e->generation != generation)
        return;
    e->ready |= (short)events;
    if (e->queued)
        return;
    e->queued = true;
    s->queue[(s->first + s->count++) % s->room] = fd;
}

EMSCRIPTEN_KEEPALIVE void co4__js_ready(int fd, int events, uint32_t generation)
{
    for (struct state *s = states; s; s = s->next)
        if (fd >= 0 && (size_t)fd < s->room)
            answer(s, fd, events, generation);
    co4__js_schedule(0);
}

static void js_wake(struct co4__reactor *r)
{
    (void)r; /* the only thread calls this: it does not wait */
}

static int js_events(struct co4__reactor *r, struct co4__io_event *events, int64_t deadline)
{
    struct state *s = js_state_of(r);
    int kept = 0;
    (void)deadline;
    while (s->count > 0 && kept < CO4__EVENTS) {
        int fd = s->queue[s->first];
        struct entry *e = &s->entries[fd];
        s->first = (s->first + 1) % s->room;
        s->count--;
        e->queued = false;
        short ready = e->ready;
        e->ready = 0;
        if (!e->generation || ready == 0)
            continue;
        unsigned what = 0;
        if (ready & ~POLLOUT)
            what |= CO4__MAY_READ;
        if (ready & (POLLOUT | POLLERR | POLLHUP | POLLNVAL))
            what |= CO4__MAY_WRITE;
        if (ready & (POLLERR | POLLHUP | POLLNVAL | POLLRDHUP))
            what |= CO4__HAS_ENDED;
        e->armed = (short)(what & CO4__HAS_ENDED ? 0 : e->armed & ~ready);
        events[kept++] = (struct co4__io_event){ fd, e->generation, what };
    }
    return kept;
}

const struct co4__io_driver co4__io_js = {
    .name = "js",
    .open = js_open,
    .close = js_close,
    .add = js_add,
    .remove = js_remove,
    .arm = js_arm,
    .wait = js_events,
    .wake = js_wake,
};
#endif
