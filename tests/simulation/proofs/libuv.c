/* libuv.c - two loops in two threads, which share libuv's pool of threads: each piece of work is
 * done once, or was cancelled and is not; each ends once, in its loop; each call of uv_async_send()
 * is followed by one of its function; the pool ends.
 *
 * Work is of a function, of the file system, and of getaddrinfo(), of which the pool takes no more
 * than half of its threads. */
#include <uv.h>

#include "proof.h"

#define LOOPS 2
#define WORKS 8
#define SENDS 4

enum kind { COMPUTE, FILES, LOOKUP, KINDS };

struct work {
    union {
        uv_req_t any;
        uv_work_t compute;
        uv_fs_t files;
        uv_getaddrinfo_t lookup;
    } request;
    enum kind kind;
    struct loop *loop;
    _Atomic int done;
    int is_cancelled, is_over;
};

struct loop {
    uv_loop_t loop;
    uv_async_t async;
    uv_timer_t timer, clock;
    struct work works[WORKS];
    int made, over, called, late;
    _Atomic int sent, senders; /* those that go on */
};

static struct loop loops[LOOPS];

static void begin_work(struct loop *l);

/* It has ended: there is a next one. */
static void end_work(struct work *w, int status)
{
    struct loop *l = w->loop;
    must(!w->is_over, "work ends twice", NULL);
    w->is_over = 1;
    l->over++;
    must((status == UV_ECANCELED) == w->is_cancelled, "cancelled work", uv_strerror(status));
    must(status == UV_ECANCELED || status == 0, "work fails", uv_strerror(status));
    must(w->kind != COMPUTE || w->done == !w->is_cancelled, "work is not done once", NULL);
    begin_work(l);
}

static void compute(uv_work_t *request)
{
    struct work *w = (struct work *)request->data;
    w->done++;
    if (chance(3) == 0)
        usleep(chance(3000));
}

static void after_compute(uv_work_t *request, int status)
{
    end_work(request->data, status);
}

static void after_files(uv_fs_t *request)
{
    int status = (int)request->result;
    must(status != 0 || (request->statbuf.st_mode & S_IFMT) == S_IFDIR, "no folder", NULL);
    uv_fs_req_cleanup(request);
    end_work(request->data, status);
}

static void after_lookup(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
    struct sockaddr_in *address = found ? (struct sockaddr_in *)found->ai_addr : NULL;
    must(status != 0 || address->sin_addr.s_addr == htonl(INADDR_LOOPBACK), "another address",
         NULL);
    uv_freeaddrinfo(found);
    end_work(request->data, status == UV_EAI_CANCELED ? UV_ECANCELED : status);
}

static void cancel(struct work *w)
{
    int status = uv_cancel(&w->request.any);
    must(status == 0 || status == UV_EBUSY, "uv_cancel", uv_strerror(status));
    w->is_cancelled = status == 0;
}

static void begin_work(struct loop *l)
{
    struct addrinfo wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
    int failed = 0;
    if (l->made == WORKS)
        return;
    struct work *w = &l->works[l->made++];
    *w = (struct work){ .kind = (enum kind)chance(KINDS), .loop = l };
    w->request.any.data = w;
    if (w->kind == COMPUTE)
        failed = uv_queue_work(&l->loop, &w->request.compute, compute, after_compute);
    else if (w->kind == FILES)
        failed = uv_fs_stat(&l->loop, &w->request.files, "/", after_files);
    else
        failed = uv_getaddrinfo(&l->loop, &w->request.lookup, after_lookup, "localhost", NULL,
                                &wanted);
    must(failed == 0, "work does not begin", uv_strerror(failed));
    if (chance(4) == 0)
        cancel(w);
}

/* Some time later: what is still in the queue, perhaps. */
static void cancel_one(uv_timer_t *timer)
{
    struct loop *l = timer->data;
    struct work *w = &l->works[chance((unsigned)l->made)];
    if (!w->is_over && !w->is_cancelled)
        cancel(w);
    uv_close((uv_handle_t *)timer, NULL);
}

static void be_called(uv_async_t *async)
{
    struct loop *l = async->data;
    l->called = l->sent;
}

/* The handle is closed when no thread sends any more; the call for the last one may come a turn
 * later. */
static void look(uv_timer_t *clock)
{
    struct loop *l = clock->data;
    if (l->senders > 0)
        return;
    must(l->called == SENDS * LOOPS || l->late++ < 3, "a call after uv_async_send() is lost", NULL);
    if (l->called == SENDS * LOOPS) {
        uv_close((uv_handle_t *)&l->async, NULL);
        uv_close((uv_handle_t *)clock, NULL);
    }
}

static void *run_loop(void *data)
{
    struct loop *l = data;
    uv_timer_init(&l->loop, &l->timer);
    l->timer.data = l;
    uv_timer_start(&l->timer, cancel_one, chance(4), 0);
    uv_timer_init(&l->loop, &l->clock);
    l->clock.data = l;
    uv_timer_start(&l->clock, look, 1, 1);
    for (int i = 0; i < WORKS / 2; i++)
        begin_work(l);
    must(uv_run(&l->loop, UV_RUN_DEFAULT) == 0, "uv_run", NULL);
    must(l->over == WORKS && l->called == SENDS * LOOPS, "the loop ends early", NULL);
    must(uv_loop_close(&l->loop) == 0, "uv_loop_close", NULL);
    return NULL;
}

/* To all loops. */
static void *send_all(void *data)
{
    for (int i = 0; i < SENDS; i++) {
        for (int k = 0; k < LOOPS; k++) {
            loops[k].sent++;
            must(uv_async_send(&loops[k].async) == 0, "uv_async_send", NULL);
        }
        usleep(chance(500));
    }
    for (int k = 0; k < LOOPS; k++)
        loops[k].senders--;
    return data;
}

int main(void)
{
    pthread_t threads[LOOPS], senders[LOOPS];
    setenv("UV_THREADPOOL_SIZE", chance(2) ? "2" : "3", 1);
    for (int i = 0; i < LOOPS; i++) {
        must(uv_loop_init(&loops[i].loop) == 0, "uv_loop_init", NULL);
        must(uv_async_init(&loops[i].loop, &loops[i].async, be_called) == 0, "uv_async_init", NULL);
        loops[i].async.data = &loops[i];
        loops[i].senders = LOOPS;
    }
    for (int i = 0; i < LOOPS; i++) {
        start(&threads[i], run_loop, &loops[i]);
        start(&senders[i], send_all, NULL);
    }
    for (int i = 0; i < LOOPS; i++) {
        pthread_join(threads[i], NULL);
        pthread_join(senders[i], NULL);
    }
    uv_library_shutdown();
    return 0;
}
