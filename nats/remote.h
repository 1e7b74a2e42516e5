/* remote.h - the header of remote actors, for the files of the library. */
#ifndef CO4_NATS_REMOTE_INTERNAL_H
#define CO4_NATS_REMOTE_INTERNAL_H

#include "group.h"

/* Subjects of what is served: <this><name>, and the same with .who behind it. */
#define CO4__NATS_ALIVE "co4.alive."

#endif
