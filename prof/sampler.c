/* sampler.c - libco4_prof.so: samples the processor time of a program with tasks, for co4prof.
 *
 * Purpose: co4prof names this library in LD_PRELOAD. Each thread gets a timer of its processor
 * time, whose signal interrupts that thread. The handler copies the registers, the C stack, and the
 * frames that go on when the task's C stack has ended, into a ring in memory that co4prof reads. So
 * a program that dies loses nothing, and all that takes time happens in another process. While a
 * task runs, only the loop that resumes its frames knows its callers. co4_prof_run_step() is such a
 * loop; it notes them, and the runtime calls it when `co4__step_profiler` is set.
 *
 * Invariants: while `step.task` is set, the thread is in that function for that task. The task's
 * paused frames then belong to this thread: only what it runs changes or frees them, and
 * `step.callers` is written before a frame is resumed. So the handler, which runs on this thread
 * between two instructions, reads frames that exist. A longjmp out of a step leaves both as they
 * are: then that function is not on the stack, and co4prof ignores the callers.
 *
 * Concurrency: the handler takes no lock and no memory, and preserves errno. A ring has one writer,
 * its thread, and one reader; a full one drops samples and counts them. No thread is started here,
 * no descriptor stays open. The child of a fork has no timers, and is not sampled.
 *
 * Rejected: ITIMER_PROF (a signal for the process, which threads get by chance); SIGPROF, which
 * programs use; backtrace() in the handler (it takes locks, and ends where a library has no tables
 * of unwinding in memory); a thread that drains the rings (what it has is lost with the process).
 * The kernel looks at these timers at its tick: a record has the number of times it was late. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "co4/abi.h"
#include "debug/layout.h"
#include "profile.h"

#define VISIBLE __attribute__((visibility("default")))
#define OWN     static _Thread_local __attribute__((tls_model("initial-exec")))

enum { PAGE = 4096, ELSEWHERE = 4 * PAGE }; /* bytes of a stack that is not the thread's */

extern void *__libc_stack_end; // NOLINT: where the stack of the first thread begins

static struct profile_head *head; /* NULL: this process is not sampled */
static struct profile_runtime runtime;
static pthread_key_t at_exit;

/* Only this thread and its handler access them. */
OWN struct {
    struct profile_slot *slot; /* NULL: it is not sampled */
    uintptr_t low, high;       /* its stack */
    timer_t timer;
    uint32_t tid;
} thread;

OWN struct {
    co4_fiber *volatile task;
    co4_frame *volatile callers;
} step;

/* ---- steps ---- */

/* As co4__fiber_resume() and co4__fiber_failed(), whose rest is in finish_step(). */
static int resume_frames(co4_fiber *co4)
{
    co4_frame *root = NULL, *caller;
    if (co4->error != 0) {
        co4->last = NULL;
        co4->pausing = CO4_ABI_FAILED;
        return runtime.finish_step(co4, co4->leaf);
    }
    for (co4_frame *f = co4->leaf; f; f = caller) {
        caller = f->caller;
        step.callers = caller;
        f->at->resume(co4, f);
        if (co4->pausing == CO4_ABI_WAITING && co4->last) {
            co4->pausing = CO4_ABI_RUNNING; /* as finish_step(), and the usual case */
            co4->last->caller = caller;
            return CO4_ABI_WAITING;
        }
        if (co4->pausing != CO4_ABI_RUNNING)
            return runtime.finish_step(co4, caller);
        root = f;
    }
    co4->leaf = NULL;
    co4->last = root;
    return 0;
}

/* A plain function that a task calls may run other tasks: the outer step's values come back.
 * co4prof knows this function by its name, and what is further out is not the task's. */
VISIBLE int co4_prof_run_step(co4_fiber *co4);
int co4_prof_run_step(co4_fiber *co4)
{
    co4_fiber *outer = step.task;
    co4_frame *outer_callers = step.callers;
    step.task = NULL;
    step.callers = NULL;
    step.task = co4;
    int why = resume_frames(co4);
    step.task = NULL;
    if (__builtin_expect(outer != NULL, 0)) {
        step.callers = outer_callers;
        step.task = outer;
    }
    return why;
}

/* ---- a sample ---- */

/* Copies what can be read, by a call that does not crash where nothing is mapped. Returns how many
 * bytes. */
static size_t copy_carefully(void *to, uintptr_t from, size_t bytes)
{
    struct iovec pages[ELSEWHERE / PAGE + 1], here = { to, bytes };
    size_t n = 0;
    for (size_t done = 0; done < bytes; n++) {
        size_t part = PAGE - (from + done) % PAGE;
        if (part > bytes - done)
            part = bytes - done;
        pages[n] = (struct iovec){ (void *)(from + done),
                                   part }; // NOLINT(performance-no-int-to-ptr)
        done += part;
    }
    ssize_t got = process_vm_readv(getpid(), &here, 1, pages, n, 0);
    return got > 0 ? (size_t)got & ~(size_t)7 : 0;
}

static void copy_callers(struct profile_record *r, uint64_t *at)
{
    uint64_t last[FAR] = { 0 };
    uint32_t n = 0;
    for (const co4_frame *f = step.callers; f; f = f->caller, n++)
        if (n < NEAR)
            at[n] = (uintptr_t)f->at;
        else
            last[n % FAR] = (uintptr_t)f->at;
    r->near = n < NEAR ? n : NEAR;
    r->far = n - r->near < FAR ? n - r->near : FAR;
    r->left_out = n - r->near - r->far;
    for (uint32_t i = 0; i < r->far; i++)
        at[NEAR + i] = last[(n - r->far + i) % FAR];
}

static void copy_task(struct profile_record *r, uint64_t *at)
{
    const char *task = (const char *)step.task;
    const char *extension;
    r->in_step = task != NULL;
    r->task = (uintptr_t)task;
    r->name[0] = '\0';
    r->near = r->far = r->left_out = 0;
    if (!task)
        return;
    memcpy(&extension, task + runtime.layout->task_extension, sizeof extension);
    if (extension) {
        memcpy(r->name, extension + runtime.layout->extension_name, sizeof r->name);
        r->name[sizeof r->name - 1] = '\0';
    }
    copy_callers(r, at);
}

static void copy_registers(struct profile_record *r, const ucontext_t *context)
{
    /* ORDER registers: the numbers of DWARF */
    static const unsigned char order[REGISTERS] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI,
                                                    REG_RDI, REG_RBP, REG_RSP, REG_R8,  REG_R9,
                                                    REG_R10, REG_R11, REG_R12, REG_R13, REG_R14,
                                                    REG_R15, REG_RIP };
    for (int i = 0; i < REGISTERS; i++)
        r->registers[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
}

/* Returns room for `bytes` in one piece, from the head of the ring on; or NULL. */
static struct profile_record *make_room(struct profile_slot *slot, size_t bytes)
{
    char *ring = (char *)slot + SLOT_HEAD_BYTES;
    size_t size = head->slot_bytes - SLOT_HEAD_BYTES;
    uint64_t at = atomic_load_explicit(&slot->head, memory_order_relaxed);
    size_t room = size - (size_t)(at - atomic_load_explicit(&slot->tail, memory_order_acquire));
    size_t to_end = size - at % size;
    if (bytes > to_end) { /* at least 8, as all are multiples of 8 */
        if (room < to_end + bytes)
            return NULL;
        struct profile_record *filler = (void *)(ring + at % size);
        filler->bytes = (uint32_t)to_end;
        filler->weight = 0;
        atomic_store_explicit(&slot->head, at + to_end, memory_order_release);
        return (void *)ring;
    }
    return room < bytes ? NULL : (void *)(ring + at % size);
}

static void take_sample(const ucontext_t *context, uint32_t weight)
{
    const size_t before = sizeof(struct profile_record) + (NEAR + FAR) * sizeof(uint64_t);
    uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    bool own = sp >= thread.low && sp < thread.high;
    size_t stack = own ? thread.high - sp : ELSEWHERE;
    if (stack > head->stack_bytes)
        stack = head->stack_bytes;
    stack &= ~(size_t)7;
    struct profile_record *r = make_room(thread.slot, before + stack);
    if (!r) {
        atomic_fetch_add_explicit(&thread.slot->lost, weight, memory_order_relaxed);
        return;
    }
    uint64_t *at = (uint64_t *)(r + 1);
    copy_task(r, at);
    copy_registers(r, context);
    uint64_t *end = at + r->near + r->far;
    if (own)
        memcpy(end, (const void *)sp, stack); // NOLINT(performance-no-int-to-ptr)
    else
        stack = copy_carefully(end, sp, stack);
    r->thread = thread.tid;
    r->weight = weight;
    r->stack_bytes = (uint32_t)stack;
    r->bytes = (uint32_t)((const char *)end - (const char *)r + stack);
    atomic_store_explicit(&thread.slot->head,
                          atomic_load_explicit(&thread.slot->head, memory_order_relaxed) + r->bytes,
                          memory_order_release);
}

static void on_tick(int signo, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)signo;
    if (info->si_code == SI_TIMER && thread.slot)
        take_sample(context, 1 + (uint32_t)(info->si_overrun > 0 ? info->si_overrun : 0));
    errno = saved;
}

/* ---- threads ---- */

static struct profile_slot *slot_at(uint32_t i)
{
    return (void *)((char *)head + HEAD_BYTES + (size_t)i * head->slot_bytes);
}

static struct profile_slot *take_slot(void)
{
    for (uint32_t i = 0; i < head->slots; i++) {
        uint32_t unused = 0;
        if (atomic_compare_exchange_strong(&slot_at(i)->used, &unused, 1))
            return slot_at(i);
    }
    atomic_fetch_add(&head->threads_lost, 1);
    return NULL;
}

static bool start_timer(void)
{
    long ns = 1000000000L / head->rate;
    struct itimerspec each = { { ns / 1000000000L, ns % 1000000000L },
                               { ns / 1000000000L, ns % 1000000000L } };
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = head->signal };
    event._sigev_un._tid = (pid_t)thread.tid;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &thread.timer) != 0)
        return false;
    if (timer_settime(thread.timer, 0, &each, NULL) == 0)
        return true;
    timer_delete(thread.timer);
    return false;
}

/* The timer is the last to begin and the first to end. */
static bool begin_thread(uintptr_t low, uintptr_t high)
{
    sigset_t tick;
    struct profile_slot *slot = take_slot();
    if (!slot)
        return true;
    thread.low = low;
    thread.high = high;
    thread.tid = (uint32_t)syscall(SYS_gettid);
    thread.slot = slot;
    if (!start_timer()) {
        thread.slot = NULL;
        atomic_store(&slot->used, 0);
        return false;
    }
    pthread_setspecific(at_exit, slot);
    sigemptyset(&tick);
    sigaddset(&tick, head->signal);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &tick, NULL, sizeof(uint64_t));
    return true;
}

static void end_thread(void *slot)
{
    if (!head || thread.slot != slot)
        return;
    timer_delete(thread.timer);
    thread.slot = NULL;
    atomic_store(&((struct profile_slot *)slot)->used, 0);
}

struct start {
    void *(*function)(void *);
    void *arg;
};

/* co4prof knows it by its name: what is further out is the C library's. */
VISIBLE void *co4_prof_start_thread(void *data);
void *co4_prof_start_thread(void *data)
{
    struct start start = *(struct start *)data;
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    free(data);
    if (head && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &low, &bytes) == 0)
            begin_thread((uintptr_t)low, (uintptr_t)__builtin_frame_address(0) + 64);
        pthread_attr_destroy(&attributes);
    }
    return start.function(start.arg);
}

/* The next definition of a function, that of the C library. */
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

VISIBLE int pthread_create(pthread_t *thread_id, const pthread_attr_t *attributes,
                           void *(*function)(void *), void *arg)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        *(void **)&real = next("pthread_create");
    struct start *start = head ? malloc(sizeof *start) : NULL;
    if (!start)
        return real(thread_id, attributes, function, arg);
    *start = (struct start){ function, arg };
    int err = real(thread_id, attributes, co4_prof_start_thread, start);
    if (err != 0)
        free(start);
    return err;
}

/* ---- the signal ---- */

/* The program blocks all signals, or sets all handlers: that is not meant for this one. */
static const sigset_t *without_tick(int how, const sigset_t *set, sigset_t *copy)
{
    if (!head || !set || how == SIG_UNBLOCK)
        return set;
    *copy = *set;
    sigdelset(copy, head->signal);
    return copy;
}

VISIBLE int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    static int (*real)(int, const sigset_t *, sigset_t *);
    sigset_t copy;
    if (!real)
        *(void **)&real = next("pthread_sigmask");
    return real(how, without_tick(how, set, &copy), old);
}

VISIBLE int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    static int (*real)(int, const sigset_t *, sigset_t *);
    sigset_t copy;
    if (!real)
        *(void **)&real = next("sigprocmask");
    return real(how, without_tick(how, set, &copy), old);
}

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);

static int set_handler(int signo, const struct sigaction *action, struct sigaction *old)
{
    if (!real_sigaction)
        *(void **)&real_sigaction = next("sigaction");
    return real_sigaction(signo, action, old);
}

VISIBLE int sigaction(int signo, const struct sigaction *action, struct sigaction *old)
{
    if (!head || signo != head->signal)
        return set_handler(signo, action, old);
    if (old)
        memset(old, 0, sizeof *old); /* SIG_DFL */
    return 0;
}

VISIBLE sighandler_t signal(int signo, sighandler_t handler)
{
    static sighandler_t (*real)(int, sighandler_t);
    if (!real)
        *(void **)&real = next("signal");
    return head && signo == head->signal ? SIG_DFL : real(signo, handler);
}

/* ---- the process ---- */

static struct profile_head *map_profile(const char *path)
{
    struct profile_head *map = NULL;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    off_t bytes = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    if (bytes >= HEAD_BYTES) {
        map = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED || map->version != PROFILE_VERSION)
            map = NULL;
    }
    if (fd >= 0)
        close(fd);
    return map;
}

/* Returns whether this process is the one that is sampled. */
static bool claim(struct profile_head *map)
{
    uint32_t pid = 0;
    if (atomic_compare_exchange_strong(&map->pid, &pid, (uint32_t)getpid()))
        return true;
    atomic_fetch_add(&map->others, 1);
    return false;
}

static void copy_maps(struct profile_head *map)
{
    char *to = (char *)(map + 1);
    size_t room = HEAD_BYTES - sizeof *map, bytes = 0;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;
    while (fd >= 0 && bytes < room && (n = read(fd, to + bytes, room - bytes)) > 0)
        bytes += (size_t)n;
    if (fd >= 0)
        close(fd);
    atomic_store(&map->maps_bytes, bytes);
}

static bool install_handler(void)
{
    struct sigaction action = { .sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART };
    sigfillset(&action.sa_mask);
    return set_handler(head->signal, &action, NULL) == 0;
}

static bool begin_first_thread(void)
{
    uintptr_t high = (uintptr_t)__libc_stack_end;
    struct rlimit limit;
    uintptr_t bytes = (uintptr_t)1 << 30;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < bytes)
        bytes = limit.rlim_cur;
    return begin_thread(high - bytes, high);
}

static void in_child(void)
{
    head = NULL;
    thread.slot = NULL;
}

/* Programs that this one executes begin without. */
static void clear_environment(void)
{
    const char *own = getenv("LD_PRELOAD"), *rest = own ? strpbrk(own, ": ") : NULL;
    if (rest)
        setenv("LD_PRELOAD", rest + 1, 1);
    else
        unsetenv("LD_PRELOAD");
    unsetenv(PROFILE_VARIABLE);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv(PROFILE_VARIABLE);
    struct profile_head *map = path ? map_profile(path) : NULL;
    if (!map)
        return;
    enum profile_state state = find_runtime(&runtime);
    if (state != PROFILE_SAMPLES) {
        if (atomic_load(&map->pid) == 0)
            atomic_store(&map->state, state);
        return;
    }
    if (!claim(map))
        return;
    copy_maps(map);
    clear_environment();
    head = map;
    if (pthread_key_create(&at_exit, end_thread) != 0 || !install_handler() ||
        pthread_atfork(NULL, NULL, in_child) != 0 || !begin_first_thread()) {
        head = NULL;
        state = PROFILE_NO_TIMER;
    } else {
        *runtime.step_profiler = co4_prof_run_step;
    }
    atomic_store(&map->state, state);
}
