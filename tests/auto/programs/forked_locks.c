/* forked_locks.c - locks that know their owner, of the parent and of the child of a fork, in which
 * the same task goes on. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct locks {
    pthread_mutex_t counts, checks;
    pthread_rwlock_t rwlock;
};

static void fill(struct locks *l, int shared)
{
    pthread_mutexattr_t m;
    pthread_rwlockattr_t r;
    pthread_mutexattr_init(&m);
    pthread_rwlockattr_init(&r);
    pthread_mutexattr_setpshared(&m, shared);
    pthread_rwlockattr_setpshared(&r, shared);
    pthread_mutexattr_settype(&m, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&l->counts, &m);
    pthread_mutexattr_settype(&m, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&l->checks, &m);
    pthread_rwlock_init(&l->rwlock, &r);
}

static void lock(struct locks *l)
{
    printf("lock: %d", pthread_mutex_lock(&l->counts));
    printf(" %d", pthread_mutex_lock(&l->checks));
    printf(" %d\n", pthread_rwlock_wrlock(&l->rwlock));
}

static void unlock(struct locks *l)
{
    printf("unlock: %d", pthread_mutex_unlock(&l->counts));
    printf(" %d", pthread_mutex_unlock(&l->checks));
    printf(" %d\n", pthread_rwlock_unlock(&l->rwlock));
}

static void try(struct locks *l)
{
    struct timespec past = { 1, 0 };
    printf("try: %d", pthread_mutex_trylock(&l->counts));
    printf(" %d", pthread_mutex_timedlock(&l->counts, &past));
    printf(" %d", pthread_mutex_trylock(&l->checks));
    printf(" %d", pthread_mutex_timedlock(&l->checks, &past));
    printf(" %d", pthread_rwlock_trywrlock(&l->rwlock));
    printf(" %d", pthread_rwlock_tryrdlock(&l->rwlock));
    printf(" %d\n", pthread_rwlock_timedwrlock(&l->rwlock, &past));
}

static void in_child(const char *what, struct locks *l, int unlocks)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid != 0) {
        waitpid(pid, NULL, 0);
        return;
    }
    printf("%s: ", what);
    try(l);
    if (unlocks) {
        printf("%d", pthread_mutex_unlock(&l->counts));
        printf(" %d\n", pthread_mutex_unlock(&l->checks));
    }
    fflush(stdout);
    _exit(0);
}

static void held_by_a_child(struct locks *l)
{
    int ready[2], done[2];
    char c = 'a';
    if (pipe(ready) != 0 || pipe(done) != 0)
        exit(1);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        printf("a child: ");
        lock(l);
        fflush(stdout);
        if (write(ready[1], &c, 1) == 1 && read(done[0], &c, 1) == 1)
            unlock(l);
        fflush(stdout);
        _exit(0);
    }
    if (read(ready[0], &c, 1) == 1)
        try(l);
    in_child("another child", l, 1);
    if (write(done[1], &c, 1) == 1)
        waitpid(pid, NULL, 0);
    lock(l);
    unlock(l);
}

int main(void)
{
    struct locks own;
    struct locks *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fill(&own, PTHREAD_PROCESS_PRIVATE);
    fill(shared, PTHREAD_PROCESS_SHARED);
    lock(&own);
    in_child("own", &own, 1);
    unlock(&own);
    lock(shared);
    in_child("shared", shared, 1);
    in_child("shared", shared, 1);
    unlock(shared);
    held_by_a_child(shared);
    return 0;
}
