/* order.h - what orders the threads of a program, and what they have: for a run that looks for data
 * races, or at what is left at its end.
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
    CO4__ORDER_MUTEX_LOCKED, /* as LOCKED and UNLOCKS, of a mutex */
    CO4__ORDER_MUTEX_UNLOCKS,
    CO4__ORDER_MUTEX_IS_FREE, /* … which is unlocked, and perhaps gone */
    CO4__ORDER_BEGINS,        /* the object is a task, which begins next as a thread */
    CO4__ORDER_ENDS,
    CO4__ORDER_TAKEN, /* a call joins or detaches it */
    CO4__ORDER_LEFT,  /* … or does not after all */
    CO4__ORDER_JOINED /* it has ended, and the caller's join, too */
};

/* `place`: where the program's call returns to, for BEGINS; else NULL. */
extern CO4__OWN void (*co4__order)(enum co4__order what, const void *object, const void *place);

static inline void co4__orders_at(enum co4__order what, const void *object, const void *place)
{
    if (CO4__UNLIKELY(co4__order != NULL))
        co4__order(what, object, place);
}

static inline void co4__orders(enum co4__order what, const void *object)
{
    co4__orders_at(what, object, NULL);
}

static inline int co4__orders_if(int err, enum co4__order what, const void *object)
{
    if (err == 0)
        co4__orders(what, object);
    return err;
}

#endif
