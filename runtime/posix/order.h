/* order.h - what orders the threads of a program, for a run that looks for data races.
 *
 * simulation/ sets the function, which this folder does not know. Without one a call of POSIX pays
 * for a test. */
#ifndef CO4_POSIX_ORDER_H
#define CO4_POSIX_ORDER_H

#include <stddef.h>

#include "base/compiler.h"

enum co4__order {
    CO4__ORDER_LOCKED,      /* the caller has locked the object, or has passed it */
    CO4__ORDER_UNLOCKS,     /* the caller lets others lock it, or pass */
    CO4__ORDER_READ_LOCKED, /* likewise, beside other readers */
    CO4__ORDER_LOCKED_WRITE,
    CO4__ORDER_UNLOCKS_RWLOCK,
    CO4__ORDER_BEGINS, /* the object is a task, which begins next as a thread */
    CO4__ORDER_JOINED  /* … which has ended */
};

extern CO4__OWN void (*co4__order)(enum co4__order what, const void *object);

static inline void co4__orders(enum co4__order what, const void *object)
{
    if (CO4__UNLIKELY(co4__order != NULL))
        co4__order(what, object);
}

static inline int co4__orders_if(int err, enum co4__order what, const void *object)
{
    if (err == 0)
        co4__orders(what, object);
    return err;
}

#endif
