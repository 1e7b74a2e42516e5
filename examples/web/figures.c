/* figures.c - thousands of figures on a web page, each a task: it walks, rests, and waits for a
 * poke.
 *
 * The page calls step() in each frame, which is co4_runtime_run_once(): each ready task makes one
 * step. A figure that rests waits for its mailbox with a deadline; when the page is paused all of
 * them wait at one lock. Nothing here runs but in step(). */
#include <co4.h>
#include <math.h>

#define EXPORT(name) __attribute__((export_name(name)))

enum { MOST = 20000, SHOWN = 4 /* floats of a figure */ };

struct figure {
    co4_task *task;
    co4_mailbox *pokes;
    float x, y;
    unsigned random;
};

static struct figure figures[MOST];
static float shown[MOST * SHOWN]; /* x, y, size, hue: what the page draws */
static int count;
static unsigned moves, poked;
static co4_runtime *rt;
static co4_rwlock gate;     /* walkers read it; the task that stops them writes */
static co4_mailbox *orders; /* true: stop */

/* Given by the page: takes a piece of text. */
__attribute__((import_module("page"), import_name("text"))) void page_text(const char *text,
                                                                           size_t bytes);

static float chance(struct figure *f)
{
    f->random = f->random * 1664525u + 1013904223u;
    return (float)(f->random >> 8) / (1 << 24);
}

static void show(const struct figure *f, float size, float hue)
{
    float *at = shown + (f - figures) * SHOWN;
    at[0] = f->x, at[1] = f->y, at[2] = size, at[3] = hue;
}

static pausable int walk(struct figure *f, float hue)
{
    float to_x = chance(f), to_y = chance(f);
    while (fabsf(f->x - to_x) + fabsf(f->y - to_y) > 0.01f) {
        if (co4_rwlock_read(&gate) != CO4_OK)
            return CO4_ECANCELED;
        co4_rwlock_unlock(&gate);
        f->x += 0.05f * (to_x - f->x);
        f->y += 0.05f * (to_y - f->y);
        moves++;
        show(f, 2, hue);
        if (co4_sleep(30 * CO4_MS) != CO4_OK)
            return CO4_ECANCELED;
    }
    return CO4_OK;
}

/* Until it is poked, or has rested enough. */
static pausable int rest(struct figure *f)
{
    int poke;
    int err = co4_mailbox_receive_until(f->pokes, &poke, co4_now() + (int64_t)(3e9f * chance(f)));
    if (err == CO4_OK) {
        poked++;
        show(f, 6, 0);
        err = co4_sleep(300 * CO4_MS);
    }
    return err == CO4_ETIMEDOUT ? CO4_OK : err;
}

static pausable int figure(struct figure *f)
{
    float hue = 60 + 240 * chance(f);
    int err;
    do
        if ((err = walk(f, hue)) == CO4_OK)
            err = rest(f);
    while (err == CO4_OK);
    return err;
}

static pausable void keep_gate(void)
{
    for (bool still = false, order; co4_mailbox_receive(orders, &order) == CO4_OK; still = order)
        if (order && !still) {
            if (co4_rwlock_write(&gate) != CO4_OK)
                return;
        } else if (!order && still) {
            co4_rwlock_unlock(&gate);
        }
}

/* ---- what the page calls ---- */

EXPORT("start") int start(void)
{
    rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    orders = co4_mailbox_create(sizeof(bool), 8);
    if (!rt || !orders || co4_runtime_start(rt) != CO4_OK)
        return CO4_ENOMEM;
    return co4_runtime_spawn(rt, keep_gate()) ? CO4_OK : CO4_ENOMEM;
}

/* How many there are then. */
EXPORT("more") int more(int n)
{
    for (; n > 0 && count < MOST; n--, count++) {
        struct figure *f = &figures[count];
        *f = (struct figure){ .random = (unsigned)count * 2654435761u + 1 };
        f->x = chance(f);
        f->y = chance(f);
        f->pokes = co4_mailbox_create(sizeof(int), 1);
        f->task = f->pokes ? co4_runtime_spawn(rt, figure(f)) : NULL;
        if (!f->task) {
            co4_mailbox_destroy(f->pokes);
            break;
        }
    }
    return count;
}

/* The last n end: wherever they wait, the call in which they do returns CO4_ECANCELED. How many are
 * left. */
EXPORT("fewer") int fewer(int n)
{
    int left = count > n ? count - n : 0;
    for (struct figure *f = figures + left; f < figures + count; f++)
        co4_task_cancel(f->task, 0);
    for (; count > left; count--) {
        struct figure *f = &figures[count - 1];
        co4_block(co4_task_join(f->task)); /* they are ready: all it takes is a step */
        co4_task_release(f->task);
        co4_mailbox_destroy(f->pokes);
    }
    return count;
}

EXPORT("step") int step(void)
{
    return co4_runtime_run_once(rt);
}

/* Milliseconds until step() has something to do; infinite when only the page can bring it. */
EXPORT("due") double due(void)
{
    int64_t next = co4_runtime_next_deadline(rt), now = co4_now();
    return next == CO4_NEVER ? INFINITY : next <= now ? 0 : (double)(next - now) / CO4_MS;
}

EXPORT("poke") void poke(float x, float y)
{
    for (struct figure *f = figures; f < figures + count; f++)
        if (hypotf(f->x - x, f->y - y) < 0.1f &&
            co4_mailbox_send_until(f->pokes, &(int){ 1 }, CO4_NOW) == CO4_EFULL)
            continue; /* it has enough of them */
}

EXPORT("stand") int stand(int still)
{
    return co4_mailbox_send_until(orders, &(bool){ still != 0 }, CO4_NOW);
}

static int append(void *data, const char *text, size_t bytes)
{
    (void)data;
    page_text(text, bytes);
    return CO4_OK;
}

/* All tasks, with the calls that led to where they wait. */
EXPORT("dump") int dump(void)
{
    return co4_dump(rt, append, NULL);
}

EXPORT("places") const float *places(void)
{
    return shown;
}

EXPORT("moved") unsigned moved(void)
{
    return moves;
}

EXPORT("were_poked") unsigned were_poked(void)
{
    return poked;
}
