/* profile.h - the memory that libco4_prof.so shares with co4prof, which reads it in Python.
 *
 * One file, mapped by both: a head, then slots, one for each thread that is sampled. Numbers are in
 * the byte order of the machine. scripts/co4prof has the same layout (ORDER profile). */
#ifndef CO4_PROFILE_H
#define CO4_PROFILE_H

#include <stdatomic.h>
#include <stdint.h>

#define PROFILE_VERSION  1
#define PROFILE_VARIABLE "CO4_PROFILE" /* in the environment: the path of the file */

enum {
    HEAD_BYTES = 1 << 20,
    SLOT_HEAD_BYTES = 64,
    NEAR = 240, /* callers next to the running frame that a record has */
    FAR = 8,    /* and next to the root */
    REGISTERS = 17
};

/* What has become of the program. */
enum profile_state {
    PROFILE_NOT_LOADED,
    PROFILE_NO_TASKS,      /* no runtime of co4 is found */
    PROFILE_NO_SYMBOLS,    /* the same, and the program is stripped */
    PROFILE_OTHER_RUNTIME, /* of another release */
    PROFILE_SAMPLES,
    PROFILE_NO_TIMER, /* the system gives no timer */
};

struct profile_head {
    uint32_t version, rate; /* set by co4prof, as the next four; rate: samples a second */
    int32_t signal;
    uint32_t slots, slot_bytes, stack_bytes; /* stack_bytes: of the C stack that are copied */
    /* The process that is sampled: the first that has tasks. 0: none yet. */
    _Atomic uint32_t pid;
    _Atomic uint32_t state;        /* enum profile_state */
    _Atomic uint32_t others;       /* processes with tasks that are not sampled */
    _Atomic uint32_t threads_lost; /* threads for which there was no slot */
    _Atomic uint64_t maps_bytes;   /* of the text behind this, that of /proc/self/maps */
};

/* A thread appends records at `head`, co4prof takes them at `tail`; both only grow. The ring is
 * behind this, and a power of two. */
struct profile_slot {
    _Atomic uint32_t used;
    uint32_t unused;
    _Atomic uint64_t head, tail;
    _Atomic uint64_t lost; /* samples for which there was no room */
};

/* Behind it are `near` and `far` addresses of suspension points, from the running frame to the
 * root, then the bytes of the stack. A record without `weight` only fills the ring's end. */
struct profile_record {
    uint32_t bytes;  /* of all, a multiple of 8 */
    uint32_t weight; /* 1, and the ticks that have passed meanwhile */
    uint32_t thread;
    uint32_t near, far;
    uint32_t left_out; /* callers between them */
    uint32_t stack_bytes;
    uint32_t in_step;
    uint64_t task;                 /* an address, for comparison */
    char name[32];                 /* of the task */
    uint64_t registers[REGISTERS]; /* by their numbers in DWARF */
};

/* The runtime in the program. */
struct profile_runtime {
    int (**step_profiler)(struct co4_fiber *co4);
    int (*finish_step)(struct co4_fiber *co4, struct co4_frame *callers);
    const struct co4__layout *layout;
};

enum profile_state find_runtime(struct profile_runtime *runtime);

#endif
