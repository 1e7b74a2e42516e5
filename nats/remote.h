/* remote.h - the header of remote actors, for the files of the library. */
#ifndef CO4_NATS_REMOTE_INTERNAL_H
#define CO4_NATS_REMOTE_INTERNAL_H

#include "group.h"

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include "co4/nats_remote.h"
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

/* Subjects of what is served: <this><name>, and the same with .who behind it. */
#define CO4__NATS_ALIVE "co4.alive."

#endif
