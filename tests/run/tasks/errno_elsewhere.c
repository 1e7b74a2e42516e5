/* errno_elsewhere - a task that is resumed on another thread each time reads that thread's errno.
 * glibc declares what gives errno's address to have no side effects, so compilers keep the address;
 * never across a pause, which is a return.
 * modes: woven forced
 * needs: threads
 * expect: moved 1 1 1 1, then 1 */
#include <co4.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int overflows(void)
{
    return strtol("99999999999999999999999", NULL, 10) > 0; /* sets errno */
}

static pausable int set_and_wait(int error)
{
    errno = error;
    co4_yield();
    return overflows();
}

static pausable void work(void)
{
    pthread_t first = pthread_self();
    int right[4];
    errno = 0;
    for (int i = 0; i < 4; i++) {
        co4_yield();
        errno = 0;
        right[i] = overflows() && errno == ERANGE;
    }
    printf("%s ", pthread_equal(first, pthread_self()) ? "stayed" : "moved");
    printf("%d %d %d %d, ", right[0], right[1], right[2], right[3]);
    errno = 0;
    printf("then %d\n", errno + set_and_wait(EDOM) * (errno == ERANGE));
}

/* Threads that have had their turn stay alive, or the next would get their memory. */
static void *turn(void *runtime)
{
    co4_runtime_run_once(runtime);
    if (co4_runtime_tasks(runtime) != 0) {
        pthread_t next;
        errno = EINTR;
        if (pthread_create(&next, NULL, turn, runtime) == 0)
            pthread_join(next, NULL);
    }
    return NULL;
}

int main(void)
{
    co4_runtime_options options = CO4_RUNTIME_DEFAULTS;
    options.workers = CO4_RUNTIME_EMBEDDED;
    co4_runtime *runtime = co4_runtime_create(&options);
    if (runtime == NULL || co4_runtime_start(runtime) != CO4_OK)
        return 1;
    co4_runtime_spawn(runtime, work());
    turn(runtime);
    return co4_runtime_destroy(runtime);
}
