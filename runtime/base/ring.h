/* ring.h - a ring for one user at a time: see co4/ring.h. */
#ifndef CO4_RING_INTERNAL_H
#define CO4_RING_INTERNAL_H

#include "base/compiler.h"
#include "base/public.h"

/* Makes room for one more element: CO4_OK, CO4_EFULL, CO4_ENOMEM. */
CO4__PRIVATE int co4__ring_make_room(co4_ring *ring);

#endif
