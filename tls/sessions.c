/* sessions.c - the sessions that a client resumes, by host.
 *
 * Invariants: the newest is first. A host has at most PER_HOST, all hosts MOST; then the oldest go.
 * A session of TLS 1.3 is given out once, so that an observer cannot relate connections by it.
 *
 * Concurrency: `lock` guards the list. It is held for a walk over at most MOST entries.
 *
 * Rejected: OpenSSL's own cache, which is by session and knows no host. A hash table: the list is
 * short, and a handshake costs a thousand times a walk. */
#include "tls.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 256, PER_HOST = 4 };

struct co4__tls_session {
    struct co4__tls_session *next;
    SSL_SESSION *session;
    char host[];
};

int co4__tls_sessions_init(struct co4__tls_sessions *s)
{
    s->first = NULL;
    s->count = 0;
    return pthread_mutex_init(&s->lock, NULL);
}

/* Unlinks a session, and frees it. */
static void drop(struct co4__tls_sessions *s, struct co4__tls_session **at)
{
    struct co4__tls_session *old = *at;
    *at = old->next;
    s->count--;
    SSL_SESSION_free(old->session);
    free(old);
}

void co4__tls_sessions_fini(struct co4__tls_sessions *s)
{
    while (s->first)
        drop(s, &s->first);
    pthread_mutex_destroy(&s->lock);
}

bool co4__tls_sessions_put(struct co4__tls_sessions *s, const char *host, SSL_SESSION *session)
{
    size_t bytes = strlen(host) + 1;
    struct co4__tls_session *new = malloc(sizeof *new + bytes);
    if (!new)
        return false;
    new->session = session;
    memcpy(new->host, host, bytes);
    pthread_mutex_lock(&s->lock);
    new->next = s->first;
    s->first = new;
    s->count++;
    int of_host = 1;
    for (struct co4__tls_session **at = &new->next; *at;) {
        bool same = strcmp((*at)->host, host) == 0;
        of_host += same;
        if ((same && of_host > PER_HOST) || (!(*at)->next && s->count > MOST))
            drop(s, at);
        else
            at = &(*at)->next;
    }
    pthread_mutex_unlock(&s->lock);
    return true;
}

static bool is_usable(const SSL_SESSION *session)
{
    long age = (long)time(NULL) - SSL_SESSION_get_time(session);
    return SSL_SESSION_is_resumable(session) && age >= 0 && age < SSL_SESSION_get_timeout(session);
}

SSL_SESSION *co4__tls_sessions_take(struct co4__tls_sessions *s, const char *host)
{
    SSL_SESSION *found = NULL;
    pthread_mutex_lock(&s->lock);
    for (struct co4__tls_session **at = &s->first; *at && !found;) {
        SSL_SESSION *session = (*at)->session;
        bool same = strcmp((*at)->host, host) == 0;
        if (same && is_usable(session) && SSL_SESSION_up_ref(session))
            found = session;
        if (same && (!found || SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION))
            drop(s, at);
        else
            at = &(*at)->next;
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}
