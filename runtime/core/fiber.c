/* fiber.c - the trampoline: it resumes paused activations, the leaf first.
 *
 * Purpose: a paused fiber is only a chain of frames, from leaf to root. To resume it, the loop
 * calls the resume entry of the leaf. If that returns for good, its frame is freed, its result is
 * in `result` or in the caller's frame, and the caller's frame is next. If it pauses again, it has
 * linked the frames of its new stretch of C stack; the remaining chain is linked after them
 * unchanged. So a pause at depth 20 costs only the frames that run. The loop is inline in fiber.h,
 * since a generator's next does little else.
 *
 * Invariants: the loop reads the caller before the call, as the frame may be freed then. A fiber
 * may pause with no frame: if its root is a primitive (co4_spawn(co4_sleep(5))), the call frame has
 * no more work once it has called. So the return value, not the chain, says whether a fiber has
 * ended.
 *
 * Failure: if the allocation of a frame fails, `pausing` becomes CO4_ABI_FAILED and every
 * activation on the stack returns. Those that have a frame link it as for a pause. The result is
 * one chain, which is freed here. If a primitive has queued the task already, the reason is
 * FAILED_WAITING. Then the end of the step removes the task from its wait queue, or waits for the
 * wake that another thread is about to send. Only then is the chain freed, as it may contain
 * listeners (worker.c). Freeing stops at the frame of a scope whose children have not ended, since
 * they may read the frames of its callers. The task waits for them, as it would have in that scope.
 * Its wake frees the remaining frames. */
#include "core/fiber.h"

#include <stdint.h>

#include "base/asan.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/thread.h"

void *co4_abi_save_first(co4_fiber *co4, const co4_abi_point *at)
{
    int why = co4->pausing;
    void *frame = why >= CO4_ABI_FAILED ? NULL : co4_abi_frame_take(co4, co4_abi_func_of(at));
    if (CO4__LIKELY(frame != NULL))
        return co4_abi_link(co4, frame, at);
    if (why == CO4_ABI_WAITING)
        co4->pausing = CO4_ABI_FAILED_WAITING;
    return NULL;
}

void *co4_abi_save_small(co4_fiber *co4, void *frame, const co4_abi_point *at)
{
    return frame ? co4_abi_link(co4, frame, at) : co4_abi_save_first(co4, at);
}

/* Bytes before and after a block that the address sanitizer guards. */
enum { ZONE = ASAN ? 16 : 0 };

/* The header before a block. */
struct block {
    void *memory;
    size_t bytes;
};

/* Rounds a large size up by at most a quarter, so that a freed block also serves other lengths. */
static size_t in_steps(size_t bytes)
{
    size_t step = 16;
    while (step < bytes / 8)
        step *= 2;
    size_t all = (bytes + step - 1) & ~(step - 1);
    return all >= bytes ? all : bytes;
}

void *co4_abi_block_take(co4_fiber *co4, size_t bytes, size_t align)
{
    size_t least = _Alignof(max_align_t);
    if (align < least)
        align = least;
    size_t all = in_steps(bytes + 2 * ZONE + sizeof(struct block) + align);
    char *memory = all > bytes ? co4__pool_take(all) : NULL;
    if (CO4__UNLIKELY(!memory)) {
        co4_abi_pause(co4, CO4_ABI_FAILED);
        return NULL;
    }
    char *at = memory + ZONE + sizeof(struct block);
    at += (align - (uintptr_t)at % align) % align;
    ((struct block *)(void *)at)[-1] = (struct block){ memory, all };
    ASAN_POISON_MEMORY_REGION(memory, (size_t)(at - memory));
    ASAN_POISON_MEMORY_REGION(at + bytes, (size_t)(memory + all - (at + bytes)));
    return at;
}

void co4_abi_block_drop(void *block)
{
    struct block *in_front = (struct block *)block - 1;
    ASAN_UNPOISON_MEMORY_REGION(in_front, sizeof *in_front);
    struct block head = *in_front;
    ASAN_UNPOISON_MEMORY_REGION(head.memory, head.bytes);
    co4__pool_drop(head.memory, head.bytes);
}

/* Drops the frames of the chain. Stops at a scope's frame in which the task has to wait, and
 * returns CO4_ABI_WAITING. Without a task it drops all frames. */
static int drop_frames(co4_fiber *co4, co4_task *task)
{
    const co4_frame *borrowed = co4->kind == CO4__KIND_RUN ? co4__wait_hooks.run_root(co4) : NULL;
    co4_frame *f = co4->leaf;
    co4->leaf = NULL;
    co4->last = NULL;
    for (co4_frame *caller; f && f != borrowed; f = caller) {
        caller = f->caller;
        const co4_abi_func *func = co4_abi_func_of(f->at);
        if (CO4__UNLIKELY(func->unwind != NULL)) {
            if (task && co4__task_hooks.holds_frame && co4__task_hooks.holds_frame(task, f, true)) {
                co4->leaf = f;
                return CO4_ABI_WAITING;
            }
            func->unwind(f); /* runs cleanup handlers: user code */
        }
        co4_abi_frame_drop(co4, f);
    }
    return CO4_ABI_FAILED;
}

void co4__fiber_drop_chain(co4_fiber *co4)
{
    drop_frames(co4, NULL);
}

int co4__fiber_failed(co4_fiber *co4)
{
    return drop_frames(co4, co4__may_pause(co4) ? co4__task_of(co4) : NULL);
}

int co4__fiber_gives_up(co4_fiber *co4, int why)
{
    return why == CO4_ABI_FAILED    ? co4__fiber_failed(co4)
           : why == CO4_ABI_JUMPING ? co4__local()->jump.goes_on(co4)
                                    : why;
}

int co4__fiber_finish_step(co4_fiber *co4, co4_frame *callers)
{
    return co4__fiber_link(co4, callers);
}
