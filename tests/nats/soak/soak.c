/* soak.c - all of it at once, while servers and workers are killed and connections are cut at
 * random: CO4_SOAK seconds, 20 of them by default. At most once never doubles, at least once never
 * loses, no task waits for ever, nothing leaks. */
#define _GNU_SOURCE
#include <co4/test.h>
#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soak.h"

atomic_bool soak_stop;

pausable co4_nats *soak_open(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls,
                           .wait = 50 * CO4_MS,
                           .ping = 500 * CO4_MS,
                           .attempt = CO4_SEC,
                           .output = 1000 };
    while (co4_nats_connect(&c, &o, SOON) != CO4_OK)
        co4_sleep(20 * CO4_MS);
    return c;
}

size_t soak_fill(char *data, size_t size, unsigned who, unsigned number)
{
    size_t n = (size_t)snprintf(data, 20, "%u %u ", who, number);
    for (size_t i = n; i < size; i++)
        data[i] = (char)('a' + (i + number) % 26);
    return n > size ? n : size;
}

bool soak_read(const char *data, size_t size, unsigned *who, unsigned *number)
{
    int n = 0;
    if (sscanf(data, "%u %u %n", who, number, &n) < 2)
        return false;
    for (size_t i = (size_t)n; i < size; i++)
        if (data[i] != (char)('a' + (i + *number) % 26))
            return false;
    return true;
}

/* ---- what may not grow ---- */

/* A sanitizer keeps what was freed for a while. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { KEPT = 1 << 30 };
#else
enum { KEPT = 16384 }; /* KiB */
#endif

struct usage {
    int descriptors;
    long resident;  /* KiB */
    size_t in_use;  /* of the heap, in KiB */
    long long pool; /* objects of the library */
};

/* Of this process, without those of the proxy, which has connections of the workers. */
static struct usage usage(struct faults *f)
{
    struct usage u = { 0 };
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        u.descriptors++;
    u.descriptors -= 2 * proxy_open(&f->proxy);
    if (folder)
        closedir(folder);
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0, all;
    if (file && fscanf(file, "%ld %ld", &all, &pages) == 2)
        u.resident = pages * (sysconf(_SC_PAGESIZE) / 1024);
    if (file)
        fclose(file);
    u.in_use = mallinfo2().uordblks / 1024;
    u.pool = co4_test_pool_live();
    return u;
}

static void report(const char *when, struct usage u)
{
    fprintf(stderr, "%s: %d descriptors, %ld KiB resident, %zu KiB of heap, %lld objects\n", when,
            u.descriptors, u.resident, u.in_use, u.pool);
}

/* At some moments there is no connection: the most of several is what may not grow. */
static void keep_most(struct usage *most, struct usage u)
{
    if (u.descriptors > most->descriptors)
        most->descriptors = u.descriptors;
    if (u.resident > most->resident)
        most->resident = u.resident;
}

static pausable int soak(struct faults *f, int seconds, bool *good)
{
    co4_nats_close(soak_open(f->server.url), SOON); /* what is made once is there */
    struct usage before = usage(f), halves[2] = { 0 };
    report("before", before);
    struct traffic *t = traffic_begin(f->server.url, f->proxy.url);
    traffic_start(t);
    *good = durable_start(f->server.url, f->proxy.url);
    for (int i = 0; i < 10; i++) {
        char when[32];
        co4_sleep(seconds * CO4_SEC / 10);
        snprintf(when, sizeof when, "%d %%", 10 * (i + 1));
        struct usage u = usage(f);
        report(when, u);
        keep_most(&halves[i / 5], u);
    }
    f->calm = true;
    while (!f->is_calm)
        co4_sleep(10 * CO4_MS);
    soak_stop = true;
    *good = traffic_end(t) && *good;
    *good = durable_end(f->jobs) && *good;
    co4_sleep(CO4_SEC); /* the proxy sees it */
    struct usage after = usage(f);
    report("after", after);
    if (after.descriptors > before.descriptors || after.in_use > before.in_use + 1024 ||
        after.pool > before.pool || halves[1].resident > halves[0].resident + KEPT ||
        halves[1].descriptors > halves[0].descriptors + 8) {
        fprintf(stderr, "it grows\n");
        *good = false;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct faults f;
    if (argc == 4 && strcmp(argv[1], "worker") == 0)
        return durable_worker(argv[2], argv[3]);
    const char *text = getenv("CO4_SOAK");
    int seconds = text ? atoi(text) : 20;
    bool good = false;
    alarm((unsigned)seconds * 2 + 240); /* a task that waits for ever */
    faults_begin(&f, "/proc/self/exe");
    co4_run(soak(&f, seconds, &good));
    faults_end(&f);
    fprintf(stderr, "%d kills of the server, %d of workers, %d stalls\n", f.server_kills,
            f.worker_kills, f.stalls);
    printf("%s\n", good ? "good" : "not good");
    return !good;
}
