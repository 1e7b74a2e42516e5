/* mosquitto_session.c - a session of many.h with libmosquitto: a subscriber that waits for a
 * message to all, then sends messages to itself.
 *
 *     mosquitto_session PORT COUNT
 *
 * Every other one is in mosquitto_loop_forever(), and its callbacks do all else. The others let
 * the library make one more thread (mosquitto_loop_start()), and wait for what that tells them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mosquitto.h>

#include "many.h"

enum { GO = 2, OWN = 1, LARGE = 200000 };

typedef struct session {
    pthread_mutex_t guard;
    pthread_cond_t changed;
    char topic[32];
    int subscribed, released, good, failed, by_callbacks, i;
} session;

static int body_of(const session *s, int k, char body[LARGE])
{
    if (k < MANY_ROUNDS - 1)
        return sprintf(body, "%d says %d", s->i, k);
    memset(body, 'a' + s->i % 26, LARGE);
    return LARGE;
}

static void say(struct mosquitto *m, session *s)
{
    char *body = malloc(LARGE);
    if (body == NULL ||
        mosquitto_publish(m, NULL, s->topic, body_of(s, s->good, body), body, s->good % 3, false))
        s->failed = 1;
    free(body);
}

static void connected(struct mosquitto *m, void *data, int failed)
{
    session *s = data;
    char *topics[] = { "go", s->topic };
    if (failed || mosquitto_subscribe_multiple(m, NULL, 2, topics, 2, 0, NULL))
        fprintf(stderr, "session %d is not connected\n", s->i);
}

static void subscribed(struct mosquitto *m, void *data, int id, int count, const int *qos)
{
    session *s = data;
    (void)m, (void)id, (void)qos;
    if (s->by_callbacks && count == 2)
        many_waits();
    pthread_mutex_lock(&s->guard);
    s->subscribed = count == 2;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->guard);
}

static void heard(struct mosquitto *m, void *data, const struct mosquitto_message *message)
{
    session *s = data;
    char *expected = malloc(LARGE);
    pthread_mutex_lock(&s->guard);
    if (strcmp(message->topic, "go") == 0)
        s->released = 1;
    else if (expected != NULL && message->payloadlen == body_of(s, s->good, expected) &&
             memcmp(message->payload, expected, (size_t)message->payloadlen) == 0)
        s->good++;
    else
        s->failed = 1;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->guard);
    free(expected);
    if (s->by_callbacks && s->good < MANY_ROUNDS && !s->failed)
        say(m, s);
    else if (s->by_callbacks)
        mosquitto_disconnect(m);
}

static void run_beside_thread(struct mosquitto *m, session *s)
{
    if (mosquitto_loop_start(m) != MOSQ_ERR_SUCCESS)
        return;
    pthread_mutex_lock(&s->guard);
    while (!s->subscribed)
        pthread_cond_wait(&s->changed, &s->guard);
    pthread_mutex_unlock(&s->guard);
    many_waits();
    pthread_mutex_lock(&s->guard);
    while (!s->released)
        pthread_cond_wait(&s->changed, &s->guard);
    for (int k = 0; k < MANY_ROUNDS && s->good == k && !s->failed; k++) {
        pthread_mutex_unlock(&s->guard);
        say(m, s);
        pthread_mutex_lock(&s->guard);
        while (s->good == k && !s->failed)
            pthread_cond_wait(&s->changed, &s->guard);
    }
    pthread_mutex_unlock(&s->guard);
    mosquitto_disconnect(m);
    if (mosquitto_loop_stop(m, false) != MOSQ_ERR_SUCCESS)
        s->failed = 1;
}

int many_session(const char *port, int i)
{
    session s = { .guard = PTHREAD_MUTEX_INITIALIZER,
                  .changed = PTHREAD_COND_INITIALIZER,
                  .by_callbacks = i % 2,
                  .i = i };
    struct mosquitto *m = mosquitto_new(NULL, true, &s);
    snprintf(s.topic, sizeof s.topic, "own/%d", i);
    if (m == NULL)
        return -1;
    mosquitto_connect_callback_set(m, connected);
    mosquitto_subscribe_callback_set(m, subscribed);
    mosquitto_message_callback_set(m, heard);
    if (mosquitto_connect(m, "127.0.0.1", atoi(port), 600) != MOSQ_ERR_SUCCESS)
        s.failed = 1;
    else if (!s.by_callbacks)
        run_beside_thread(m, &s);
    else if (mosquitto_loop_forever(m, -1, 1) != MOSQ_ERR_SUCCESS)
        s.failed = 1;
    mosquitto_destroy(m);
    return s.failed ? -1 : s.good;
}

int many_release(const char *port, int count)
{
    struct mosquitto *m = mosquitto_new(NULL, true, NULL);
    (void)count;
    int good = m != NULL && mosquitto_connect(m, "127.0.0.1", atoi(port), 60) == MOSQ_ERR_SUCCESS &&
               mosquitto_loop(m, 10000, 1) == MOSQ_ERR_SUCCESS &&
               mosquitto_publish(m, NULL, "go", 2, "go", 1, false) == MOSQ_ERR_SUCCESS;
    for (int i = 0; good && mosquitto_want_write(m) && i < 100; i++)
        good = mosquitto_loop(m, 100, 1) == MOSQ_ERR_SUCCESS;
    mosquitto_disconnect(m);
    mosquitto_destroy(m);
    return good;
}
