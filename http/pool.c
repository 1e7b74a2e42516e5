/* pool.c - see client.h: connections that are kept. Nothing here waits. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "client.h"

#include "co4/time.h"

enum { KEPT = 8, KEPT_BY_ALL = 256 };
enum { FIRST_PLACES = 16 };

/* ---- lists ---- */

static void list_init(struct co4__http_link *list)
{
    list->next = list->before = list;
}

static void list_push(struct co4__http_link *list, struct co4__http_link *link)
{
    link->next = list->next;
    link->before = list;
    list->next->before = link;
    list->next = link;
}

static void list_remove(const struct co4__http_link *link)
{
    link->next->before = link->before;
    link->before->next = link->next;
}

#define ENTRY(link, field)                                                                         \
    ((struct co4__http_idle *)(void *)((char *)(link)-offsetof(struct co4__http_idle, field)))

/* ---- servers ---- */

static size_t place_of(const char *name, size_t places)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 29) & (places - 1);
}

/* Without memory it stays as it is, and its chains become longer. */
static void grow(co4_http_client *client)
{
    size_t places = client->places * 2;
    struct co4__http_server_of **table = calloc(places, sizeof *table);
    if (!table)
        return;
    for (size_t i = 0; i < client->places; i++)
        while (client->table[i]) {
            struct co4__http_server_of *s = client->table[i];
            client->table[i] = s->next;
            size_t place = place_of(s->name, places);
            s->next = table[place];
            table[place] = s;
        }
    free(client->table);
    client->table = table;
    client->places = places;
}

static struct co4__http_server_of *make_server(co4_http_client *client, const char *name)
{
    size_t size = strlen(name) + 1;
    struct co4__http_server_of *s = malloc(sizeof *s + size);
    if (!s)
        return NULL;
    if (client->count >= client->places)
        grow(client);
    s->users = s->kept = 0;
    list_init(&s->idle);
    s->places = (co4_sem)CO4_SEM_INIT(client->options.per_server);
    memcpy(s->name, name, size);
    struct co4__http_server_of **place = &client->table[place_of(name, client->places)];
    s->next = *place;
    *place = s;
    client->count++;
    return s;
}

static void drop_if_unused(co4_http_client *client, struct co4__http_server_of *s)
{
    if (s->users > 0 || s->kept > 0)
        return;
    struct co4__http_server_of **link = &client->table[place_of(s->name, client->places)];
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    client->count--;
    co4_sem_destroy(&s->places);
    free(s);
}

struct co4__http_server_of *co4__http_server_of(co4_http_client *client, const char *name)
{
    pthread_mutex_lock(&client->lock);
    struct co4__http_server_of *s = client->table[place_of(name, client->places)];
    while (s && strcmp(s->name, name) != 0)
        s = s->next;
    if (!s)
        s = make_server(client, name);
    if (s)
        s->users++;
    pthread_mutex_unlock(&client->lock);
    return s;
}

void co4__http_server_leave(co4_http_client *client, struct co4__http_server_of *s)
{
    pthread_mutex_lock(&client->lock);
    s->users--;
    drop_if_unused(client, s);
    pthread_mutex_unlock(&client->lock);
}

/* ---- connections ---- */

/* Takes one out of both lists. Returns its connection. The server stays. */
static co4_conn *take_out(co4_http_client *client, struct co4__http_idle *i)
{
    co4_conn *c = i->c;
    list_remove(&i->of_client);
    list_remove(&i->of_server);
    i->server->kept--;
    client->kept--;
    free(i);
    return c;
}

/* Takes out the oldest, if it is too old or one too many. A close may wait for a lock of the
 * connection's, so the caller closes it without this one. */
static co4_conn *take_oldest(co4_http_client *client, size_t most)
{
    co4_conn *c = NULL;
    pthread_mutex_lock(&client->lock);
    if (client->kept > 0) {
        struct co4__http_idle *oldest = ENTRY(client->idle.before, of_client);
        struct co4__http_server_of *s = oldest->server;
        if (client->kept > most || oldest->until <= co4_now()) {
            c = take_out(client, oldest);
            drop_if_unused(client, s);
        }
    }
    pthread_mutex_unlock(&client->lock);
    return c;
}

static void close_oldest(co4_http_client *client, size_t most)
{
    for (co4_conn *c; (c = take_oldest(client, most));)
        co4_conn_destroy(c);
}

co4_conn *co4__http_take(co4_http_client *client, struct co4__http_server_of *s)
{
    co4_conn *c = NULL;
    close_oldest(client, KEPT_BY_ALL);
    pthread_mutex_lock(&client->lock);
    if (s->kept > 0)
        c = take_out(client, ENTRY(s->idle.next, of_server));
    pthread_mutex_unlock(&client->lock);
    return c;
}

bool co4__http_is_quiet(const co4_conn *c)
{
    char byte;
    return recv(co4_conn_fd(c), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

void co4__http_put(co4_http_client *client, struct co4__http_server_of *s, co4_conn *c)
{
    struct co4__http_idle *i = malloc(sizeof *i);
    pthread_mutex_lock(&client->lock);
    if (i && s->kept < (size_t)client->options.kept) {
        *i = (struct co4__http_idle){ .server = s,
                                      .c = c,
                                      .until = co4_after(client->options.kept_for) };
        list_push(&client->idle, &i->of_client);
        list_push(&s->idle, &i->of_server);
        client->kept++;
        s->kept++;
        i = NULL;
        c = NULL;
    }
    pthread_mutex_unlock(&client->lock);
    free(i);
    if (c)
        co4_conn_destroy(c);
    close_oldest(client, KEPT_BY_ALL);
}

/* ---- the client ---- */

int co4_http_client_create(co4_http_client **client, const co4_http_client_options *options)
{
    static const co4_http_client_options none;
    const co4_http_client_options *o = options ? options : &none;
    if (!client)
        return CO4_EINVAL;
    *client = NULL;
    if (o->at_once < 0 || o->per_server < 0 || o->kept_for < 0 || o->limits.progress < 0 ||
        (o->agent && !co4__http_is_value(o->agent)))
        return CO4_EINVAL;
    co4_http_client *made = calloc(1, sizeof *made);
    size_t agent = o->agent ? strlen(o->agent) + 1 : 0;
    char *copy = agent > 0 ? malloc(agent) : NULL;
    if (made)
        made->table = calloc(FIRST_PLACES, sizeof(struct co4__http_server_of *));
    if (!made || !made->table || (agent > 0 && !copy) || pthread_mutex_init(&made->lock, NULL)) {
        if (made)
            free(made->table);
        free(made);
        free(copy);
        return CO4_ENOMEM;
    }
    if (agent > 0)
        memcpy(copy, o->agent, agent);
    made->options = *o;
    made->options.agent = copy;
    co4__http_set_limits(&made->options.limits, &o->limits);
    made->options.limits.body = INT64_MAX;
    made->options.limits.progress = o->limits.progress;
    made->all = (co4_sem)CO4_SEM_INIT(o->at_once);
    made->options.kept = o->kept > 0 ? o->kept : o->kept < 0 ? 0 : KEPT;
    made->options.kept_for = o->kept_for > 0 ? o->kept_for : 60 * CO4_SEC;
    made->options.redirects = o->redirects > 0 ? o->redirects : o->redirects < 0 ? 0 : 10;
    made->places = FIRST_PLACES;
    atomic_init(&made->users, 1);
    list_init(&made->idle);
    *client = made;
    return CO4_OK;
}

void co4__http_client_leave(co4_http_client *client)
{
    if (atomic_fetch_sub_explicit(&client->users, 1, memory_order_acq_rel) > 1)
        return;
    if (client->own_tls)
        co4_tls_config_release(client->options.tls);
    co4_sem_destroy(&client->all);
    pthread_mutex_destroy(&client->lock);
    free((char *)client->options.agent);
    free(client->table);
    free(client);
}

void co4_http_client_destroy(co4_http_client *client)
{
    if (!client)
        return;
    pthread_mutex_lock(&client->lock);
    client->options.kept = 0;
    pthread_mutex_unlock(&client->lock);
    close_oldest(client, 0);
    co4__http_client_leave(client);
}
