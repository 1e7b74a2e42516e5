/* topics.c - PUBLISH and SUBSCRIBE.
 *
 * From its first SUBSCRIBE on, a client has a task that writes, with a mailbox: its own replies and
 * the messages of its topics go there. A message is one object for all its subscribers. A
 * subscriber whose mailbox is full, or has too many bytes, is too slow: its connection is ended. */
#define _GNU_SOURCE
#include "kv.h"

#include <co4/io.h>
#include <search.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BACKLOG = 4096, BACKLOG_BYTES = 32 << 20 };

struct message {
    atomic_uint references;
    size_t size;
    char bytes[];
};

struct subscription {
    struct subscription *next_of_topic, **link_of_topic;
    struct subscription *next, **link; /* of the subscriber */
    struct subscriber *of;
    struct topic *topic;
};

struct topic {
    struct bytes name;
    struct subscription *first;
    char text[]; /* of the name */
};

struct subscriber {
    co4_conn *c;
    co4_mailbox *messages; /* struct message *; closed by the writer when output is lost */
    atomic_size_t bytes;   /* of these messages, and of the one that is written */
    co4_task *writer;
    struct subscription *subscriptions;
    void *by_topic; /* the same, a tree of tsearch() */
    size_t count;
};

static void *topics; /* a tree of tsearch(); under the lock */

static int by_name(const void *a, const void *b)
{
    const struct topic *t = a, *u = b;
    if (t->name.size != u->name.size)
        return t->name.size < u->name.size ? -1 : 1;
    return memcmp(t->name.at, u->name.at, t->name.size);
}

static int by_topic(const void *a, const void *b)
{
    const struct subscription *x = a, *y = b;
    return (x->topic > y->topic) - (x->topic < y->topic);
}

static struct topic *find(struct bytes name)
{
    struct topic **t = tfind(&(struct topic){ .name = name }, &topics, by_name);
    return t ? *t : NULL;
}

static struct subscription *find_own(const struct subscriber *s, struct topic *t)
{
    struct subscription **x = tfind(&(struct subscription){ .topic = t }, &s->by_topic, by_topic);
    return x ? *x : NULL;
}

/* ---- messages ---- */

static void message_drop(struct message *m)
{
    if (atomic_fetch_sub(&m->references, 1) == 1)
        free(m);
}

static struct message *message_of(const char *bytes, size_t size)
{
    struct message *m = malloc(sizeof *m + size);
    if (!m)
        return NULL;
    m->references = 1;
    m->size = size;
    memcpy(m->bytes, bytes, size);
    return m;
}

/* Writes what is there, from this message on. */
static pausable bool write_some(struct subscriber *s, struct message *m)
{
    bool all;
    do {
        all = co4_conn_write(s->c, m->bytes, m->size) == (ssize_t)m->size;
        s->bytes -= m->size;
        message_drop(m);
    } while (all && co4_mailbox_receive_until(s->messages, &m, CO4_NOW) == CO4_OK);
    return all && co4_conn_flush(s->c) == 0;
}

/* Returns whether all is written. */
static pausable bool write_messages(struct subscriber *s)
{
    struct message *m;
    while (co4_mailbox_receive(s->messages, &m) == CO4_OK)
        if (!write_some(s, m)) {
            co4_mailbox_close(s->messages);
            co4_shutdown(co4_conn_fd(s->c), SHUT_RD); /* the task that reads sees the end */
            return false;
        }
    return true;
}

static pausable void send_reply(struct client *k, const char *text, size_t size)
{
    struct message *m = message_of(text, size);
    if (m) {
        k->subscriber->bytes += size;
        if (co4_mailbox_send(k->subscriber->messages, &m) == CO4_OK)
            return;
        message_drop(m);
    }
    k->ends = true;
}

pausable void topics_reply(struct client *k, const char *text)
{
    send_reply(k, text, strlen(text));
}

/* False: the subscriber is too slow. */
static bool deliver(struct subscriber *s, struct message *m)
{
    size_t before = atomic_fetch_add(&s->bytes, m->size);
    atomic_fetch_add(&m->references, 1);
    if ((before == 0 || before + m->size <= BACKLOG_BYTES) &&
        co4_mailbox_send_until(s->messages, &m, CO4_NOW) == CO4_OK)
        return true;
    s->bytes -= m->size;
    message_drop(m);
    return false;
}

int64_t topics_publish(struct bytes topic, struct bytes text)
{
    const struct topic *t = find(topic);
    int64_t n = 0;
    char head[64], middle[32];
    if (!t)
        return 0;
    int h = snprintf(head, sizeof head, "*3\r\n$7\r\nmessage\r\n$%zu\r\n", topic.size);
    int d = snprintf(middle, sizeof middle, "\r\n$%zu\r\n", text.size);
    size_t size = (size_t)h + topic.size + (size_t)d + text.size + 2;
    struct message *m = malloc(sizeof *m + size);
    if (!m)
        return 0;
    m->references = 1;
    m->size = size;
    char *p = m->bytes;
    memcpy(p, head, (size_t)h);
    memcpy(p += h, topic.at, topic.size);
    memcpy(p += topic.size, middle, (size_t)d);
    memcpy(p += d, text.at, text.size);
    memcpy(p + text.size, "\r\n", 2);
    for (struct subscription *s = t->first; s; s = s->next_of_topic) {
        if (deliver(s->of, m))
            n++;
        else
            co4_shutdown(co4_conn_fd(s->of->c), SHUT_RDWR);
    }
    message_drop(m);
    return n;
}

/* ---- subscriptions ---- */

static struct topic *make_topic(struct bytes name)
{
    struct topic *t = malloc(sizeof *t + name.size);
    if (!t)
        return NULL;
    *t = (struct topic){ .name = { t->text, name.size } };
    memcpy(t->text, name.at, name.size);
    if (tsearch(t, &topics, by_name))
        return t;
    free(t);
    return NULL;
}

static void drop_unused(struct topic *t)
{
    if (!t || t->first)
        return;
    tdelete(t, &topics, by_name);
    free(t);
}

/* False: allocation failed. */
static bool enter(struct subscriber *s, struct bytes name)
{
    struct topic *t = find(name);
    if (t && find_own(s, t))
        return true;
    struct subscription *x = malloc(sizeof *x);
    if (!t)
        t = make_topic(name);
    if (x && t) {
        *x = (struct subscription){
            t->first, &t->first, s->subscriptions, &s->subscriptions, s, t
        };
        if (tsearch(x, &s->by_topic, by_topic)) {
            if (x->next_of_topic)
                x->next_of_topic->link_of_topic = &x->next_of_topic;
            if (x->next)
                x->next->link = &x->next;
            t->first = s->subscriptions = x;
            s->count++;
            return true;
        }
    }
    free(x);
    drop_unused(t);
    return false;
}

static void leave(struct subscription *x)
{
    struct topic *t = x->topic;
    tdelete(x, &x->of->by_topic, by_topic);
    x->of->count--;
    *x->link = x->next;
    if (x->next)
        x->next->link = x->link;
    *x->link_of_topic = x->next_of_topic;
    if (x->next_of_topic)
        x->next_of_topic->link_of_topic = x->link_of_topic;
    free(x);
    drop_unused(t);
}

static bool begin(struct client *k)
{
    struct subscriber *s = k->subscriber;
    if (s)
        return true;
    s = calloc(1, sizeof *s);
    if (!s)
        return false;
    s->c = k->c;
    s->messages = co4_mailbox_create(sizeof(struct message *), BACKLOG);
    if (s->messages)
        s->writer = co4_spawn(write_messages(s));
    if (!s->writer) {
        co4_mailbox_destroy(s->messages);
        free(s);
        return false;
    }
    k->subscriber = s;
    return true;
}

/* `name` without bytes at all: there was no topic. */
static pausable void confirm(struct client *k, const char *what, struct bytes name)
{
    char *text = malloc(name.size + 128);
    if (!text) {
        k->ends = true;
        return;
    }
    int n = sprintf(text, "*3\r\n$%zu\r\n%s\r\n", strlen(what), what);
    if (name.at) {
        n += sprintf(text + n, "$%zu\r\n", name.size);
        memcpy(text + n, name.at, name.size);
        n += (int)name.size;
        n += sprintf(text + n, "\r\n");
    } else {
        n += sprintf(text + n, "$-1\r\n");
    }
    n += sprintf(text + n, ":%zu\r\n", k->subscriber ? k->subscriber->count : 0);
    if (k->subscriber)
        send_reply(k, text, (size_t)n);
    else
        reply_raw(k, text, (size_t)n);
    free(text);
}

pausable void topics_subscribe(struct client *k)
{
    /* What was answered before leaves first: from here on another task writes. */
    if (!k->subscriber) {
        log_wait(k);
        if (co4_conn_flush(k->c) != 0 || !begin(k)) {
            k->ends = true;
            return;
        }
    }
    for (int i = 1; i < k->argc && !k->ends; i++) {
        pthread_mutex_lock(&kv_lock);
        bool entered = enter(k->subscriber, k->argv[i]);
        pthread_mutex_unlock(&kv_lock);
        if (entered)
            confirm(k, "subscribe", k->argv[i]);
        else
            topics_reply(k, "-ERR out of memory\r\n");
    }
}

static void leave_topic(struct subscriber *s, struct bytes name)
{
    pthread_mutex_lock(&kv_lock);
    struct topic *t = find(name);
    struct subscription *own = t ? find_own(s, t) : NULL;
    if (own)
        leave(own);
    pthread_mutex_unlock(&kv_lock);
}

/* Returns whether there was one. */
static pausable bool leave_any(struct client *k)
{
    struct subscriber *s = k->subscriber;
    if (!s || !s->subscriptions || k->ends)
        return false;
    const struct topic *t = s->subscriptions->topic; /* stays as long as it has a subscriber */
    char *name = malloc(t->name.size + 1);
    struct bytes copy = { name, t->name.size };
    if (!name) {
        k->ends = true;
        return false;
    }
    memcpy(name, t->name.at, t->name.size);
    leave_topic(s, copy);
    confirm(k, "unsubscribe", copy);
    free(name);
    return true;
}

pausable void topics_unsubscribe(struct client *k)
{
    bool any = k->argc > 1;
    for (int i = 1; i < k->argc && !k->ends; i++) {
        if (k->subscriber)
            leave_topic(k->subscriber, k->argv[i]);
        confirm(k, "unsubscribe", k->argv[i]);
    }
    while (k->argc == 1 && leave_any(k))
        any = true;
    if (!any && !k->ends)
        confirm(k, "unsubscribe", (struct bytes){ NULL, 0 });
    if (k->subscriber && k->subscriber->count == 0)
        topics_leave(k);
}

pausable void topics_leave(struct client *k)
{
    struct subscriber *s = k->subscriber;
    struct message *m;
    bool all = false;
    if (!s)
        return;
    pthread_mutex_lock(&kv_lock);
    while (s->subscriptions)
        leave(s->subscriptions);
    pthread_mutex_unlock(&kv_lock);
    co4_mailbox_close(s->messages);
    if (co4_join(s->writer, &all) != CO4_OK || !all)
        k->ends = true;
    while (co4_mailbox_receive_until(s->messages, &m, CO4_NOW) == CO4_OK)
        message_drop(m);
    co4_mailbox_destroy(s->messages);
    free(s);
    k->subscriber = NULL;
}
