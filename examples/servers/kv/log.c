/* log.c - the append-only file: each command that changed something, as it was received.
 *
 * Commands append to a buffer, under the lock and so in the order in which they ran. One task
 * writes what has collected: many commands in one write, and one fsync for all that wait for it.
 * Replies wait for the write, under `always` also for the fsync, so the end of the process takes
 * nothing back that was answered.
 *
 * If the disk refuses a write, the file is cut back to its last whole command, and commands that
 * would change something are refused until a write succeeds. If it refuses an fsync, they are
 * refused for good: the system may have dropped what was written, and the next fsync would succeed
 * without it. Clients that wait for a reply then lose their connection. */
#define _GNU_SOURCE
#include "kv.h"

#include <co4/file.h>
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../server.h"

#define PATIENCE (2 * CO4_SEC) /* for a disk that refuses the last changes */

pthread_mutex_t kv_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    int fd; /* -1: there is no log */
    enum log_sync sync;
    char *buffer; /* under the lock, like the fields up to `state` */
    size_t size, room;
    uint64_t appended;                 /* bytes since the start */
    enum { WELL, FAILED, LOST } state; /* LOST: an fsync has failed; that stays */
    bool replays;
    off_t whole;               /* the end of the last command in the file; the writer's */
    atomic_bool dirty;         /* written since the last fsync began */
    co4_mailbox *work;         /* a message: there is something to write */
    co4_task *writer, *syncer; /* syncer: under `everysec` */
    co4_mutex lock;            /* guards both numbers */
    co4_cond changed;
    uint64_t safe;    /* so many bytes are as safe as the policy says */
    uint64_t refused; /* for so many bytes no client waits any more */
} log = { .fd = -1, .lock = CO4_MUTEX_INIT, .changed = CO4_COND_INIT };

bool log_can(void)
{
    return log.state == WELL;
}

static void hang_up(struct client *k)
{
    k->broken = k->ends = true;
    co4_shutdown(co4_conn_fd(k->c), SHUT_RDWR);
}

/* Returns where so many bytes are appended; NULL: there is no log, or no memory. */
static char *make_room(const struct client *k, size_t size)
{
    if (log.fd < 0 || log.state == LOST || (k && k->replays))
        return NULL;
    if (log.room - log.size < size) {
        size_t room = log.room ? log.room : 65536;
        while (room - log.size < size)
            room *= 2;
        char *buffer = realloc(log.buffer, room);
        if (!buffer) {
            log.state = FAILED;
            return NULL;
        }
        log.buffer = buffer;
        log.room = room;
    }
    return log.buffer + log.size;
}

static void not_appended(struct client *k)
{
    if (k && log.fd >= 0 && !k->replays)
        hang_up(k);
}

static void appended(struct client *k, size_t size)
{
    if (log.size == 0)
        (void)!co4_mailbox_send_until(log.work, &(int){ 1 }, CO4_NOW);
    log.size += size;
    log.appended += size;
    if (k)
        k->logged = log.appended;
}

void log_append(struct client *k, const char *bytes, size_t size)
{
    char *to = make_room(k, size);
    if (!to)
        return not_appended(k);
    memcpy(to, bytes, size);
    appended(k, size);
}

void log_append_words(struct client *k, const struct bytes *words, int n)
{
    enum { HEAD = 32 }; /* bytes of "$123\r\n" and the last "\r\n" */
    size_t most = HEAD;
    for (int i = 0; i < n; i++)
        most += words[i].size + HEAD;
    char *to = make_room(k, most), *p = to;
    if (!to)
        return not_appended(k);
    p += sprintf(p, "*%d\r\n", n);
    for (int i = 0; i < n; i++) {
        p += sprintf(p, "$%zu\r\n", words[i].size);
        memcpy(p, words[i].at, words[i].size);
        p += words[i].size;
        *p++ = '\r';
        *p++ = '\n';
    }
    appended(k, (size_t)(p - to));
}

/* What follows in the log relies on it that the key is gone. While the log is read, only it removes
 * keys: a command has to find what it found then. */
bool log_expires(struct bytes key)
{
    if (log.replays)
        return false;
    log_append_words(NULL, (struct bytes[]){ { "DEL", 3 }, key }, 2);
    return true;
}

bool log_confirms(void)
{
    return log.fd >= 0;
}

pausable void log_wait(struct client *k)
{
    if (!log_confirms() || k->logged == 0)
        return;
    if (co4_mutex_lock(&log.lock) != CO4_OK)
        return;
    while (log.safe < k->logged && log.refused < k->logged) {
        int err = co4_cond_wait_until(&log.changed, &log.lock, co4_now() + CO4_SEC);
        if (err == CO4_ETIMEDOUT ? server_is_over() : err != CO4_OK)
            break;
    }
    bool safe = log.safe >= k->logged;
    co4_mutex_unlock(&log.lock);
    if (!safe)
        hang_up(k);
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

/* Returns where the log ends: as long as it is not well, no command is appended. */
static uint64_t set_state(int state)
{
    pthread_mutex_lock(&kv_lock);
    log.state = log.state == LOST ? LOST : state;
    uint64_t end = log.appended;
    pthread_mutex_unlock(&kv_lock);
    return end;
}

/* So many bytes are safe, or no client waits for them any more. */
static pausable void tell(uint64_t *which, uint64_t end)
{
    if (co4_mutex_lock(&log.lock) != CO4_OK)
        return;
    *which = end;
    co4_cond_broadcast(&log.changed);
    co4_mutex_unlock(&log.lock);
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
        tell(&log.refused, set_state(FAILED));
        (void)!co4_ftruncate(log.fd, log.whole);
        done = 0;
        if (co4_sleep(CO4_SEC) != CO4_OK)
            return -1;
    }
    log.whole += (off_t)size;
    log.dirty = true;
    set_state(WELL);
    return 0;
}

static pausable int sync_now(void)
{
    if (!atomic_exchange(&log.dirty, false) || co4_fdatasync(log.fd) == 0)
        return 0;
    fprintf(stderr, "the log: %s: what was written last may be lost; no change is taken\n",
            strerror(errno));
    tell(&log.refused, set_state(LOST));
    return -1;
}

static pausable void sync_each_second(void)
{
    while (co4_sleep(CO4_SEC) == CO4_OK && sync_now() == 0)
        ;
}

static pausable void write_log(void)
{
    int word, err;
    do {
        char *buffer;
        uint64_t end;
        err = co4_mailbox_receive(log.work, &word);
        size_t size = take(&buffer, &end);
        int failed = write_all(buffer, size);
        free(buffer);
        if (failed || (log.sync == LOG_ALWAYS && sync_now() != 0))
            return;
        tell(&log.safe, end);
    } while (err == CO4_OK);
    (void)!sync_now();
}

/* Runs commands up to one that makes no sense, or that is not whole. */
static pausable void run_all(struct client *k)
{
    const char *in;
    ssize_t size;
    while ((size = client_read(k)) > 0) {
        if (co4_conn_peek(k->c, &in, (size_t)size) < size) /* it is there */
            break;
        command_run(k, in, (size_t)size);
        if (k->why[0])
            break;
        co4_conn_skip(k->c, (size_t)size);
        log.whole += size;
    }
}

/* A tail that is no whole command is cut off: the process died while it wrote. Behind any other
 * error there may be commands, so that is for the user to decide. */
static pausable int replay(const char *path)
{
    struct client k = { .replays = true };
    int copy = dup(log.fd), err = 0;
    k.c = copy >= 0 ? co4_conn_create(copy) : NULL;
    if (!k.c) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        if (copy >= 0)
            close(copy);
        return -1;
    }
    log.replays = true;
    run_all(&k);
    log.replays = false;
    co4_conn_destroy(k.c);
    free(k.argv);
    if (k.why[0]) {
        fprintf(stderr,
                "%s: at offset %lld: %s\n"
                "The log is not read. `truncate -s %lld` gives up this command and the rest.\n",
                path, (long long)log.whole, k.why, (long long)log.whole);
        err = -1;
    } else if (co4_ftruncate(log.fd, log.whole) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        err = -1;
    }
    return err;
}

/* A new file has its name on the disk only when its folder is synced. */
static pausable int sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = !slash          ? strdup(".")
                   : slash == path ? strdup("/")
                                   : strndup(path, (size_t)(slash - path));
    int fd = folder ? co4_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) : -1;
    free(folder);
    if (fd < 0)
        return -1;
    int err = co4_fsync(fd);
    co4_close(fd);
    return err;
}

pausable int log_begin(const char *path, enum log_sync sync)
{
    int fd = co4_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd >= 0 && sync_folder(path) != 0) {
        co4_close(fd);
        fd = -1;
    }
    if (fd < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    log.fd = fd;
    log.sync = sync;
    int err = replay(path);
    if (err == 0 && (log.work = co4_mailbox_create(sizeof(int), 1)) != NULL &&
        (log.writer = co4_spawn(write_log())) != NULL &&
        (sync != LOG_EVERY_SECOND || (log.syncer = co4_spawn(sync_each_second())) != NULL))
        return 0;
    if (err == 0)
        fprintf(stderr, "%s: out of memory\n", path);
    log_end();
    return -1;
}

pausable int log_end(void)
{
    if (log.fd < 0)
        return 0;
    if (log.syncer) {
        co4_task_cancel(log.syncer, 0);
        co4_join(log.syncer, NULL);
    }
    if (log.writer) {
        co4_mailbox_close(log.work);
        if (co4_task_join_until(log.writer, co4_now() + PATIENCE) != CO4_OK)
            co4_task_cancel(log.writer, 0);
        co4_join(log.writer, NULL);
    }
    int status = log.state != WELL;
    if (status)
        fprintf(stderr, "the log: the last changes are lost\n");
    co4_mailbox_destroy(log.work);
    co4_close(log.fd);
    free(log.buffer);
    log.fd = -1;
    return status;
}
