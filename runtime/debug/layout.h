/* layout.h - what debuggers are told. */
#ifndef CO4_LAYOUT_INTERNAL_H
#define CO4_LAYOUT_INTERNAL_H

#include <stdint.h>

/* What share/co4/gdb/co4.py has to know of the library, which may have no debug information: its
 * `layout_fields` are these, in this order. Offsets are in bytes. */
#define CO4__LAYOUT_VERSION 4
struct co4__layout {
    uint32_t version, reserved;
    const void *runtimes, *slabs, *fresh, *hidden; /* where the pointers stand */
    uint32_t slab_next, slab_first, slab_bytes;
    uint32_t hidden_next, hidden_task; /* the latter inverted */
    uint32_t task_bytes, task_runtime_id, task_extension, task_state, task_wait, task_cancel,
        task_leaf, task_buffer, task_where;
    uint32_t timer_queue, queue_second, second_first;
    uint32_t extension_name, extension_watched, watched_function;
    uint32_t runtime_next, runtime_number, runtime_main;
    uint32_t mailbox_queue, lock_queue;
};
#if defined(__GNUC__) || defined(__clang__)
__attribute__((visibility("default"))) /* a shared library that is stripped tells it, too */
#endif
extern const struct co4__layout co4__layout;

#endif
