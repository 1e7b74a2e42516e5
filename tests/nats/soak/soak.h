/* soak.h - what the parts of the soak share: faults.c breaks, traffic.c and durable.c count. */
#ifndef SOAK_H
#define SOAK_H

#include <co4.h>
#include <co4/nats_kv.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../proxy.h"
#include "../server.h"

#define SOON (co4_now() + 5 * CO4_SEC)

/* ---- faults.c: a thread that kills the server and workers, and cuts ---- */

struct faults {
    struct server server;
    struct proxy proxy;
    char jobs[80];       /* the file in which workers note what they have done */
    atomic_bool calm;    /* nothing is broken any more */
    atomic_bool is_calm; /* … and all is there */
    atomic_bool end;     /* server and workers end */
    atomic_int server_kills, worker_kills, stalls;
};
void faults_begin(struct faults *f, const char *program);
void faults_end(struct faults *f);

uint32_t soak_random(uint64_t *state);

/* ---- shared ---- */

extern atomic_bool soak_stop; /* no new message is sent */

pausable co4_nats *soak_open(const char *url);
/* Numbers with bytes of their own, of many sizes. `size` bytes are room. */
size_t soak_fill(char *data, size_t size, unsigned who, unsigned number);
/* Returns false if it is damaged. */
bool soak_read(const char *data, size_t size, unsigned *who, unsigned *number);

/* ---- traffic.c: at most once ---- */

struct traffic;
struct traffic *traffic_begin(const char *near, const char *far);
pausable void traffic_start(struct traffic *t);
/* All tasks have ended when this returns. Returns whether all is good. */
pausable bool traffic_end(struct traffic *t);

/* ---- durable.c: at least once, and in order ---- */

pausable bool durable_start(const char *near, const char *far);
/* Waits until all is done. Returns whether all is good. */
pausable bool durable_end(const char *jobs);
/* A process that does jobs. */
int durable_worker(const char *url, const char *jobs);

#endif
