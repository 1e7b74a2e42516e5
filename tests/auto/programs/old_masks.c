/* old_masks.c - sighold() and its kin: a thread's mask is its own, also in a program that has no
 * newer call. Handlers and jumps out of them leave a mask, too. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static sem_t asked, answered;
static volatile sig_atomic_t came;
static sigjmp_buf out;

static int is_held(int signo)
{
    return (siggetmask() & sigmask(signo)) != 0;
}

static void *looks(void *unused)
{
    for (int i = 0; i < 6; i++) {
        sem_wait(&asked);
        printf("the other: %d %d %d\n", is_held(SIGUSR1), is_held(SIGUSR2), is_held(SIGHUP));
        sem_post(&answered);
    }
    return unused;
}

static void look(const char *what)
{
    sem_post(&asked);
    sem_wait(&answered);
    printf("%s: %d %d %d\n", what, is_held(SIGUSR1), is_held(SIGUSR2), is_held(SIGHUP));
}

static void jump(int signo)
{
    came++;
    siglongjmp(out, signo);
}

int main(void)
{
    pthread_t id;
    sem_init(&asked, 0, 0);
    sem_init(&answered, 0, 0);
    assert(pthread_create(&id, NULL, looks, NULL) == 0);
    look("none");
    assert(sighold(SIGUSR1) == 0 && sighold(1000) == -1);
    look("sighold");
    assert(sigblock(sigmask(SIGUSR2)) == (int)sigmask(SIGUSR1));
    look("sigblock");
    assert(sigrelse(SIGUSR1) == 0 && sigrelse(0) == -1);
    look("sigrelse");
    assert(sigsetmask(sigmask(SIGHUP)) == (int)sigmask(SIGUSR2));
    look("sigsetmask");
    sigsetmask(0);
    signal(SIGUSR1, jump);
    if (sigsetjmp(out, 0) == 0) /* it leaves the handler's mask */
        raise(SIGUSR1);
    look("a jump");
    assert(pthread_join(id, NULL) == 0 && came == 1);
    return 0;
}
