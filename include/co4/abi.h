/* co4/abi.h - the contract between woven code and the runtime.
 *
 * A pausable function `int f(int a)` becomes, in woven code,
 *
 *   struct f__frame     the state of one activation across a pause; begins with a co4_frame
 *   f                   its body, static and inlined twice: (co4, frame, resumed, a)
 *   f__co4              the direct entry, an ordinary call: int f__co4(co4_fiber *, int a)
 *   f__resume           the resume entry, called by the trampoline: void (co4_fiber *, co4_frame *)
 *   f__func             a constant description: co4_abi_func
 *
 * Callers call `f__co4`. Because of the suffix, woven and unwoven objects do not link with each
 * other. The body keeps the name `f`, where debuggers and __func__ need it. */
#ifndef CO4_ABI_H
#define CO4_ABI_H

#include "must_use.h"
#include "sanitizer.h"
#include "waiter.h"

#define CO4_ABI_VERSION 12

/* Symbols that objects with suspension points or entry points need have the version in their names.
 * So an object does not link with a library of another version. */
#define CO4_ABI_NAME_OF(name, version) name##__link_libco4_or_weave_again_for_abi_##version
#define CO4_ABI_NAMED(name, version)   CO4_ABI_NAME_OF(name, version)
#define co4_abi_save_first             CO4_ABI_NAMED(co4_abi_save_first, CO4_ABI_VERSION)
#define co4_abi_save_small             CO4_ABI_NAMED(co4_abi_save_small, CO4_ABI_VERSION)
#define co4_abi_take_call              CO4_ABI_NAMED(co4_abi_take_call, CO4_ABI_VERSION)

/* A pause. The primitive that has to wait arranges for its wake, sets `pausing` to one of the
 * reasons below (co4_abi_pause) and returns; its value is meaningless. Each caller on the C stack
 * sees `pausing`, saves its state into its frame with co4_abi_save() and returns too. Frames are
 * linked leaf to root: `leaf` is the first saved, `last` the newest.
 *
 * A resume. The trampoline clears `pausing` and calls the resume entry of the leaf frame. If that
 * returns without pausing, the frame has been dropped and its result delivered; the trampoline goes
 * on with the caller's frame. If it pauses again, the newly saved frames are linked in front of the
 * untouched rest. A resume costs only the frames that it runs. A function with one body that is its
 * direct entry (--entry=single) finds in `pausing` whether it is resumed: then `pausing` is not 0,
 * and the frame is in `leaf`. It clears `pausing` before anything else.
 *
 * Results. A callee that ends in a direct call returns its value the C way. One that ends in a
 * resume stores it where its caller will look: in `result` of the fiber when it fits
 * (CO4_ABI_RESULT_BYTES), otherwise in the caller's frame, at the `result` offset that the caller's
 * function declares for the point where it waits. A primitive's waker stores an int in `result`.
 *
 * Invariants: `pausing` is 0 whenever user code runs; every frame in the chain belongs to exactly
 * one activation; a frame's address never changes, so pinned locals may be pointed to. */

/* This header precedes programs that do not know it (co4weave --stress). So it defines only names
 * of co4. It includes no system header if the compiler itself has the types. */
#if defined(__SIZE_TYPE__) && defined(__UINTPTR_TYPE__) && defined(__UINT32_TYPE__)
typedef __SIZE_TYPE__ co4_abi_size;
typedef __UINTPTR_TYPE__ co4_abi_address;
typedef __UINT32_TYPE__ co4_abi_u32;
#else
#include <stddef.h>
#include <stdint.h>
typedef size_t co4_abi_size;
typedef uintptr_t co4_abi_address;
typedef uint32_t co4_abi_u32;
#endif
#ifdef __EMSCRIPTEN__
#include <setjmp.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define CO4_ABI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CO4_ABI_INLINE      static __inline__ /* also under -ansi */
typedef int co4_abi_takes_attributes;         /* if it exists, the weaver may write __attribute__ */
#else
#define CO4_ABI_UNLIKELY(x) (x)
#define CO4_ABI_INLINE      static inline
#endif

/* Whether functions get one body or two (--entry=auto) also depends on these. */
#ifdef __OPTIMIZE_SIZE__
typedef int co4_abi_optimizes_size;
#elif defined(__OPTIMIZE__)
typedef int co4_abi_optimizes_time;
#endif

/* Small code for WebAssembly has no tables of points and locals without --tables=full. */
#if defined(__wasm__) && defined(__OPTIMIZE_SIZE__)
typedef int co4_abi_spares_tables;
#endif

/* A program built with a sanitizer links the library built with the same one. Another library would
 * hide mistakes of the program, or report races that do not exist. co4weave and CMake choose it;
 * without them it is a package of pkg-config. A program that links another library defines
 * CO4_ANY_LIBRARY. */
#if CO4_ADDRESS_SANITIZER && !defined(CO4_ANY_LIBRARY)
#define CO4_ABI_SANITIZED co4_link_with_the_package_co4_address_for_fsanitize_address
#define CO4_ABI_GUARDS    1
#elif CO4_THREAD_SANITIZER && !defined(CO4_ANY_LIBRARY)
#define CO4_ABI_SANITIZED co4_link_with_the_package_co4_thread_for_fsanitize_thread
#endif
#ifdef CO4_ABI_SANITIZED
extern const char CO4_ABI_SANITIZED;
static const char *const co4_abi_sanitized __attribute__((__used__)) = &CO4_ABI_SANITIZED;
#endif

/* A red zone in a frame: from now on its use is a mistake, until the frame is dropped. If this is
 * declared, the weaver puts such zones around pinned locals. */
#ifdef CO4_ABI_GUARDS
void co4_abi_guard(void *zone, co4_abi_size bytes);
#endif

/* From 15 on, clang complains under -pedantic about the line markers in preprocessed text, even its
 * own. If the weaver finds this line here, it puts it in front of woven text. */
#if defined(__clang__)
/* … and __PRETTY_FUNCTION__ contains the parameters, too. */
typedef int co4_abi_names_are_pretty;
#endif
#if defined(__clang__) && defined(__has_warning)
#if __has_warning("-Wgnu-line-marker")
#pragma clang diagnostic ignored "-Wgnu-line-marker"
#endif
#endif

/* Compilers for bare ARM give an enum no more bytes than its values need, even without an
 * option. */
#if defined(__ARM_SIZEOF_MINIMAL_ENUM) && __ARM_SIZEOF_MINIMAL_ENUM == 1
typedef int co4_abi_enums_are_short; /* for the weaver */
#endif

struct co4_runtime;
struct co4_task;
struct co4_gen;

typedef struct co4_fiber co4_fiber;
typedef struct co4_frame co4_frame;
typedef struct co4_abi_func co4_abi_func;
typedef struct co4_abi_point co4_abi_point;

/* Why a fiber is unwinding. */
enum {
    CO4_ABI_RUNNING = 0,
    CO4_ABI_WAITING = 1, /* another thread or task will wake the task */
    CO4_ABI_YIELDED = 2, /* a generator has a value for its caller */
    CO4_ABI_READY = 3,   /* no wait: resumed when its turn comes */
    /* A frame's allocation failed: the fiber unwinds and ends with CO4_ENOMEM. */
    CO4_ABI_FAILED = 4,
    /* The same, while it was WAITING: a wake may still come. */
    CO4_ABI_FAILED_WAITING = 5,
    /* A longjmp: the activations between it and the setjmp are given up. Those without a frame take
     * none. */
    CO4_ABI_JUMPING = 6
};

/* The four states after a call: whether the fiber is pausing, and whether this activation has a
 * saved frame already, because a resume has entered it. */
typedef enum co4_abi_state {
    CO4_NOT_PAUSING__NO_STATE = 0,  /* direct entry: nothing to do, go on */
    CO4_PAUSING__NO_STATE = 1,      /* direct entry: save, return to the caller */
    CO4_NOT_PAUSING__HAS_STATE = 2, /* resume entry: the saved state is restored, go on */
    CO4_PAUSING__HAS_STATE = 3      /* resume entry: save again, return to the trampoline */
} co4_abi_state;

/* The head of every frame. */
struct co4_frame {
    co4_frame *caller;       /* next frame towards the root; NULL at the root */
    const co4_abi_point *at; /* the activation's function, and where it continues */
};

/* One paused or running continuation. Only the thread that runs the fiber writes it, except
 * `result`. A waker writes that while the fiber is parked or about to be. The wake itself orders
 * that write before the resume. */
struct co4_fiber {
    co4_frame *leaf;       /* where the next resume begins; NULL: nothing saved */
    co4_frame *last;       /* while it unwinds, the newest frame saved; NULL: none yet */
    unsigned char pausing; /* CO4_ABI_RUNNING or the reason it unwinds */
    unsigned char kind;    /* of the runtime: task, generator, … */
    unsigned char shields; /* of the runtime: depth of sections in which cancellation is delayed */
    signed char error;     /* of the runtime: the code with which its task ends */
    /* Iterations since it last yielded automatically; only with --auto-yields. */
    unsigned short reductions;
    unsigned short runtime_id; /* of the runtime: the id of the runtime that it belongs to */
    co4_abi_result result;     /* of the callee that ended, for the caller that resumes */
};

/* A local that lives in a frame. Debuggers and reports read this. */
typedef struct co4_abi_field {
    co4_abi_u32 name; /* offset in the text of the function, co4_abi_func.name */
    co4_abi_u32 type; /* likewise; as the source has it */
    co4_abi_u32 offset;
    co4_abi_u32 size;   /* bytes */
    co4_abi_u32 pinned; /* 1: lives in the frame from the start; 0: copied at a pause */
    co4_abi_u32 line;   /* where it is declared */
} co4_abi_field;

/* A suspension point. A resume reads this. Points are in the table behind their function's
 * description. Before them is point 0, at which no frame of a function is resumed. If functions of
 * one type share a resume entry, point 0 has the single body instead, as another type. A point at
 * which a result wider than CO4_ABI_RESULT_BYTES arrives has two entries; the `id` of the second is
 * the result's offset in the frame. */
struct co4_abi_point {
    void (*resume)(co4_fiber *co4, co4_frame *frame); /* the function's resume entry */
    co4_abi_u32 id; /* its index in the table, from 1; 0: the function has not begun, or runs */
};

/* A suspension point, for dumps and reports. */
typedef struct co4_abi_site {
    co4_abi_u32 line;
    co4_abi_u32 callee; /* offset in the text of the function; empty: no call */
    co4_abi_u32 live;   /* index in `live` of the function, 0: no local is live */
} co4_abi_site;

enum {
    CO4_ABI_CODE = 0x40000000,
    CO4_ABI_WIDE = 0x20000000,
    CO4_ABI_MADE = 0x10000000,
    CO4_ABI_ALIGNED = 0x08000000,
    CO4_ABI_FLAGS = 0x78000000
};

/* What only dumps, reports and debuggers read of a function. */
typedef struct co4_abi_info {
    const char *file;
    co4_abi_u32 line;
    co4_abi_u32 npoints;       /* entries of the table of points, without the first */
    const co4_abi_site *sites; /* sites[k - 1] belongs to point k; NULL: none */
    const co4_abi_field *fields;
    /* For each set of live fields their number, then their indices. The first number is 0. */
    const unsigned short *live;
    co4_abi_u32 nfields;
} co4_abi_info;

/* The points follow it in memory: co4_abi_points_of(). So no point needs a pointer to it. */
struct co4_abi_func {
    co4_abi_u32 frame_bytes;
    /* The size of its result, and flags. CO4_ABI_ALIGNED: the frame needs a larger alignment than 8
     * bytes; it divides frame_bytes. CO4_ABI_MADE: no frame of the user's function, but of a call.
     * Those have CO4_ABI_CODE if the result is an int, long or long long, in which a negative value
     * is a code; CO4_ABI_WIDE if the frame keeps the result. */
    co4_abi_u32 result_bytes;
    /* The names in the tables follow it in memory. So these need no relocations, which are larger
     * than a name. */
    const char *name;
    const co4_abi_info *info; /* NULL: none (--tables=none) */
    /* Does the cleanups of the locals of a saved frame that is abandoned; or NULL. */
    void (*unwind)(co4_frame *frame);
};

/* Of a frame; 0: at most 8. */
CO4_ABI_INLINE co4_abi_u32 co4_abi_align_of(const co4_abi_func *func)
{
    return func->result_bytes & CO4_ABI_ALIGNED ? func->frame_bytes & (~func->frame_bytes + 1) : 0;
}

CO4_ABI_INLINE const co4_abi_point *co4_abi_points_of(const co4_abi_func *func)
{
    return (const co4_abi_point *)(const void *)(func + 1);
}

CO4_ABI_INLINE const co4_abi_func *co4_abi_func_of(const co4_abi_point *at)
{
    return (const co4_abi_func *)(const void *)(at - at->id) - 1;
}

/* Takes a frame of func->frame_bytes for `func` from the running thread's pool, at
 * point 0. Out of memory: sets co4->pausing to CO4_ABI_FAILED and returns NULL. */
void *co4_abi_frame_take(co4_fiber *co4, const co4_abi_func *func);

/* Returns a frame to the running thread's pool. `frame` may be NULL. */
void co4_abi_frame_drop(co4_fiber *co4, void *frame);

/* Takes memory for an array of computed length, with its alignment. Woven code drops it at the end
 * of the array's scope. Out of memory: returns NULL, and the fiber has failed. Then woven code ends
 * the live arrays, drops its frame and returns. */
void *co4_abi_block_take(co4_fiber *co4, co4_abi_size bytes, co4_abi_size align);
void co4_abi_block_drop(void *block);

#include "varargs.h"

/* The running fiber begins to pause; no frame is saved yet. */
CO4_ABI_INLINE void co4_abi_pause(co4_fiber *co4, int why)
{
    co4->last = 0;
    co4->pausing = (unsigned char)why;
}

/* True after a call that has not come to its end: save and return. */
CO4_ABI_INLINE int co4_abi_pausing(const co4_fiber *co4)
{
    return (int)CO4_ABI_UNLIKELY(co4->pausing != CO4_ABI_RUNNING);
}

CO4_ABI_INLINE co4_abi_state co4_abi_state_of(const co4_fiber *co4, int resumed)
{
    return (co4_abi_state)((co4->pausing != CO4_ABI_RUNNING) + 2 * (resumed != 0));
}

/* The first pause of an activation: takes a frame for it and links it as co4_abi_save does. Returns
 * NULL when the fiber has failed, before or now. It is out of line, because it is the cold half of
 * every suspension point. */
void *co4_abi_save_first(co4_fiber *co4, const co4_abi_point *at);

/* co4_abi_save, out of line: where every suspension point has to be small. */
void *co4_abi_save_small(co4_fiber *co4, void *frame, const co4_abi_point *at);

CO4_ABI_INLINE void *co4_abi_link(co4_fiber *co4, co4_frame *f, const co4_abi_point *at)
{
    /* The next save, or the trampoline that has resumed this stretch, writes its caller. */
    f->at = at;
    if (co4->last != 0)
        co4->last->caller = f;
    else
        co4->leaf = f;
    co4->last = f;
    return f;
}

/* Links the frame of the running activation behind those that its callees have saved, to continue
 * `at` a point. Returns the frame, to be filled. Returns NULL if an allocation failed, and the
 * fiber with it: then the caller returns without saving. A failed fiber still links the frames that
 * exist, so that its end finds them all in one chain. */
CO4_ABI_INLINE void *co4_abi_save(co4_fiber *co4, void *frame, const co4_abi_point *at)
{
#ifdef __OPTIMIZE_SIZE__
    return co4_abi_save_small(co4, frame, at);
#else
    return frame == 0 ? co4_abi_save_first(co4, at) : co4_abi_link(co4, (co4_frame *)frame, at);
#endif
}

/* The same by a call, for functions with one body, which have or have no frame. */
CO4_ABI_INLINE void *co4_abi_save_by_call(co4_fiber *co4, void *frame, const co4_abi_point *at)
{
    return co4_abi_save_small(co4, frame, at);
}

/* Where a callee that ends in a resume stores its result, and its caller reads it. */
CO4_ABI_INLINE void *co4_abi_result_of(co4_fiber *co4)
{
    return &co4->result;
}

/* The same for a result wider than CO4_ABI_RESULT_BYTES: a place in the caller's frame. */
CO4_ABI_INLINE void *co4_abi_wide_result(const co4_frame *caller)
{
    return (char *)(co4_abi_address)caller + caller->at[1].id;
}

/* Copies `bytes` bytes, like memcpy, without <string.h>. gcc unrolls the loop around the copy, and
 * takes the compound literals that are copied into frames for pointers that outlive them. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-pointer"
#endif
CO4_ABI_INLINE void *co4_abi_copy(void *to, const void *from, co4_abi_size bytes)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_memcpy(to, from, bytes);
#else
    for (co4_abi_size i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    return to;
#endif
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic pop
#endif

/* Forced pauses (co4weave --force-pauses): called after each pausable call instead of reading
 * `pausing` alone. If the callee did not pause, makes the fiber pause as CO4_ABI_READY; the woven
 * code has put the callee's value where a resume expects it. Counts the state seen. */
void co4_abi_force_pause(co4_fiber *co4, int resumed);

/* Stress (co4weave --stress=SEED): the same now and then, by a sequence of random choices that the
 * seed begins. Forced pauses are frequent at first, and become ever rarer, because a program may
 * call this a million times. */
void co4_abi_stress(co4_fiber *co4, unsigned long long seed, int resumed);

/* Automatic yields (co4weave --auto-yields): called at each iteration of a loop. True if this
 * iteration yields: every CO4_ABI_REDUCTIONS-th of the fiber's. */
#define CO4_ABI_REDUCTIONS 2000
CO4_ABI_INLINE int co4_abi_reduce(co4_fiber *co4)
{
    if (CO4_ABI_UNLIKELY(++co4->reductions >= CO4_ABI_REDUCTIONS)) {
        co4->reductions = 0;
        co4_abi_pause(co4, CO4_ABI_READY);
        return 1;
    }
    return 0;
}

/* Decisions (co4weave --auto=test): called where others may go on, as a seed decides. True: they
 * do. A program that is not simulated always goes on. */
int co4_abi_decide(co4_fiber *co4);

#ifdef __GNUC__
/* Likewise, in a loop without calls that may pause: it counts in a variable, which the compiler
 * keeps in a register. The fiber has the count again when the function returns. */
typedef struct co4_abi_counter {
    co4_fiber *co4;
    unsigned before, n;
} co4_abi_counter;
CO4_ABI_INLINE int co4_abi_count(co4_abi_counter *c)
{
    if (CO4_ABI_UNLIKELY(++c->n + c->before >= CO4_ABI_REDUCTIONS)) {
        c->co4->reductions = 0;
        c->n = c->before = 0;
        co4_abi_pause(c->co4, CO4_ABI_READY);
        return 1;
    }
    return 0;
}
CO4_ABI_INLINE void co4_abi_counted(co4_abi_counter *c)
{
    c->co4->reductions = (unsigned short)(c->co4->reductions + c->n);
}
#endif

/* Programs woven as a whole (co4weave --auto) have pointers to plain functions only. A call through
 * one that may pause looks for the woven form of that function. `last` is what the same call has
 * found last; pairs are never freed. NULL: there is no woven form. */
typedef void co4_abi_code(void);
typedef struct co4_abi_pair {
    co4_abi_code *plain, *woven;
} co4_abi_pair;
co4_abi_code *co4_abi_woven_of(const co4_abi_pair **last, co4_abi_code *plain);

/* The pairs of a unit. Its constructor adds them, its destructor drops them. */
typedef struct co4_abi_pairs {
    const co4_abi_pair *pairs;
    co4_abi_size count;
} co4_abi_pairs;
void co4_abi_pairs_add(co4_abi_pairs *unit);
void co4_abi_pairs_drop(co4_abi_pairs *unit);

#if defined(__GNUC__) || defined(__clang__)
CO4_ABI_INLINE co4_abi_code *co4_abi_woven(const co4_abi_pair **last, co4_abi_code *plain)
{
    const co4_abi_pair *pair = __atomic_load_n(last, __ATOMIC_ACQUIRE);
    return pair != 0 && pair->plain == plain ? pair->woven : co4_abi_woven_of(last, plain);
}
#endif

/* setjmp, longjmp. A function that calls setjmp and pauses has two more fields in its frame, the
 * first of them this, the second a buffer of its own. At each entry it calls the C library's setjmp
 * with that buffer; a longjmp out of plain code comes there. A longjmp in woven code of the same
 * fiber is a pause, JUMPING, which the function sees after a call as any other. Either way it
 * lands: it restores its locals and goes on at the point of the setjmp, as a resume does. */
typedef struct co4_abi_jumps {
    void *own[8]; /* of the runtime */
} co4_abi_jumps;
/* At each entry; `stack` is an address in the C stack frame of the activation. */
void co4_abi_jumps_enter(co4_fiber *co4, co4_frame *frame, co4_abi_jumps *jumps, void *real,
                         const void *stack, int resumed);
/* The activation ends. */
void co4_abi_jumps_end(co4_abi_jumps *jumps);
/* setjmp(buf) has returned 0. Out of memory: the fiber has failed. */
void co4_abi_jumps_set(co4_fiber *co4, co4_abi_jumps *jumps, const void *buf,
                       const co4_abi_point *at);
/* setjmp of the own buffer has returned `value`. Returns the frame, at the point where it goes
 * on. */
void *co4_abi_jumps_landed(int value);
/* setjmp(buf) itself has returned `value`, by an ordinary longjmp in plain code. Returns the frame.
 * Aborts with a message if the activation has paused since. */
void *co4_abi_jumps_arrived(const void *stack, int value, const co4_abi_point *at);
/* After a call, while the fiber pauses. True: it was a jump to this activation, which goes on. */
int co4_abi_jumps_here(co4_fiber *co4, co4_abi_jumps *jumps);
/* longjmp(buf, value). NULL: the fiber is JUMPING. Else the buffer for an ordinary longjmp: `buf`,
 * or the own buffer of an activation on this thread's stack. co4 is NULL in plain code. */
void *co4_abi_jump(co4_fiber *co4, void *buf, int value);

/* A woven call of a plain function that may end in a longjmp to a woven activation below: setjmp
 * returns 0, then begin, the call, end. A jump comes back there, and the fiber is JUMPING. */
typedef struct co4_abi_catch {
    void *own[3];     /* of the runtime */
#ifdef __EMSCRIPTEN__ /* its compiler knows setjmp() by its type */
    jmp_buf buf;
#else
    long buf[128]; /* jmp_buf, whatever its size */
#endif
} co4_abi_catch;
#if (defined(__GNUC__) || defined(__clang__)) && defined(__linux__)
int co4_abi_setjmp(void *buf) __asm__("_setjmp") __attribute__((__returns_twice__));
#elif defined(__EMSCRIPTEN__)
int co4_abi_setjmp(jmp_buf buf) __asm__("setjmp") __attribute__((__returns_twice__));
#endif
void co4_abi_catch_begin(co4_fiber *co4, co4_abi_catch *c);
void co4_abi_catch_end(co4_abi_catch *c);
void co4_abi_caught(co4_fiber *co4, co4_abi_catch *c);

/* A thread-local of the program, in its task: each has a copy, which is this far from the thread's
 * (--auto). The asm hides from the compiler that it is another object. */
#if defined(__GNUC__) || defined(__clang__)
extern __thread long co4_abi_locals;
CO4_ABI_INLINE co4_abi_address co4_abi_local(co4_abi_address of_thread)
{
    co4_abi_address own = of_thread + (co4_abi_address)co4_abi_locals;
    __asm__("" : "+r"(own));
    return own;
}
#endif

/* A handler of pthread_cleanup_push() (--auto). It is in the variable that glibc's macro declares,
 * whose type woven code does not use otherwise. `run`: an exit of its scope that skips the pop. */
void co4_abi_no_handler(void *at);
void co4_abi_push_handler(void *at, void (*call)(void *arg), void *arg);
void co4_abi_pop_handler(void *at);
void co4_abi_run_handler(void *at);

/* The number of times that woven code built with --force-pauses was in each co4_abi_state. */
void co4_abi_state_counts(unsigned long long counts[4]);

/* co4_mailbox_send() and co4_mailbox_receive(), see mailbox.h. The size is mostly a
 * constant. For two sizes there are functions that have it built in, for programs that are not
 * compiled for size. To these the message is never NULL: mostly it is the address of a variable, so
 * that the compiler knows it here. */
struct co4_mailbox;
int co4_abi_send(co4_fiber *co4, struct co4_mailbox *mb, const void *msg, co4_abi_size size);
int co4_abi_send_4(co4_fiber *co4, struct co4_mailbox *mb, const void *msg);
int co4_abi_send_8(co4_fiber *co4, struct co4_mailbox *mb, const void *msg);
int co4_abi_receive(co4_fiber *co4, struct co4_mailbox *mb, void *out, co4_abi_size size);
int co4_abi_receive_4(co4_fiber *co4, struct co4_mailbox *mb, void *out);
int co4_abi_receive_8(co4_fiber *co4, struct co4_mailbox *mb, void *out);

#if (defined(__GNUC__) || defined(__clang__)) && !defined(__OPTIMIZE_SIZE__)
#define CO4_ABI_IS(size, value) (__builtin_constant_p(size) && (size) == (value))
#else
#define CO4_ABI_IS(size, value) 0
#endif

CO4_ABI_INLINE int co4_mailbox_send__co4(co4_fiber *co4, struct co4_mailbox *mb, const void *msg,
                                         co4_abi_size size)
{
    return CO4_ABI_IS(size, 8) && msg   ? co4_abi_send_8(co4, mb, msg)
           : CO4_ABI_IS(size, 4) && msg ? co4_abi_send_4(co4, mb, msg)
                                        : co4_abi_send(co4, mb, msg, size);
}

CO4_ABI_INLINE int co4_mailbox_receive__co4(co4_fiber *co4, struct co4_mailbox *mb, void *out,
                                            co4_abi_size size)
{
    return CO4_ABI_IS(size, 8) && out   ? co4_abi_receive_8(co4, mb, out)
           : CO4_ABI_IS(size, 4) && out ? co4_abi_receive_4(co4, mb, out)
                                        : co4_abi_receive(co4, mb, out, size);
}

/* Generators. The yield below needs these fields; the others belong to the runtime. */
enum { CO4_ABI_KIND_TASK = 1, CO4_ABI_KIND_GEN = 2 };

typedef struct co4_abi_gen {
    co4_fiber fiber; /* kind is CO4_ABI_KIND_GEN */
    /* The yielded variable of the generator, read and written in place. */
    const void *value;
    co4_abi_size size; /* of it, in bytes */
    unsigned char state;
} co4_abi_gen;

/* The code for a yield outside a generator: CO4_ESTATE. */
enum { CO4_ABI_NO_GENERATOR = -2010 };

/* co4_gen_yield(), see gen.h: always pauses, so it is worth being inlined. */
CO4_ABI_INLINE int co4_gen_yield__co4(co4_fiber *co4, const void *value, co4_abi_size size)
{
    co4_abi_gen *g = (co4_abi_gen *)(void *)co4;
    if (CO4_ABI_UNLIKELY(co4->kind != CO4_ABI_KIND_GEN))
        return CO4_ABI_NO_GENERATOR;
    g->value = value;
    /* Usually only at the first yield. A yield consists of stores, so this one is skipped. */
    if (CO4_ABI_UNLIKELY(g->size != size))
        g->size = size;
    co4->result.i = 0;
    co4_abi_pause(co4, CO4_ABI_YIELDED);
    return 0;
}

/* The one state of a generator that an inlined next knows: it is at a yield, its value was taken,
 * and no value was sent. In this state, `pausing` is CO4_ABI_YIELDED exactly when the generator
 * does not run. */
enum { CO4_ABI_GEN_BORROWED = 3 };

/* The rest of a next, after the leaf of a BORROWED generator was resumed. The leaf may have been
 * dropped; `caller` is the frame above it. */
int co4_abi_gen_went(struct co4_gen *g, co4_frame *leaf, co4_frame *caller, void *out,
                     co4_abi_size size);
/* The same for a generator that is not BORROWED, and for one whose value cannot just be copied. */
int co4_abi_gen_otherwise(struct co4_gen *g, void *out, co4_abi_size size);

/* co4_gen_next() in woven code. It does not write fields that keep their values, because the next
 * call would read them back at once. */
CO4_ABI_INLINE int co4_abi_gen_next(struct co4_gen *g, void *out, co4_abi_size size)
{
    co4_abi_gen *a = (co4_abi_gen *)(void *)g;
    co4_frame *f, *caller;
    if (CO4_ABI_UNLIKELY(a == 0 || a->fiber.pausing != CO4_ABI_YIELDED))
        return co4_abi_gen_otherwise(g, out, size);
    f = a->fiber.leaf;
    caller = f->caller;
    a->fiber.pausing = CO4_ABI_RUNNING;

    f->at->resume(&a->fiber, f);
    if (CO4_ABI_UNLIKELY(a->fiber.pausing != CO4_ABI_YIELDED))
        return co4_abi_gen_went(g, f, caller, out, size);
    if (a->fiber.last != f) {
        if (CO4_ABI_UNLIKELY(a->fiber.last == 0))
            return co4_abi_gen_went(g, f, caller, out, size);
        a->fiber.last->caller = caller;
    }
    if (CO4_ABI_UNLIKELY(out == 0 || a->size != size))
        return co4_abi_gen_otherwise(g, out, size);
    co4_abi_copy(out, a->value, size);
    return 0;
}

/* Entry points. A woven call site makes a call frame (co4_abi_call_take), stores the arguments
 * behind its head and passes it on; its resume entry starts the function. `call` may be NULL, from
 * a call frame whose allocation failed: the result is then NULL, and nothing has run.
 *
 * A function whose result is wider than CO4_ABI_RESULT_BYTES keeps its call frame as the root of
 * the chain. The result is in that frame, as at any such point. The frame is resumed once more at
 * point 1 when its callee ends, and stores the address of the result in `result.p`. */
void *co4_abi_take_call(const co4_abi_func *func);
CO4_ABI_INLINE void *co4_abi_call_take(const co4_abi_func *func)
{
    return co4_abi_take_call(func);
}
struct co4_call;
/* For a call that has not begun; NULL does nothing. */
void co4_abi_call_drop(struct co4_call *call);
/* rt NULL: the current runtime. co4_abi_start: the caller has a reference to the task. */
struct co4_task *co4_abi_spawn(struct co4_runtime *rt, void *call);
CO4_MUST_USE struct co4_task *co4_abi_start(struct co4_runtime *rt, void *call);
CO4_MUST_USE struct co4_task *co4_abi_task(void *call); /* prepared, not yet scheduled */
CO4_MUST_USE struct co4_gen *co4_abi_generate(void *call);

/* co4_run: the calling thread runs a fiber of its own. begin returns NULL when out of memory. It
 * needs no call frame. For a wide result the call site saves one on its own stack, as the root of
 * the chain; the result arrives there, and the runtime never drops it. When the first direct call
 * pauses, drive runs this thread's loop until the fiber ends: 0, or a negative code when it ended
 * without a result (CO4_ENOMEM). end runs the spawned tasks as far as they can go, and releases
 * all.
 *
 * If a run fails, a call whose result is an int returns the code. Any other call uses lost: it
 * prints the failure and aborts, unless the run was begun after co4_run_check(). `name` is for the
 * message. The fiber is NULL if begin failed. */
co4_fiber *co4_abi_run_begin(void);
int co4_abi_run_drive(co4_fiber *co4);
void co4_abi_run_end(co4_fiber *co4);
int co4_abi_run_code(void);
void co4_abi_run_lost(const co4_fiber *co4, const char *name);

#ifdef __wasm__
/* The same for functions that JavaScript calls, by their own names: in the library for Emscripten
 * such a call may leave by an exception, and is a task. Elsewhere it is a run. `kind` is the type
 * of the result: 'v' void; 'b', 'h', 'i' and 'l' integers of 1, 2, 4 and 8 bytes, capital without a
 * sign, and 'I' pointers; 'f' float, 'd' double; 's' all others. */
co4_fiber *co4_abi_host_begin(const char *name);
int co4_abi_host_drive(co4_fiber *co4, const char *name, int kind);
void co4_abi_host_end(co4_fiber *co4);
#endif

/* co4_blocking: `job` and the arguments are in a frame. True: the fiber pauses; the caller saves
 * the frame, which is resumed when the call is over. False: the call has been made. */
typedef struct co4_abi_job {
    struct co4_abi_job *next, **link; /* in the queue of the pool; link: NULL outside */
    void (*call)(void *frame);
    void *frame;
    co4_fiber *fiber;
} co4_abi_job;
int co4_abi_blocking(co4_fiber *co4, co4_abi_job *job, void (*call)(void *frame), void *frame);

#endif
