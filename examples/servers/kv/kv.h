/* kv.h - a client, its command, and the parts of kv: store.h, log.c, topics.c, commands.c.
 *
 * One lock guards the store, the log's buffer and the topics. It is never held over a pause. */
#ifndef KV_H
#define KV_H

#include <co4.h>
#include <co4/conn.h>
#include <pthread.h>

#include "store.h"

enum { MAX_ARGUMENTS = 1 << 20, MAX_BULK = 64 << 20, MAX_INLINE = 64 << 10, PIECE = 1 << 20 };

struct subscriber;

struct client {
    co4_conn *c;
    struct subscriber *subscriber; /* NULL: the client has never subscribed */
    bool replays;                  /* reads the log: no replies, nothing is logged */
    bool ends;                     /* after QUIT, and when output is lost */
    bool broken;                   /* output is lost: none may follow */
    char why[128];                 /* replays: the first error */
    uint64_t logged;               /* the end of its last command in the log */
    /* The command that is being parsed: offsets into the input, which may move. */
    size_t at;   /* parsed up to here */
    long wanted; /* arguments; -1: not known yet */
    int argc;
    struct bytes *argv; /* while it is incomplete, `at` is an offset */
    size_t room;
    int rest; /* the first argument that its command has not answered; 0: all are */
};

/* protocol.c */
/* Reads the next command. Returns its size; 0 at the end; -1 on an error, which was answered. */
pausable ssize_t client_read(struct client *k);
/* Sends the replies if they are many: a client that reads nothing gets no more of them. */
pausable void client_relieve(struct client *k);
void reply(struct client *k, const char *text);
void reply_raw(struct client *k, const char *bytes, size_t size);
void reply_error(struct client *k, const char *text);
void reply_number(struct client *k, int64_t n);
void reply_bytes(struct client *k, struct bytes b);
void reply_nothing(struct client *k);
void reply_array(struct client *k, size_t n);
bool number_of(struct bytes b, int64_t *n);     /* as in Redis: "01", "+1" and " 1" are none */
bool is_word(struct bytes b, const char *word); /* in any case */

/* commands.c */
/* Runs the command, whose text is `size` bytes at `from`. Called without the lock. */
pausable void command_run(struct client *k, const char *from, size_t size);

/* log.c */
enum log_sync { LOG_NEVER, LOG_EVERY_SECOND, LOG_ALWAYS };
extern pthread_mutex_t kv_lock;
/* Opens the log, and runs its commands. Returns 0; -1 after it has said why. */
pausable int log_begin(const char *path, enum log_sync sync);
/* Writes all that is left. Returns 0; 1 when the disk does not take it. */
pausable int log_end(void);
/* Called under the lock. */
bool log_can(void); /* false: the disk has refused the last write */
void log_append(struct client *k, const char *bytes, size_t size);
/* A command of so many words; NULL: of no client. */
void log_append_words(struct client *k, const struct bytes *words, int n);
bool log_expires(struct bytes key); /* store_begin() */
bool log_confirms(void);            /* replies have to wait for the log */
/* Waits until the client's commands are as safe as the policy says. If the disk refuses them, the
 * connection is shut down: no reply says more than is true. */
pausable void log_wait(struct client *k);

/* topics.c */
pausable void topics_subscribe(struct client *k);
pausable void topics_unsubscribe(struct client *k); /* after the last topic, this task writes */
int64_t topics_publish(struct bytes topic, struct bytes text); /* under the lock */
/* Sends a reply by the task that writes to a subscriber. */
pausable void topics_reply(struct client *k, const char *text);
pausable void topics_leave(struct client *k); /* the client is gone */

#endif
