/* outside.c - Unix sockets, datagrams, files and child processes, whose tasks are cancelled. What
 * was answered, arrived or was read is right. soak_sockets counts the descriptors. */
#define _GNU_SOURCE
#include "soak.h"

#include <co4/conn.h>
#include <co4/file.h>
#include <co4/io.h>
#include <co4/net.h>
#include <co4/process.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEERS = 3, LINES = 30, SENDERS = 2, DATAGRAMS = 100, FILES = 3, BLOCKS = 20, CHILDREN = 2 };

static char folder[] = "/tmp/co4-soak.XXXXXX";

static struct {
    unsigned long long seed;
    int listener, receiver;
    atomic_uint peers, senders;
    atomic_ullong done;
} now;

/* ---- Unix sockets: lines, each answered ---- */

static pausable void answer_lines(int fd)
{
    char *line;
    ssize_t n;
    co4_conn *c = co4_conn_create(fd);
    MUST(c != NULL);
    while ((n = co4_conn_read_line(c, &line, 100)) > 0 && line[n - 1] == '\n')
        if (co4_conn_printf(c, "re %.*s", (int)n, line) < 0)
            break;
    co4_conn_close_until(c, co4_now() + 10 * CO4_MS);
}

/* A server closes its own descriptor: after a close by another task its next call could find the
 * number in other use. */
static pausable void serve_lines(void)
{
    do {
        int fd = co4_accept_next_until(now.listener, co4_now() + 2 * CO4_MS);
        MUST(fd >= 0 || fd == CO4_ETIMEDOUT);
        co4_task *t = fd < 0 ? NULL : co4_task_create(answer_lines(fd));
        MUST(fd < 0 || (t != NULL && co4_runtime_schedule(NULL, t) == CO4_OK));
        co4_task_release(t);
    } while (now.peers > 0);
    co4_close(now.listener);
}

static pausable void ask_lines(co4_conn *c, unsigned me, struct lots *l)
{
    char want[64], *line;
    for (unsigned i = 0; i < LINES; i++) {
        int bytes = snprintf(want, sizeof want, "re %u %u\n", me, i);
        if (co4_conn_printf(c, "%s", want + strlen("re ")) < 0)
            return;
        ssize_t n = co4_conn_read_line_until(c, &line, 100, soon(l, 20000));
        if (n <= 0)
            return;
        MUST(n == bytes && memcmp(line, want, (size_t)n) == 0);
        now.done++;
    }
}

static pausable void peer(unsigned me, const char *path)
{
    struct lots l = lots_of(now.seed, 2000 + me);
    for (int i = 0; i < 4; i++) {
        int fd = co4_unix_connect_until(path, soon(&l, 50000));
        if (fd < 0)
            continue;
        co4_conn *c = co4_conn_create(fd);
        MUST(c != NULL);
        ask_lines(c, me, &l);
        co4_conn_destroy(c);
    }
    now.peers--;
}

/* ---- datagrams: some may be lost, none is torn or comes before an earlier one ---- */

static pausable void receive(void)
{
    unsigned last[SENDERS] = { 0 }, got[40];
    do {
        ssize_t n = co4_recv_until(now.receiver, got, sizeof got, 0, co4_now() + 2 * CO4_MS);
        if (n < 0) {
            MUST(errno == ETIMEDOUT);
            continue;
        }
        MUST(n == (ssize_t)sizeof got && got[0] < SENDERS && got[1] > last[got[0]]);
        for (unsigned i = 2; i < 40; i++)
            MUST(got[i] == got[1] * i);
        last[got[0]] = got[1];
        now.done++;
    } while (now.senders > 0);
    co4_close(now.receiver);
}

static pausable void send_datagrams(unsigned me, int port)
{
    struct lots l = lots_of(now.seed, 3000 + me);
    unsigned message[40];
    char text[8];
    snprintf(text, sizeof text, "%d", port);
    int fd = co4_udp_connect("127.0.0.1", text);
    for (unsigned n = 1; fd >= 0 && n <= DATAGRAMS; n++) {
        message[0] = me;
        message[1] = n;
        for (unsigned i = 2; i < 40; i++)
            message[i] = n * i;
        ssize_t sent = co4_send_until(fd, message, sizeof message, 0, soon(&l, 20000));
        MUST(sent == (ssize_t)sizeof message || sent == -1);
        if (sent < 0 && errno == ECANCELED)
            break;
        if (lot(&l, 10) == 0)
            co4_sleep(lot(&l, 300) * CO4_US);
    }
    if (fd >= 0)
        co4_close(fd);
    now.senders--;
}

/* ---- files: what was written is read ---- */

static pausable void write_and_read(unsigned me)
{
    struct lots l = lots_of(now.seed, 4000 + me);
    char path[sizeof folder + 40];
    unsigned char block[1000], got[1000];
    bool there[BLOCKS] = { false };
    snprintf(path, sizeof path, "%s/%u-%llu", folder, me, now.seed);
    int fd = co4_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    unlink(path);
    for (int i = 0; fd >= 0 && i < 3 * BLOCKS; i++) {
        unsigned at = lot(&l, BLOCKS);
        off_t offset = (off_t)at * (off_t)sizeof block;
        memset(block, (int)(me * 50 + at), sizeof block);
        if (!there[at]) {
            there[at] = co4_pwrite(fd, block, sizeof block, offset) == (ssize_t)sizeof block;
        } else if (co4_pread(fd, got, sizeof got, offset) == (ssize_t)sizeof got) {
            MUST(memcmp(block, got, sizeof got) == 0);
            now.done++;
        }
    }
    if (fd >= 0)
        co4_close(fd);
}

/* ---- child processes: their output comes back ---- */

static pausable void run_child(unsigned me)
{
    struct lots l = lots_of(now.seed, 5000 + me);
    const char *const argv[] = { "cat", NULL };
    const co4_process_options options = { .in = CO4_PROCESS_PIPE, .out = CO4_PROCESS_PIPE };
    co4_process *process;
    char got[8] = "";
    if (co4_process_start(&process, argv, &options) != 0)
        return;
    if (co4_write(co4_process_stdin(process), "hello", 5) == 5 &&
        co4_read_until(co4_process_stdout(process), got, sizeof got, soon(&l, 500000)) > 0) {
        MUST(strncmp(got, "hello", strlen(got)) == 0);
        now.done++;
    }
    if (lot(&l, 2))
        co4_process_close(process, 0);
    int status;
    if (co4_process_wait_until(process, &status, soon(&l, 20000)) == 0)
        MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    co4_process_destroy(process);
}

/* ---- a round ---- */

static int listen_at(const char *path)
{
    return co4_run(co4_unix_listen(path, 0));
}

static char path[sizeof folder + 20];

static void begin(co4_runtime *rt, unsigned long long seed)
{
    memset(&now, 0, sizeof now);
    now.seed = seed;
    now.peers = PEERS;
    now.senders = SENDERS;
    snprintf(path, sizeof path, "%s/socket", folder);
    now.listener = listen_at(path);
    now.receiver = co4_run(co4_udp_bind("127.0.0.1", "0", 0));
    MUST(now.listener >= 0 && now.receiver >= 0);
    soak_start(rt, co4_task_create(serve_lines()), SOAK_TO_THE_END);
    soak_start(rt, co4_task_create(receive()), SOAK_TO_THE_END);
    for (unsigned i = 0; i < PEERS; i++)
        soak_start(rt, co4_task_create(peer(i, path)), SOAK_MAY_CANCEL);
    for (unsigned i = 0; i < SENDERS; i++)
        soak_start(rt, co4_task_create(send_datagrams(i, co4_socket_port(now.receiver))),
                   SOAK_MAY_CANCEL);
    for (unsigned i = 0; i < FILES; i++)
        soak_start(rt, co4_task_create(write_and_read(i)), SOAK_MAY_CANCEL);
    for (unsigned i = 0; i < CHILDREN; i++)
        soak_start(rt, co4_task_create(run_child(i)), SOAK_MAY_CANCEL);
}

static unsigned long long check(void)
{
    MUST(now.peers == 0 && now.senders == 0);
    unlink(path);
    return now.done;
}

/* What the library keeps for child processes is made before the first round counts. */
void soak_outside_prepare(void)
{
    const char *const argv[] = { "true", NULL };
    int status;
    MUST(mkdtemp(folder) != NULL);
    int err = co4_run(co4_process_run(argv, NULL, &status));
    MUST(err == CO4_OK || err == -ENOSYS);
    MUST(co4_blocking_stop() == CO4_OK);
}

void soak_outside_end(void)
{
    rmdir(folder);
}

const struct work soak_outside = { "outside", "answers, datagrams, blocks, children", begin,
                                   check };
