/* held_lock.c - locks that are held where a task pauses; by flow, not by place in the text. */
/* flags: -Wno-co4-blocking */
#include <pthread.h>
#include <threads.h>

#include <co4.h>

struct queue {
    pthread_mutex_t lock;
    pthread_rwlock_t table;
    int n;
};

pausable int take(struct queue *q);
pausable int take(struct queue *q)
{
    pthread_mutex_lock(&q->lock); /* note at 5: 'q->lock' is locked here */
    if (q->n == 0) {
        pthread_mutex_unlock(&q->lock);
        return co4_yield(); /* unlocked on the way here */
    }
    co4_yield();
    /* warning at 5: 'q->lock' is still locked when 'take' pauses here */
    /* hint: unlock it before */
    co4_yield(); /* once is enough */
    /* clang-format off */
    pthread_mutex_unlock(& q->lock); /* the same, in other words */
    /* clang-format on */
    return co4_yield();
}

pausable int loop(struct queue *q, mtx_t *m);
pausable int loop(struct queue *q, mtx_t *m)
{
    for (int i = 0; i < q->n; i++) {
        pthread_rwlock_rdlock(&q->table);
        int n = q->n;
        pthread_rwlock_unlock(&q->table);
        co4_sleep(n); /* warning: 'm' is still locked when 'loop' pauses here */
        if (n > 3)
            mtx_lock(m); /* note: 'm' is locked here */
    }
    while (co4_yield() == 0)
        mtx_unlock(m);
    return 0;
}

pausable int alias(struct queue *q, struct queue *p);
pausable int alias(struct queue *q, struct queue *p)
{
    pthread_mutex_t *m = p == q ? &p->lock : &q->lock;
    pthread_mutex_lock(&q->lock);
    pthread_mutex_unlock(m); /* perhaps the same */
    if (pthread_mutex_trylock(&q->lock) == 0)
        pthread_mutex_unlock(&q->lock);
    return co4_yield();
}

pausable int leaves(struct queue *q);
pausable int leaves(struct queue *q)
{
    if (pthread_mutex_lock(&q->lock) != 0)
        goto out;
    switch (q->n) {
    case 1:
        pthread_mutex_unlock(&q->lock);
        break;
    default:
        pthread_mutex_unlock(&q->lock);
        co4_yield();
    }
    return co4_yield();
out:
    return -1;
}
