/* co4/mark.h - the words with which a program says where it may pause.
 *
 * The same C source is read in three ways; in C++ the use of a mark or an entry point is an error:
 *
 *   woven    (__CO4WEAVE__, set by co4weave while it preprocesses): `pausable` is an attribute
 *            that the weaver finds and removes; the entry points below become small marker
 *            expressions whose types are exact, so the compiler checks the call inside them.
 *   plain    (CO4_PLAIN, set by the user): `pausable` is nothing, a pause blocks the thread, and
 *            an entry point runs its call to the end at once. For debugging, and for showing
 *            that weaving does not change what a program prints.
 *   neither  (an editor, or a build that forgot the weaver): everything type-checks, but entry
 *            points refer to a function that no library defines, so that the program does not link.
 *
 * Functions may have marks, and so may typedefs, variables, parameters and struct members of
 * (pointer to) function type. The mark comes first, like a storage class:
 *
 *     pausable int relay(co4_mailbox *in, co4_mailbox *out);
 *     typedef pausable int handler(struct req *);
 *     struct route { const char *path; pausable int (*serve)(struct req *); }; */
#ifndef CO4_MARK_H
#define CO4_MARK_H

#include <stdint.h>

#include "must_use.h"

/* The deadline that never comes, and that of a call which tries and never waits. A call with the
 * constant CO4_NOW may stand in plain functions, too. Others are made by co4_after() (time.h). */
#define CO4_NEVER INT64_MAX
#define CO4_NOW   (-0x7fffffffffffffff - 1)

/* The size of the object that a pointer points to. Each call that copies to or from the caller's
 * memory passes it, so another size than that of the messages is CO4_EINVAL. Bytes behind a void *
 * have no size of their own: pass it, and put the name in brackets, so that the macro is not taken:
 *
 *     (co4_mailbox_send)(mb, bytes, size); */
#define CO4_SIZE_OF(pointer) (__extension__ sizeof *(pointer))

#ifdef __cplusplus
extern "C" {
#endif

struct co4_task;
struct co4_future;
struct co4_gen;
struct co4_runtime;

/* co4_async(), co4_runtime_async() */
CO4_MUST_USE struct co4_future *co4_async_start(struct co4_task *task);
CO4_MUST_USE struct co4_future *co4_async_start_on(struct co4_runtime *rt, struct co4_task *task);

#if defined(__CO4WEAVE__)

#include "abi.h" /* the preprocessed text needs it for woven code */

/* pausable: marks a function, or a type of functions, that may pause. Pausable functions call it
 * directly, and pause with it; other code enters it by co4_run() and the like. */

/* pausable_or_plain: marks a function that exists in two forms. Called from a pausable function it
 * is pausable. Everywhere else it is an ordinary function under its ordinary name, and its address
 * may be given to qsort() or a library. Called that way it runs to its end as if by co4_run(), and
 * if it has to wait, the thread waits:
 *
 *     pausable_or_plain int config_load(const char *path, struct config *out); */

/* pausable_or_block: as pausable_or_plain, for functions at which plain code should say that its
 * thread may wait: it writes co4_block() around the call. The functions of co4 that wait are
 * declared so. A call with the deadline CO4_NOW never waits, and needs no word:
 *
 *     pausable_or_block int queue_take(struct queue *q, struct job *job, int64_t deadline); */

/* pausable_max(bytes): as `pausable`, with a limit for the size of the frame. If the frame is
 * larger, the weaver refuses the file, and prints the contents of the frame. `bytes` is a number,
 * or a macro that is one:
 *
 *     pausable_max(96) int blink(struct led *led); */

/* co4_run(f(a)): calls a pausable function from an ordinary one. The thread runs the call, and the
 * tasks that it spawns, until the call ends and its tasks can do no more.
 *
 * Returns: f's result, of f's type. When the call did not come to its end, co4_run_error() says
 *     why; a call whose result is an int returns that code, and any other aborts.
 * Blocks: the thread, until the call ends.
 * Thread safety: any thread; inside a task it is a run of its own, and blocks the worker. */

/* co4_run_checked(&code, f(a)): as co4_run(f(a)), and stores in `code` whether the call has come to
 * its end. A co4_run() among the arguments belongs before the call.
 *
 * Returns: f's result, with CO4_OK in `code`; or zero, with the reason in `code`.
 * Blocks: the thread, until the call ends. */

/* co4_blocking(f(a)): in a pausable function, makes an ordinary call on a thread of a pool
 * (blocking.h).
 *
 * Returns: f's result, of f's type.
 * Pauses: until the call is over. Plain: a call.
 * Cancellation: none; the next pausing call says so. */

/* co4_block(f(a)): in a plain function, makes a call of a pausable_or_block function. Where a task
 * would pause, the thread waits. In a pausable function the call stands alone.
 *
 * Returns: f's result, of f's type. CO4_EDEADLK (POSIX: -1, and errno is EDEADLK) when a task waits
 *     so, below a function that is not woven, and when nothing can end the wait.
 * Blocks: the thread, until the call is over. */

/* co4_spawn(f(a)): starts a task that calls f, on the runtime of the calling task, else on the one
 * started last. The arguments are evaluated at once. co4_runtime_spawn(rt, f(a)) names the runtime.
 *
 * Returns: the task; NULL, and nothing runs, when out of memory, or where there is no runtime.
 * Ownership: if the program keeps the value, it has a reference, and releases it by co4_join() or
 *     co4_task_release(); nothing if it ignores the value or only compares it (task.h). */

/* co4_runtime_spawn(rt, f(a)): starts a task on the runtime `rt`, before or after its start; as
 * co4_spawn(). */

/* co4_task_create(f(a)): prepares a task that calls f, for co4_runtime_schedule() and the like. The
 * arguments are evaluated at once.
 *
 * Returns: the task; NULL when out of memory.
 * Ownership: the caller has a reference, and releases it by co4_task_release(). */

/* co4_generate(f(a)): creates a generator that calls f (gen.h). The arguments are evaluated at
 * once; f begins with the first co4_gen_next(). Plain: f runs at once.
 *
 * Returns: the generator; NULL when out of memory.
 * Ownership: the caller's, until co4_gen_destroy(). */

#if __CO4WEAVE__ == 2 && !defined(__clang__) /* gcc would warn of the attribute */
#define pausable
#define pausable_or_plain
#define pausable_or_block
#define pausable_max(bytes)
#else
#define pausable          __attribute((annotate("co4_pausable")))
#define pausable_or_plain __attribute((annotate("co4_pausable_or_plain")))
#if defined(CO4__PLAIN_IS_ELSEWHERE) /* the library has the plain forms in objects of their own */
#define pausable_or_block pausable
#else
#define pausable_or_block __attribute((annotate("co4_pausable_or_block")))
#endif
#define pausable_max(bytes)      CO4__PAUSABLE_MAX(bytes)
#define CO4__PAUSABLE_MAX(bytes) __attribute((annotate("co4_pausable_max:" #bytes)))
#endif

/* The weaver replaces each of these whole expressions; the functions are never called. */
void co4_weave_run(void);
void co4_weave_blocking(void);
static __inline__ void co4_weave_block(void) {} /* this one stays, before the call */
struct co4_task *co4_weave_spawn(int call);
struct co4_task *co4_weave_spawn_on(struct co4_runtime *rt, int call);
CO4_MUST_USE struct co4_task *co4_weave_task(int call);
struct co4_call; /* a call that is made later, by a function that takes it: co4_scope_run() */
CO4_MUST_USE struct co4_call *co4_weave_call(int call);
CO4_MUST_USE struct co4_gen *co4_weave_generate(int call);

#if __CO4WEAVE__ == 2 && !defined(__clang__) && !defined(__TINYC__)
/* compiled as it was written, for gcc's messages: a cast to void is no use of a result there, but
 * the task that makes the call uses it */
#define CO4__USED(call)                                                                            \
    __extension__({                                                                                \
        _Pragma("GCC diagnostic push");                                                            \
        _Pragma("GCC diagnostic ignored \"-Wunused-result\"");                                     \
        (void)(call);                                                                              \
        _Pragma("GCC diagnostic pop");                                                             \
        0;                                                                                         \
    })
#else
#define CO4__USED(call) ((void)(call), 0)
#endif

#define co4_run(call)               (co4_weave_run(), (call))
#define co4_run_checked(code, call) (co4_run_check(code), co4_run(call))
#define co4_blocking(call)          (co4_weave_blocking(), (call))
#define co4_block(call)             (co4_weave_block(), (call))
#define co4_spawn(call)             co4_weave_spawn(CO4__USED(call))
#define co4_runtime_spawn(rt, call) co4_weave_spawn_on((rt), CO4__USED(call))
#define co4_task_create(call)       co4_weave_task(CO4__USED(call))
#define co4_generate(call)          co4_weave_generate(CO4__USED(call))
#define CO4__PREPARED(call)         co4_weave_call(CO4__USED(call))
#define co4_async(call)             co4_async_start(co4_task_create(call))
#define co4_runtime_async(rt, call) co4_async_start_on((rt), co4_task_create(call))

/* calls that never pause are as in C; pausable functions are called from C */
#elif defined(__cplusplus)

#if defined(__clang__)
#define CO4__FROM_C(text) __attribute__((unavailable(text)))
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wattributes" /* marks on types say nothing here */
#define CO4__FROM_C(text) __attribute__((error(text)))
#else
#define CO4__FROM_C(text)
#endif
#define pausable                                                                                   \
    CO4__FROM_C("a pausable function is called from C: co4weave does not weave C++; write a C "    \
                "function that enters it with co4_run, and call that")
#define pausable_or_plain
#define pausable_or_block
#define pausable_max(bytes) pausable

CO4__FROM_C("co4_run and its kin are for C: co4weave does not weave C++; write a C function")
void co4_entry_points_are_for_c(void);

#define CO4__ENTRY(type)            (co4_entry_points_are_for_c(), (type)0)
#define co4_run(call)               (co4_entry_points_are_for_c(), (call))
#define co4_blocking(call)          co4_run(call)
#define co4_block(call)             (call)
#define co4_spawn(call)             CO4__ENTRY(struct co4_task *)
#define co4_runtime_spawn(rt, call) CO4__ENTRY(struct co4_task *)
#define co4_task_create(call)       CO4__ENTRY(struct co4_task *)
#define co4_generate(call)          CO4__ENTRY(struct co4_gen *)
#define CO4__PREPARED(call)         CO4__ENTRY(struct co4_call *)
#define co4_async(call)             CO4__ENTRY(struct co4_future *)
#define co4_runtime_async(rt, call) CO4__ENTRY(struct co4_future *)

#elif defined(CO4_PLAIN)

#define pausable
#define pausable_or_plain
#define pausable_or_block
#define pausable_max(bytes)

/* Each returns a task or generator that has already stopped; spawned calls run in place. */
CO4_MUST_USE struct co4_task *co4_plain_task(const void *value, unsigned long size, int is_code);
struct co4_task *co4_plain_spawn(struct co4_task *task);
void co4_plain_gen_begin(void);
CO4_MUST_USE struct co4_gen *co4_plain_gen_end(void);

#define co4_run(call)               (call)
#define co4_run_checked(code, call) (*(code) = 0, (call))
#define co4_blocking(call)          (call)
#define co4_block(call)             (call)
#define co4_spawn(call)             co4_plain_spawn(co4_task_create(call))
#define co4_runtime_spawn(rt, call) ((void)(rt), co4_spawn(call))
#define co4_generate(call)          (co4_plain_gen_begin(), (void)(call), co4_plain_gen_end())

/* The result of a call that may be void. The branch that is not chosen is not compiled, but has to
 * be C. */
#define CO4__IS(call, type)         __builtin_types_compatible_p(__typeof__(call), type)
#define CO4__IS_CODE(c)             (CO4__IS(c, int) || CO4__IS(c, long) || CO4__IS(c, long long))
#define CO4__OR_0(if_, call)        __builtin_choose_expr(if_, (call), ((void)(call), 0))
#define CO4__VALUE(call)            CO4__OR_0(!CO4__IS(call, void), call)
#define CO4__CODE(call)             co4_plain_code(CO4__OR_0(CO4__IS_CODE(call), call))
int co4_plain_code(long long result);

#define CO4__PLAIN(make, call)                                                                     \
    __extension__({                                                                                \
        __typeof__(CO4__VALUE(call)) co4_value_ = CO4__VALUE(call);                                \
        make(&co4_value_, CO4__IS(call, void) ? 0 : sizeof co4_value_, CO4__IS_CODE(co4_value_));  \
    })
CO4_MUST_USE struct co4_future *co4_plain_future(const void *value, unsigned long size,
                                                 int is_code);
#define co4_task_create(call)       CO4__PLAIN(co4_plain_task, call)
#define co4_async(call)             CO4__PLAIN(co4_plain_future, call)
#define co4_runtime_async(rt, call) ((void)(rt), co4_async(call))

#else

#if defined(__clang__)
#define pausable          __attribute((annotate("co4_pausable")))
#define pausable_or_plain __attribute((annotate("co4_pausable_or_plain")))
#define pausable_or_block __attribute((annotate("co4_pausable_or_block")))
#else
#define pausable
#define pausable_or_plain
#define pausable_or_block
#endif
#define pausable_max(bytes) pausable

/* Not defined anywhere: their names are the message that the linker prints. */
void co4_this_source_was_not_woven__build_it_with_co4weave(void);
struct co4_task *co4_this_source_was_not_woven__task(int call);
struct co4_gen *co4_this_source_was_not_woven__gen(int call);
struct co4_call;
struct co4_call *co4_this_source_was_not_woven__call(int call);

#define co4_run(call) (co4_this_source_was_not_woven__build_it_with_co4weave(), (call))

#define co4_run_checked(code, call) (co4_run_check(code), co4_run(call))
#define co4_blocking(call)          co4_run(call)
#define co4_block(call)             (call)
#define co4_spawn(call)             co4_this_source_was_not_woven__task(((void)(call), 0))
#define co4_runtime_spawn(rt, call) ((void)(rt), co4_spawn(call))
#define co4_task_create(call)       co4_this_source_was_not_woven__task(((void)(call), 0))
#define co4_generate(call)          co4_this_source_was_not_woven__gen(((void)(call), 0))
#define CO4__PREPARED(call)         co4_this_source_was_not_woven__call(((void)(call), 0))
#define co4_async(call)             co4_async_start(co4_task_create(call))
#define co4_runtime_async(rt, call) co4_async_start_on((rt), co4_task_create(call))

#endif

#ifdef __cplusplus
}
#endif

#endif
