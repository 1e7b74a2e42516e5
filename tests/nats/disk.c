/* disk.c - a store that is full, by a limit and by its disk: what is refused is said, what was
 * stored stays, and when there is room again it goes on. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include "counted.h"

enum { BIG = 16000 };

/* Stores numbers until one is refused. Returns how many were stored. */
static pausable int fill_up(co4_nats *c, int from, int *code)
{
    static char data[BIG];
    int i = from;
    for (; i < NUMBERS; i++) {
        memset(data, 'a' + i % 26, sizeof data);
        snprintf(data, 16, "%d", i);
        co4_nats_outgoing m = { .subject = "JOBS", .data = data, .size = sizeof data };
        *code = co4_nats_store(c, &m, NULL, NULL, SOON);
        if (*code != CO4_OK)
            break;
    }
    return i;
}

/* Takes `count` jobs, and acknowledges them. */
static pausable void take_some(co4_nats *c, int count, struct tally *t)
{
    co4_nats_consumer_options o = { .name = "w", .ack_wait = 10 * CO4_SEC, .credit = 8 };
    co4_nats_consumer *k;
    co4_nats_message *m;
    int err = co4_nats_consume(&k, c, "JOBS", &o, SOON);
    if (err != CO4_OK) {
        show("consume", err);
        return;
    }
    for (int i = 0; i < count && (err = co4_nats_take(k, &m, SOON)) == CO4_OK; i++) {
        int number = atoi(m->data);
        t->damaged += m->size != BIG || m->data[BIG - 1] != (char)('a' + number % 26);
        t->twice += t->seen[number]++ > 0;
        err = co4_nats_ack_sure(k, m, SOON);
        co4_nats_message_destroy(m);
        if (err != CO4_OK)
            break;
    }
    if (err != CO4_OK)
        show("take", err);
    co4_nats_consumer_destroy(k);
}

/* Full, a part taken, full again, the server killed, all taken. */
static pausable void full(struct server *server, int64_t limit)
{
    struct tally *t = calloc(1, sizeof *t);
    co4_nats *c = connect_to(server->url);
    co4_nats_stream_options o = {
        .name = "JOBS", .retention = CO4_NATS_WORK, .refuse_new = true, .max_bytes = limit
    };
    int code;
    char text[100];
    show("stream", co4_nats_stream_create(c, &o, SOON));
    int first = fill_up(c, 0, &code);
    show("it is full", code);
    co4_nats_refusal(c, text, sizeof text);
    printf("some are stored: %d, the server has said why: %d\n", first > 10, text[0] != '\0');
    fprintf(stderr, "%d are stored: %s\n", first, text);
    co4_nats_stream_state state;
    show("look", co4_nats_stream_look(c, "JOBS", &state, SOON));
    printf("what was stored is there: %d\n", (int)state.messages == first);
    take_some(c, first, t);
    int second = fill_up(c, first, &code);
    printf("there is room again: %d\n", second > first + 5);
    fprintf(stderr, "%d more: %s\n", second - first, co4_strerror(code));
    co4_nats_message *m; /* what needs no disk goes on */
    show("a request", co4_nats_request(c, "nobody", "x", 1, &m, SOON));
    take_some(c, second - first, t);
    printf("%d missing, %d twice, %d damaged\n", missing(t, second), t->twice, t->damaged);
    show("delete", co4_nats_stream_delete(c, "JOBS", SOON));
    show("close", co4_nats_close(c, SOON));
    free(t);
}

/* A disk of a few MiB, which is really full. The server gives up its streams then, until it is
 * started again with more room. Where no disk may be mounted, a limit is in its place. */
static pausable void small_disk(void)
{
    struct server server = { 0 };
    struct tally *t = calloc(1, sizeof *t);
    server_start(&server);
    server_kill(&server, SIGTERM);
    bool mounted = mount("small", server.folder, "tmpfs", 0, "size=3m") == 0;
    if (!mounted)
        fprintf(stderr, "no disk of its own: %s\n", strerror(errno));
    server_start(&server);
    co4_nats *c = connect_to(server.url);
    co4_nats_stream_options o = { .name = "JOBS",
                                  .retention = CO4_NATS_WORK,
                                  .refuse_new = true,
                                  .max_bytes = mounted ? 0 : 2 << 20 };
    int code = CO4_OK;
    co4_nats_message *m;
    show("stream", co4_nats_stream_create(c, &o, SOON));
    int stored = fill_up(c, 0, &code);
    show("the disk is full", code);
    fprintf(stderr, "%d on a full disk\n", stored);
    show("a request", co4_nats_request(c, "nobody", "x", 1, &m, SOON));
    server_kill(&server, SIGKILL);
    if (mounted && mount("small", server.folder, "tmpfs", MS_REMOUNT, "size=30m") != 0)
        printf("the disk stays small\n");
    server_start(&server);
    while ((code = co4_nats_flush(c, SOON)) == CO4_NATS_EDISCONNECTED) {
    }
    show("flush", code);
    take_some(c, stored, t);
    printf("some were stored: %d; %d missing, %d twice, %d damaged\n", stored > 10,
           missing(t, stored), t->twice, t->damaged);
    show("close", co4_nats_close(c, SOON));
    server_kill(&server, SIGKILL);
    if (mounted && umount2(server.folder, MNT_DETACH) != 0)
        printf("the disk stays\n");
    server_end(&server);
    free(t);
}

static pausable int all(struct server *server)
{
    full(server, 0);
    full(server, 1 << 20);
    small_disk();
    return 0;
}

int main(void)
{
    char config[] = "/tmp/co4-nats-disk.XXXXXX";
    static const char text[] = "jetstream { max_file_store: 2MB }\n";
    if (unshare(CLONE_NEWNS) == 0)
        mount("none", "/", "", MS_REC | MS_PRIVATE, NULL);
    int fd = mkstemp(config);
    if (fd < 0 || write(fd, text, sizeof text - 1) != sizeof text - 1)
        return 2;
    close(fd);
    struct server server = { .options = { "-c", config } };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int err = co4_run(all(&server));
    server_end(&server);
    unlink(config);
    return err;
}
