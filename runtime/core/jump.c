/* jump.c - setjmp and longjmp in functions that pause.
 *
 * Purpose: a pause gives up the C stack, and with it what a jmp_buf describes. So an activation
 * that has called setjmp notes the buffer here, by its address. A longjmp in woven code finds the
 * note. If the activation belongs to the same fiber, the fiber is JUMPING: every caller sees that,
 * as in a pause, and returns. Those with a frame link it, so that the frames that are given up are
 * one chain. They are freed where the jump lands: in a target that is on the C stack still, or in
 * the trampoline, whose chain contains the target's frame.
 *
 * Between the two may be plain code, which runs a fiber of its own. Then, and for a longjmp of
 * plain code, the jump is an ordinary longjmp to a target on this thread's stack. A target that is
 * not there cannot be reached so; the program ends with a message.
 *
 * A handler of signals may jump to an activation that has paused. Its task makes the jump: jump.h.
 *
 * Like the C library's, a jump runs no cleanup handlers of the user. Those of the library run: they
 * remove listeners. A scope's children may read frames that the jump frees; so it waits for them.
 *
 * Concurrency: activations of all threads note their buffers in one table, under a flag. A thread
 * looks further only at activations of its own fiber, or on its own stack. An ordinary longjmp may
 * have skipped some of the latter. They are found by their place on the stack. */

#ifdef __linux__
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#endif
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/inside.h"
#include "base/table.h"
#include "base/text.h"
#include "core/caller.h"
#include "core/fiber.h"
#include "core/jump.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "platform/fork.h"
#include "platform/sigmask.h"
#include "platform/thread.h"

static int goes_on(co4_fiber *co4);

/* The first words of a jmp_buf, which setjmp always writes. */
#if defined(__x86_64__)
enum { WORDS = 8 };
#elif defined(__aarch64__)
enum { WORDS = 12 };
#else
enum { WORDS = 6 };
#endif

struct note {
    struct co4__table_node node; /* by its buffer */
    struct note *older;          /* of its activation */
    struct co4__jumps *of;
    const void *buf;
    const co4_abi_point *at; /* the setjmp */
    unsigned long words[WORDS];
};

/* An activation that calls setjmp has it in its frame, as a co4_abi_jumps. */
struct co4__jumps {
    co4_fiber *fiber;
    co4_frame *frame;
    void *real;
    struct note *notes;
    const char *stack;
    struct co4__jumps *outer;   /* on the C stack of its thread */
    struct co4__catch *catches; /* that were there when it came to the stack */
    bool on_stack;
};
_Static_assert(sizeof(struct co4__jumps) <= sizeof(co4_abi_jumps), "it has room");

static struct co4__table notes; /* guarded by `noting` */
static atomic_flag noting = ATOMIC_FLAG_INIT;

static struct note *note_of(struct co4__table_node *node)
{
    return (struct note *)(void *)node;
}

static void jumps_enter(void)
{
    for (unsigned tries = 0; atomic_flag_test_and_set_explicit(&noting, memory_order_acquire);)
        co4__back_off(tries++);
}

static void jumps_leave(void)
{
    atomic_flag_clear_explicit(&noting, memory_order_release);
}

/* In the child of a fork the notes of the parent's other threads stay: nothing looks for them. */
static void jumps_at_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        jumps_enter();
    else
        jumps_leave();
}

static struct co4__fork_member member = { .handler = jumps_at_fork };

static struct co4__jumps *jumps_of(co4_abi_jumps *jumps)
{
    return (struct co4__jumps *)(void *)jumps;
}

static CO4__NOINLINE void die(const char *function, const char *why)
{
    struct co4__text text;
    co4__text_begin(&text, co4_write_fd, (void *)2);
    co4__put(&text, "co4: longjmp to a setjmp of ");
    co4__put(&text, function);
    co4__put(&text, "(), ");
    co4__put(&text, why);
    co4__put(&text, "\n");
    co4__text_end(&text);
#ifdef __linux__
    signal(SIGABRT, SIG_DFL); /* a handler of the program that jumps would come here again */
#endif
    abort();
}

static const char *name_of(const co4_abi_point *at)
{
    return co4_abi_func_of(at)->name;
}

/* ---- the activations on the C stack ---- */

/* A handler that jumps needs the list and the table, its lock, and the heap: so the functions that
 * change them are counted (base/inside.h). */

static void forget(struct co4__jumps *j)
{
    struct co4__local *here = co4__local();
    co4__inside_begin();
    if (here->jump.later.target == j)
        here->jump.later.target = NULL;
    jumps_enter();
    for (struct note *n = j->notes; n; n = n->older)
        co4__table_remove(&notes, &n->node);
    jumps_leave();
    for (struct note *n; (n = j->notes) != NULL;) {
        j->notes = n->older;
        co4__free(n);
    }
    co4__inside_end();
}

/* Takes an activation from the list, and those inside it, which an ordinary longjmp has skipped. */
static void leave_stack(struct co4__jumps *j)
{
    struct co4__local *here = co4__local();
    if (!j->on_stack)
        return;
    co4__inside_begin();
    while (here->jump.innermost != j) {
        here->jump.innermost->on_stack = false;
        forget(here->jump.innermost);
        here->jump.innermost = here->jump.innermost->outer;
    }
    here->jump.innermost = j->outer;
    j->on_stack = false;
    co4__inside_end();
}

/* Forgets the activations that a longjmp has skipped: the caller's frame `at` is older. */
static void forget_skipped(const char *at)
{
    struct co4__local *here = co4__local();
    for (struct co4__jumps *j; (j = here->jump.innermost) != NULL && j->stack && at > j->stack;) {
        if (!co4__on_this_stack(at) || !co4__on_this_stack(j->stack))
            return;
        co4__inside_begin();
        leave_stack(j);
        forget(j);
        co4__inside_end();
    }
}

/* Returns whether an ordinary longjmp can reach the activation. While its fiber unwinds it cannot:
 * the task waits already, and its callees have given up their part of the stack. */
static bool is_on_stack(const struct co4__jumps *j)
{
    if (j->fiber->pausing != CO4_ABI_RUNNING)
        return false;
    const struct co4__jumps *one = co4__local()->jump.innermost;
    while (one && one != j)
        one = one->outer;
    return one != NULL;
}

/* sigsetjmp() may have saved the signal mask. Other C libraries than glibc do not say where. */
static void restore_mask(const void *buf)
{
#ifdef __GLIBC__
    const struct __jmp_buf_tag *saved = buf;
    if (saved->__mask_was_saved)
        co4__sigmask(SIG_SETMASK, (const sigset_t *)&saved->__saved_mask, NULL);
#else
    (void)buf;
#endif
}

/* The jump is about to go on in the target's code. */
static void *land(struct co4__jumps *j, const co4_abi_point *at, int value)
{
    j->frame->at = at;
    j->fiber->result.i = value;
    return j->frame;
}

void co4_abi_jumps_enter(co4_fiber *co4, co4_frame *frame, co4_abi_jumps *jumps, void *real,
                         const void *stack, int resumed)
{
    struct co4__local *here = co4__local();
    struct co4__jumps *j = jumps_of(jumps);
    co4__inside_begin();
    forget_skipped(stack ? (const char *)stack + 1 : NULL); /* also one at the same place */
    if (!resumed)
        *j = (struct co4__jumps){ .fiber = co4, .frame = frame, .real = real };
    j->stack = stack;
    j->outer = here->jump.innermost;
    j->catches = here->jump.catches;
    j->on_stack = true;
    here->jump.innermost = j;
    if (CO4__UNLIKELY(resumed && here->jump.later.target == j)) {
        here->jump.later.target = NULL;
        land(j, here->jump.later.at, here->jump.later.value);
        restore_mask(here->jump.later.buf);
    }
    co4__inside_end();
}

void co4_abi_jumps_end(co4_abi_jumps *jumps)
{
    leave_stack(jumps_of(jumps));
    if (jumps_of(jumps)->notes)
        forget(jumps_of(jumps));
}

/* Without memory the table works on. */
static CO4__NOINLINE void enlarge(size_t bytes)
{
    void *memory = co4__alloc(bytes);
    jumps_enter();
    bool taken = memory && co4__table_give(&notes, memory, bytes);
    jumps_leave();
    if (!taken)
        co4__free(memory);
}

void co4_abi_jumps_set(co4_fiber *co4, co4_abi_jumps *jumps, const void *buf,
                       const co4_abi_point *at)
{
    struct co4__jumps *j = jumps_of(jumps);
    struct note *n = j->notes;
    while (n && n->buf != buf)
        n = n->older;
    bool known = n != NULL;
    co4__inside_begin();
    if (!n && !(n = co4__alloc(sizeof *n))) {
        co4__inside_end();
        co4__fiber_fail(co4);
        return;
    }
    co4__fork_join(&member);
    jumps_enter();
    if (known) {
        co4__table_remove(&notes, &n->node);
    } else {
        n->older = j->notes;
        j->notes = n;
    }
    n->of = j;
    n->buf = buf;
    n->at = at;
    memcpy(n->words, buf, sizeof n->words);
    co4__table_add(&notes, &n->node, (uintptr_t)buf);
    size_t wants = co4__table_wants(&notes);
    jumps_leave();
    if (CO4__UNLIKELY(wants > 0))
        enlarge(wants);
    co4__inside_end();
}

/* ---- plain calls that may jump ---- */

struct co4__catch {
    struct co4__catch *outer;
    co4_fiber *fiber;
    void *value; /* with which a jump has come there */
#ifdef __EMSCRIPTEN__
    jmp_buf buf;
#else
    long buf[128];
#endif
};
_Static_assert(sizeof(struct co4__catch) == sizeof(co4_abi_catch), "the same to woven code");

/* Removes the catches inside `at` from the list. */
static void leave_catches(const void *at)
{
    struct co4__local *here = co4__local();
    while (here->jump.catches && (const char *)here->jump.catches < (const char *)at)
        here->jump.catches = here->jump.catches->outer;
}

void co4_abi_catch_begin(co4_fiber *co4, co4_abi_catch *catch)
{
    struct co4__local *here = co4__local();
    struct co4__catch *c = (struct co4__catch *)(void *)catch;
    leave_catches(c + 1);
    c->fiber = co4;
    c->outer = here->jump.catches;
    here->jump.catches = c;
}

void co4_abi_catch_end(co4_abi_catch *catch)
{
    leave_catches(catch + 1);
}

void co4_abi_caught(co4_fiber *co4, co4_abi_catch *catch)
{
    leave_catches(catch + 1);
    co4__local()->jump.value = (int)(intptr_t) catch->own[2];
    CO4__RUNS_LOOK(co4__local());
    co4_abi_pause(co4, CO4_ABI_JUMPING);
}

/* Returns the innermost catch from which the activation can be reached. NULL: there is none, or the
 * activation is inside it. */
static struct co4__catch *catch_for(const struct co4__jumps *j)
{
    struct co4__catch *c = co4__local()->jump.catches;
    while (c && c->fiber != j->fiber)
        c = c->outer;
    return c && !(is_on_stack(j) && (const char *)c > j->stack) ? c : NULL;
}

/* ---- a jump ---- */

void *co4_abi_jumps_landed(int value)
{
    struct co4__local *here = co4__local();
    struct co4__jumps *j = here->jump.target;
    struct co4__jumps *outer = j->outer;
    here->jump.catches = j->catches; /* those inside are on a part of the stack that is gone */
    leave_stack(j);
    j->outer = outer;
    j->on_stack = true;
    here->jump.innermost = j;
    CO4__RUNS_LOOK(here);
    return land(j, here->jump.at, value);
}

void *co4_abi_jumps_arrived(const void *stack, int value, const co4_abi_point *at)
{
    struct co4__jumps *j = co4__local()->jump.innermost;
    while (j && (j->stack != stack || co4_abi_func_of(j->frame->at) != co4_abi_func_of(at)))
        j = j->outer;
    if (!j)
        die(name_of(at), "which has ended, or has paused since; plain code cannot jump there");
    co4__local()->jump.target = j;
    co4__local()->jump.at = at;
    return co4_abi_jumps_landed(value);
}

void co4__jump_has_value(int value)
{
    co4__local()->jump.later.value = value != 0 ? value : 1;
}

void *co4__jump_now(const co4_fiber *co4, int *value)
{
    struct co4__local *here = co4__local();
    const struct co4__jumps *j = here->jump.later.target;
    if (!j || j->fiber != co4)
        return NULL;
    here->jump.later.target = NULL;
    *value = here->jump.later.value;
    return here->jump.later.buf;
}

/* Handlers leave those that they have interrupted, too. */
static void *out_of_handlers(const struct co4__handler *h)
{
    while (h->outer)
        h = h->outer;
    return h->buf;
}

/* A handler jumps: it leaves the sections that it has interrupted, if it could. */
static void leave_handlers(struct co4__local *here)
{
    if (here->jump.handler) {
        co4__inside.depth = 0;
        co4__inside.call = NULL;
    }
    here->jump.handler = NULL;
}

void *co4_abi_jump(co4_fiber *co4, void *buf, int value)
{
    struct co4__local *here = co4__local();
    struct co4__handler *h = here->jump.handler;
#if defined(__GNUC__) || defined(__clang__)
    const char *at = __builtin_frame_address(0);
    if (h && h->at_end && co4__inside.call && (co4__call_has(at) || !co4__on_this_stack(at))) {
        h->at_end(buf);
        return out_of_handlers(h);
    }
    forget_skipped(at);
    leave_catches(at);
#endif
    co4__inside_begin();
    jumps_enter();
    struct co4__table_node *node = co4__table_find(&notes, (uintptr_t)buf);
    while (node && memcmp(note_of(node)->words, buf, sizeof note_of(node)->words) != 0)
        node = co4__table_find_next(node);
    const struct note *n = node ? note_of(node) : NULL;
    struct co4__jumps *j = n ? n->of : NULL;
    const co4_abi_point *to = n ? n->at : NULL;
    bool own = j && j->fiber == co4;
    jumps_leave();
    co4__inside_end();
    if (!j) {
        leave_handlers(here);
        return buf;
    }
    struct co4__catch *c = j && !own ? catch_for(j) : NULL;
    bool there = own || c || is_on_stack(j);
    if (!there && h && h->jumps_later(j->fiber, here->jump.later.target != NULL)) {
        here->jump.later.at = to;
        here->jump.later.buf = buf;
        here->jump.later.target = j;
        return out_of_handlers(h);
    }
    leave_handlers(here);
    if (!there)
        die(name_of(to),
            "which has paused; plain code between, or another task, cannot jump there");
    if (h && !co4)
        h->left(j->fiber);
    here->jump.target = j;
    here->jump.at = to;
    here->jump.value = value != 0 ? value : 1;
    here->jump.goes_on = goes_on;
    restore_mask(buf);
    if (!own)
        return c ? (void *)c->buf : j->real;
    co4_abi_pause(co4, CO4_ABI_JUMPING);
    return NULL;
}

/* A jump that waits for the children of a scope goes on in this frame. */
struct waiting_jump {
    co4_frame head;
    struct co4__jumps *target;
    const co4_abi_point *at;
    int value;
};

static void jump_again(co4_fiber *co4, co4_frame *head)
{
    struct co4__local *here = co4__local();
    const struct waiting_jump *w = (const struct waiting_jump *)(const void *)head;
    here->jump.target = w->target;
    here->jump.at = w->at;
    here->jump.value = w->value;
    here->jump.goes_on = goes_on;
    co4->shields--;
    co4_abi_frame_drop(co4, head);
    co4_abi_pause(co4, CO4_ABI_JUMPING);
}

static const struct co4__made again = CO4__MADE_FRAME(sizeof(struct waiting_jump), "longjmp",
                                                      jump_again, .result_bytes = 0);

/* Makes the jump the leaf of a chain that it cannot free now. */
static int wait_in(co4_fiber *co4, co4_frame *f)
{
    const struct co4__local *here = co4__local();
    struct co4__jumps *target = here->jump.target;
    const co4_abi_point *at = here->jump.at;
    int value = here->jump.value;
    struct waiting_jump *w = co4_abi_frame_take(co4, &again.func);
    co4->leaf = f;
    if (!w)
        return CO4_ABI_FAILED_WAITING;
    co4->shields++;
    *w = (struct waiting_jump){ { f, again.points }, target, at, value };
    co4->leaf = &w->head;
    return CO4_ABI_WAITING;
}

/* Frees the chain up to the target's frame, or all of it. If the task has to wait for the children
 * of a scope first, returns how it pauses, else 0. */
static int free_chain(co4_fiber *co4, const co4_frame *target)
{
    co4_task *task = co4__may_pause(co4) ? co4__task_of(co4) : NULL;
    co4_frame *f = co4->leaf;
    for (co4_frame *caller; f && f != target; f = caller) {
        caller = f->caller;
        const co4_abi_func *func = co4_abi_func_of(f->at);
        if (func->unwind) {
            if (task && co4__task_hooks.holds_frame && co4__task_hooks.holds_frame(task, f, false))
                return wait_in(co4, f);
            f->caller = f; /* tells it not to run the user's handlers */
            func->unwind(f);
        }
        co4_abi_frame_drop(co4, f);
    }
    co4->leaf = f;
    return 0;
}

int co4_abi_jumps_here(co4_fiber *co4, co4_abi_jumps *jumps)
{
    struct co4__local *here = co4__local();
    struct co4__jumps *j = jumps_of(jumps);
    if (co4->pausing == CO4_ABI_JUMPING && here->jump.target == j) {
        if (!co4->last)
            co4->leaf = NULL;
        else
            co4->last->caller = NULL;
        int why = free_chain(co4, NULL);
        if (why == 0) {
            co4->last = NULL;
            co4->pausing = CO4_ABI_RUNNING;
            land(j, here->jump.at, here->jump.value);
            return 1;
        }
        co4->pausing = (unsigned char)why;
    }
    leave_stack(j);
    return 0;
}

/* The fiber is JUMPING and has given up its whole C stack; its frames are one chain. Frees those up
 * to the target's, and runs that. Returns how the step ends. */
static int goes_on(co4_fiber *co4)
{
    struct co4__local *here = co4__local();
    struct co4__jumps *j = here->jump.target;
    int why = free_chain(co4, j->frame);
    if (why != 0) {
        co4->pausing = CO4_ABI_RUNNING;
        return why;
    }
    land(j, here->jump.at, here->jump.value);
    co4->last = NULL;
    return co4__fiber_resume(co4);
}
