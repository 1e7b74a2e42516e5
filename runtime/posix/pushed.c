/* pushed.c - handlers of pthread_cleanup_push() in woven code.
 *
 * The unwind entry of a function runs those of a task. Of a thread that is none, the C library does
 * not know the activations: its handlers are in a list, which runs when the thread ends, by
 * pthread_exit() (threads.c), or at the latest with the destructors of its specific values, of
 * which this one comes first. What they point to is in frames, which are still there then. Only the
 * thread accesses its list. */
#define _GNU_SOURCE
#include "posix/pushed.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/public.h"
#include "posix/self.h"

struct pushed {
    void (*call)(void *arg); /* NULL: none */
    void *arg;
    struct pushed *older;
    bool of_thread; /* it is in the list */
};
#ifdef __GLIBC__
_Static_assert(sizeof(struct pushed) <= sizeof(__pthread_unwind_buf_t), "it has the place");
#endif

static _Thread_local struct pushed *newest;
static pthread_key_t key; /* its value is set in a thread that has ever had a handler */

static void run_at_end(void *set)
{
    (void)set;
    co4__pushed_run();
}

/* Before the program's own keys. Without one there is no end by pthread_cancel(). */
__attribute__((constructor(102))) static void make_key(void)
{
    pthread_key_create(&key, run_at_end);
}

void co4_abi_no_handler(void *at)
{
    struct pushed *p = at;
    *p = (struct pushed){ NULL, NULL, NULL, false };
}

void co4_abi_push_handler(void *at, void (*call)(void *arg), void *arg)
{
    struct pushed *p = at;
    *p = (struct pushed){ call, arg, newest, !co4__posix_self() };
    if (p->of_thread) {
        newest = p;
        pthread_setspecific(key, &key);
    }
}

void co4_abi_pop_handler(void *at)
{
    struct pushed *p = at;
    if (p->of_thread)
        newest = p->older;
    co4_abi_no_handler(p);
}

void co4_abi_run_handler(void *at)
{
    struct pushed was = *(struct pushed *)at;
    co4_abi_pop_handler(at);
    if (was.call)
        was.call(was.arg);
}

void co4__pushed_run(void)
{
    while (newest)
        co4_abi_run_handler(newest);
}
