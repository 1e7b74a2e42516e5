/* log.c - the append-only file: each command that changed something, as it was received.
 *
 * Commands append to a buffer, under the lock and so in the order in which they ran. One task
 * writes what has collected: many commands in one write, and one fsync for all that wait for it. If
 * the disk refuses a write, the file is cut back to its last whole command, and commands that would
 * change something are refused until a write succeeds. */
#define _GNU_SOURCE
#include "kv.h"

#include <co4/file.h>
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

pthread_mutex_t kv_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    int fd; /* -1: there is no log */
    enum log_sync sync;
    char *buffer; /* under the lock, like the fields up to `failed` */
    size_t size, room;
    uint64_t appended; /* bytes since the start */
    bool failed;
    off_t whole;       /* the end of the last command in the file; the writer's */
    bool dirty;        /* written since the last fsync; the writer's */
    co4_mailbox *work; /* a message: there is something to write */
    co4_task *writer;
    co4_mutex lock; /* guards `safe` */
    co4_cond changed;
    uint64_t safe; /* so many bytes are as safe as the policy says */
} log = { .fd = -1, .lock = CO4_MUTEX_INIT, .changed = CO4_COND_INIT };

bool log_can(void)
{
    return !log.failed;
}

void log_append(struct client *k, const char *bytes, size_t size)
{
    if (log.fd < 0 || k->replays)
        return;
    if (log.room - log.size < size) {
        size_t room = log.room ? log.room : 65536;
        while (room - log.size < size)
            room *= 2;
        char *buffer = realloc(log.buffer, room);
        if (!buffer) {
            log.failed = true;
            return;
        }
        log.buffer = buffer;
        log.room = room;
    }
    memcpy(log.buffer + log.size, bytes, size);
    if (log.size == 0)
        (void)!co4_mailbox_try_send(log.work, &(int){ 1 });
    log.size += size;
    log.appended += size;
    k->logged = log.appended;
}

void log_append_end(struct client *k, struct bytes key, int64_t ends)
{
    char head[64], tail[64], number[24];
    int digits = snprintf(number, sizeof number, "%lld", (long long)ends);
    int h = snprintf(head, sizeof head, "*3\r\n$9\r\nPEXPIREAT\r\n$%zu\r\n", key.size);
    int t = snprintf(tail, sizeof tail, "\r\n$%d\r\n%s\r\n", digits, number);
    log_append(k, head, (size_t)h);
    log_append(k, key.at, key.size);
    log_append(k, tail, (size_t)t);
}

pausable void log_wait(struct client *k)
{
    if (log.fd < 0 || log.sync != LOG_ALWAYS || k->logged == 0)
        return;
    if (co4_mutex_lock(&log.lock) != CO4_OK)
        return;
    while (log.safe < k->logged)
        if (co4_cond_wait(&log.changed, &log.lock) != CO4_OK)
            break;
    co4_mutex_unlock(&log.lock);
    k->logged = 0;
}

/* Takes the buffer. Returns its size. */
static size_t take(char **buffer, uint64_t *end)
{
    pthread_mutex_lock(&kv_lock);
    size_t size = log.size;
    *buffer = log.buffer;
    *end = log.appended;
    log.buffer = NULL;
    log.size = log.room = 0;
    pthread_mutex_unlock(&kv_lock);
    return size;
}

static void set_failed(bool failed)
{
    pthread_mutex_lock(&kv_lock);
    log.failed = failed;
    pthread_mutex_unlock(&kv_lock);
}

/* Writes all, however long the disk refuses. */
static pausable int write_all(const char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = co4_pwrite(log.fd, bytes + done, size - done, log.whole + (off_t)done);
        if (n > 0) {
            done += (size_t)n;
            continue;
        }
        if (n < 0 && errno == ECANCELED)
            return -1;
        fprintf(stderr, "the log: %s\n", strerror(errno));
        set_failed(true);
        (void)!co4_ftruncate(log.fd, log.whole);
        done = 0;
        if (co4_sleep(CO4_SEC) != CO4_OK)
            return -1;
    }
    log.whole += (off_t)size;
    log.dirty = true;
    set_failed(false);
    return 0;
}

static pausable int sync_now(void)
{
    int n = log.dirty ? co4_fdatasync(log.fd) : 0;
    log.dirty = n != 0;
    return n;
}

static pausable void is_safe(uint64_t end)
{
    if (co4_mutex_lock(&log.lock) != CO4_OK)
        return;
    log.safe = end;
    co4_cond_broadcast(&log.changed);
    co4_mutex_unlock(&log.lock);
}

static pausable void write_log(void)
{
    int64_t last = co4_now();
    int word, err;
    do {
        char *buffer;
        uint64_t end;
        /* Every second, as long as something was written and not synced. */
        err = log.dirty && log.sync == LOG_EVERY_SECOND
                  ? co4_mailbox_receive_until(log.work, &word, last + CO4_SEC)
                  : co4_mailbox_receive(log.work, &word);
        size_t size = take(&buffer, &end);
        int failed = write_all(buffer, size);
        free(buffer);
        if (failed)
            break;
        if (log.sync == LOG_ALWAYS && sync_now() == 0)
            is_safe(end);
        if (log.sync == LOG_EVERY_SECOND && co4_now() - last >= CO4_SEC) {
            (void)!sync_now();
            last = co4_now();
        }
    } while (err == CO4_OK || err == CO4_ETIMEDOUT);
    (void)!sync_now();
}

/* A tail that is no whole command is cut off: the process died while it wrote. */
static pausable int replay(void)
{
    struct client k = { .replays = true };
    const char *in;
    int copy = dup(log.fd);
    ssize_t size;
    k.c = copy >= 0 ? co4_conn_create(copy) : NULL;
    if (!k.c)
        return -1;
    while ((size = client_read(&k)) > 0) {
        if (co4_conn_peek(k.c, &in, (size_t)size) < size)
            break;
        command_run(&k, in, (size_t)size);
        co4_conn_skip(k.c, (size_t)size);
        log.whole += size;
    }
    co4_conn_destroy(k.c);
    free(k.argv);
    if (co4_ftruncate(log.fd, log.whole) != 0)
        return -1;
    return 0;
}

pausable int log_begin(const char *path, enum log_sync sync)
{
    int fd = co4_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return -1;
    log.fd = fd;
    log.sync = sync;
    if (replay() != 0 || !(log.work = co4_mailbox_create(sizeof(int), 1))) {
        co4_close(fd);
        return -1;
    }
    log.writer = co4_spawn(write_log());
    return log.writer ? 0 : -1;
}

pausable void log_end(void)
{
    if (log.fd < 0)
        return;
    co4_mailbox_close(log.work);
    co4_join(log.writer, NULL);
    co4_mailbox_destroy(log.work);
    co4_close(log.fd);
    free(log.buffer);
    log.fd = -1;
}
