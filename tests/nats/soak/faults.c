/* faults.c - a thread that kills the server and the workers, and cuts, stalls and refuses
 * connections, at random. Processes end with it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soak.h"

enum { WORKERS = 2 };

static pthread_t thread;
static const char *program;
static int workers[WORKERS];

uint32_t soak_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void start_worker(struct faults *f, int i)
{
    workers[i] = fork();
    if (workers[i] != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl(program, program, "worker", f->proxy.url, f->jobs, (char *)NULL);
    _exit(127);
}

static void kill_worker(int i)
{
    kill(workers[i], SIGKILL);
    waitpid(workers[i], NULL, 0);
}

static void some_ms(uint64_t *seed, unsigned most)
{
    usleep(1000 * (soak_random(seed) % most + 1));
}

static void break_one(struct faults *f, uint64_t *seed)
{
    int which = (int)(soak_random(seed) % 24);
    int worker = (int)(soak_random(seed) % WORKERS);
    switch (which) {
    case 0: /* a server that is killed; at times one that ends */
        server_kill(&f->server, soak_random(seed) % 4 ? SIGKILL : SIGTERM);
        f->server_kills++;
        some_ms(seed, 400);
        server_start(&f->server);
        some_ms(seed, 1500); /* time to do something */
        break;
    case 1:
    case 2:
        kill_worker(worker);
        f->worker_kills++;
        some_ms(seed, 100);
        start_worker(f, worker);
        break;
    case 3:
        proxy_stall(&f->proxy, true);
        some_ms(seed, 1500);
        proxy_stall(&f->proxy, false);
        f->stalls++;
        break;
    case 4:
        proxy_refuse(&f->proxy, true);
        proxy_cut(&f->proxy);
        some_ms(seed, 300);
        proxy_refuse(&f->proxy, false);
        break;
    case 5:
        proxy_delay(&f->proxy, (int)(soak_random(seed) % 30));
        break;
    case 6:
        proxy_reset(&f->proxy, soak_random(seed) % 2);
        break;
    default:
        proxy_cut_after(&f->proxy, soak_random(seed) % 2, (long)(soak_random(seed) % 20000));
        break;
    }
}

static void *run(void *arg)
{
    struct faults *f = arg;
    uint64_t seed = (uint64_t)getpid();
    server_start(&f->server); /* by this thread: it ends with it */
    proxy_start(&f->proxy, f->server.port);
    for (int i = 0; i < WORKERS; i++)
        start_worker(f, i);
    f->is_calm = true;
    while (!f->calm) {
        some_ms(&seed, 200);
        break_one(f, &seed);
    }
    proxy_disarm(&f->proxy);
    proxy_delay(&f->proxy, 0);
    f->is_calm = true;
    while (!f->end)
        usleep(10000);
    for (int i = 0; i < WORKERS; i++)
        kill_worker(i);
    proxy_end(&f->proxy);
    server_end(&f->server);
    return NULL;
}

void faults_begin(struct faults *f, const char *path)
{
    program = path;
    const char *where = getenv("TMPDIR");
    snprintf(f->jobs, sizeof f->jobs, "%s/co4-nats-jobs.%d",
             where && strlen(where) < 40 ? where : "/tmp", (int)getpid());
    if (pthread_create(&thread, NULL, run, f) != 0)
        abort();
    while (!f->is_calm)
        usleep(1000);
    f->is_calm = false;
}

void faults_end(struct faults *f)
{
    f->end = true;
    pthread_join(thread, NULL);
    unlink(f->jobs);
}
