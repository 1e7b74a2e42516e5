/* notice.c - what a program of --auto=test does that is not simulated, and says so.
 *
 * The link turns the calls below into those of this file, in all objects. They do what they always
 * do, and the program says once for each what no seed decides. The place is that of the call: in
 * the executable, as addr2line takes it. */
#define _GNU_SOURCE
#include "simulation/notice.h"

#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "posix/decides.h"
#include "posix/wraps.h"
#include "simulation/run.h"

/* ---- what it says ---- */

static bool own_threads; /* a call has been noted for which the C library has threads */

/* Returns whether the name is a new one. */
static bool is_first(const char *name)
{
    enum { MOST = 64 };
    static const char *names[MOST];
    static int count;
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return false;
    if (count < MOST)
        names[count++] = name;
    return true;
}

void co4__not_simulated(const char *name, const char *why, const void *place)
{
    Dl_info in;
    int was = errno;
    if (!co4__program_is_simulated() || !is_first(name))
        return;
    own_threads = own_threads || strncmp(name, "aio_", 4) == 0 || strcmp(name, "lio_listio") == 0 ||
                  strcmp(name, "mq_notify") == 0;
    fprintf(stderr, "co4: not simulated: %s%s", name, strchr(name, ' ') ? "" : "()");
    if (why)
        fprintf(stderr, ": %s", why);
    if (place && dladdr(place, &in) && in.dli_fname) {
        const ElfW(Ehdr) *header = in.dli_fbase;
        uintptr_t at = (uintptr_t)place - 1;
        if (header->e_type == ET_DYN)
            at -= (uintptr_t)in.dli_fbase;
        fprintf(stderr, ", called at addr2line -pfe %s 0x%jx", in.dli_fname, (uintmax_t)at);
    }
    fputs("\n", stderr);
    if (getenv("CO4_TEST_STRICT"))
        _exit(CO4__REFUSED);
    errno = was;
}

/* ---- the calls ---- */

typedef char *const *strings;

CO4__INSTEAD(int, execve, (const char *path, strings args, strings env))
{
    return CO4__NOTED(execve)(path, args, env);
}

CO4__INSTEAD(int, execv, (const char *path, strings args))
{
    return CO4__NOTED(execv)(path, args);
}

CO4__INSTEAD(int, execvp, (const char *file, strings args))
{
    return CO4__NOTED(execvp)(file, args);
}

CO4__INSTEAD(int, execvpe, (const char *file, strings args, strings env))
{
    return CO4__NOTED(execvpe)(file, args, env);
}

CO4__INSTEAD(int, inotify_init, (void))
{
    return CO4__NOTED(inotify_init)();
}

CO4__INSTEAD(int, inotify_init1, (int flags))
{
    return CO4__NOTED(inotify_init1)(flags);
}

CO4__INSTEAD(int, fanotify_init, (unsigned flags, unsigned file_flags))
{
    return CO4__NOTED(fanotify_init)(flags, file_flags);
}

CO4__INSTEAD(int, shm_open, (const char *name, int flags, mode_t mode))
{
    return CO4__NOTED(shm_open)(name, flags, mode);
}

CO4__INSTEAD(int, shmget, (key_t key, size_t bytes, int flags))
{
    return CO4__NOTED(shmget)(key, bytes, flags);
}

CO4__INSTEAD(int, semget, (key_t key, int count, int flags))
{
    return CO4__NOTED(semget)(key, count, flags);
}

CO4__INSTEAD(int, msgget, (key_t key, int flags))
{
    return CO4__NOTED(msgget)(key, flags);
}

CO4__INSTEAD(ssize_t, splice,
             (int in, off64_t *at_in, int out, off64_t *at_out, size_t bytes, unsigned flags))
{
    return CO4__NOTED(splice)(in, at_in, out, at_out, bytes, flags);
}

CO4__INSTEAD(ssize_t, tee, (int in, int out, size_t bytes, unsigned flags))
{
    return CO4__NOTED(tee)(in, out, bytes, flags);
}

CO4__INSTEAD(ssize_t, vmsplice, (int fd, const struct iovec *parts, size_t count, unsigned flags))
{
    return CO4__NOTED(vmsplice)(fd, parts, count, flags);
}

CO4__INSTEAD(int, aio_read, (struct aiocb * block))
{
    return CO4__NOTED(aio_read)(block);
}

CO4__INSTEAD(int, aio_write, (struct aiocb * block))
{
    return CO4__NOTED(aio_write)(block);
}

CO4__INSTEAD(int, lio_listio,
             (int mode, struct aiocb *const blocks[], int count, struct sigevent *event))
{
    return CO4__NOTED(lio_listio)(mode, blocks, count, event);
}

int __wrap_aio_read64(struct aiocb *block) CO4__SAME(__wrap_aio_read);
int __wrap_aio_write64(struct aiocb *block) CO4__SAME(__wrap_aio_write);
int __wrap_lio_listio64(int mode, struct aiocb *const blocks[], int count, struct sigevent *event)
    CO4__SAME(__wrap_lio_listio);

mqd_t __real_mq_open(const char *name, int flags, ...);
mqd_t __wrap_mq_open(const char *name, int flags, ...);
mqd_t __wrap_mq_open(const char *name, int flags, ...)
{
    va_list more;
    co4__not_simulated("mq_open", NULL, __builtin_return_address(0));
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    struct mq_attr *how = flags & O_CREAT ? va_arg(more, struct mq_attr *) : NULL;
    va_end(more);
    return __real_mq_open(name, flags, mode, how);
}

sem_t *__real_sem_open(const char *name, int flags, ...);
sem_t *__wrap_sem_open(const char *name, int flags, ...);
sem_t *__wrap_sem_open(const char *name, int flags, ...)
{
    va_list more;
    co4__not_simulated("sem_open", NULL, __builtin_return_address(0));
    co4__simulated_shares = true;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    unsigned value = flags & O_CREAT ? va_arg(more, unsigned) : 0;
    va_end(more);
    return __real_sem_open(name, flags, mode, value);
}

long __real_ptrace(int request, ...);
long __wrap_ptrace(int request, ...);
long __wrap_ptrace(int request, ...)
{
    va_list more;
    co4__not_simulated("ptrace", NULL, __builtin_return_address(0));
    va_start(more, request);
    pid_t id = va_arg(more, pid_t);
    void *at = va_arg(more, void *), *data = va_arg(more, void *);
    va_end(more);
    return __real_ptrace(request, id, at, data);
}

/* ---- what processes share ---- */

static void note_shared(int shared, const char *name, const void *place)
{
    if (shared == PTHREAD_PROCESS_PRIVATE)
        return;
    co4__not_simulated(name, "a wait does not notice what another process does", place);
}

CO4__INSTEAD(int, pthread_mutexattr_setpshared, (pthread_mutexattr_t * how, int shared))
{
    note_shared(shared, "pthread_mutexattr_setpshared", __builtin_return_address(0));
    return __real_pthread_mutexattr_setpshared(how, shared);
}

CO4__INSTEAD(int, pthread_condattr_setpshared, (pthread_condattr_t * how, int shared))
{
    note_shared(shared, "pthread_condattr_setpshared", __builtin_return_address(0));
    return __real_pthread_condattr_setpshared(how, shared);
}

CO4__INSTEAD(int, pthread_rwlockattr_setpshared, (pthread_rwlockattr_t * how, int shared))
{
    note_shared(shared, "pthread_rwlockattr_setpshared", __builtin_return_address(0));
    return __real_pthread_rwlockattr_setpshared(how, shared);
}

CO4__INSTEAD(int, pthread_barrierattr_setpshared, (pthread_barrierattr_t * how, int shared))
{
    note_shared(shared, "pthread_barrierattr_setpshared", __builtin_return_address(0));
    return __real_pthread_barrierattr_setpshared(how, shared);
}

CO4__INSTEAD(int, sem_init, (sem_t * sem, int shared, unsigned value))
{
    co4__simulated_shares = co4__simulated_shares || shared;
    return __real_sem_init(sem, shared, value);
}

/* ---- threads of others ---- */

void co4__notice_threads(void)
{
    struct stat tasks;
    if (!co4__program_is_simulated() || own_threads || stat("/proc/self/task", &tasks) != 0 ||
        tasks.st_nlink <= 3) /* itself, its parent, the thread */
        return;
    co4__simulation_refuses("threads of a library, or of code that is not woven",
                            "they run in an order that no seed decides: this cannot be simulated");
}
