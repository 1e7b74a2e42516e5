/* layout.h - the library's data layout, for debuggers. */
#ifndef CO4_LAYOUT_INTERNAL_H
#define CO4_LAYOUT_INTERNAL_H

#include <stdint.h>

/* The fields that share/co4/gdb/co4.py needs, since the library may have no debug information. Its
 * LAYOUT_FIELDS has the same ones in the same order. Offsets are in bytes. */
#define CO4__LAYOUT_VERSION 8
struct co4__layout {
    uint32_t version, reserved;
    const void *runtimes, *slabs, *fresh, *hidden; /* the addresses of pointers */
    const void *words_of_calls;                    /* see core/blocker.h; NULL: none */
    uint32_t slab_next, slab_first, slab_bytes;
    uint32_t hidden_next, hidden_task; /* the pointer at the latter is inverted */
    uint32_t task_bytes, task_runtime_id, task_extension, task_state, task_wait, task_cancel,
        task_leaf, task_buffer, task_where;
    uint32_t timer_queue, queue_second, queue_bytes;
    uint32_t extension_name, extension_record, record_function, record_number;
    uint32_t runtime_next, runtime_number, runtime_main;
    uint32_t mailbox_queue, lock_queue;
    uint32_t queue_gate, gate_of_descriptors, descriptor_fd; /* from the descriptor's first queue */
    uint32_t selecting_count, selecting_cases, case_source;
};
/* Visible, so that debuggers also find it in a stripped shared library. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((visibility("default")))
#endif
extern const struct co4__layout co4__layout;

#endif
