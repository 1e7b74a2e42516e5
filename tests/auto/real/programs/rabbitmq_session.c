/* rabbitmq_session.c - a session of many.h with librabbitmq: a consumer that waits for its message,
 * then messages to itself, which are delivered or fetched.
 *
 *     rabbitmq_session PORT COUNT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <amqp.h>
#include <amqp_tcp_socket.h>

#include "many.h"

enum { LARGE = 300000 }; /* bytes: several frames, and more than a socket takes at once */

static int is_good(amqp_connection_state_t c)
{
    return amqp_get_rpc_reply(c).reply_type == AMQP_RESPONSE_NORMAL;
}

static amqp_connection_state_t connected(const char *port)
{
    amqp_connection_state_t c = amqp_new_connection();
    amqp_socket_t *s = amqp_tcp_socket_new(c);
    if (s == NULL || amqp_socket_open(s, "127.0.0.1", atoi(port)) != AMQP_STATUS_OK ||
        amqp_login(c, "/", 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest").reply_type !=
            AMQP_RESPONSE_NORMAL ||
        amqp_channel_open(c, 1) == NULL) {
        fprintf(stderr, "a session is not connected\n");
        amqp_destroy_connection(c);
        return NULL;
    }
    return c;
}

static int closed(amqp_connection_state_t c)
{
    int good = amqp_connection_close(c, AMQP_REPLY_SUCCESS).reply_type == AMQP_RESPONSE_NORMAL;
    return amqp_destroy_connection(c) == AMQP_STATUS_OK && good;
}

static int publish(amqp_connection_state_t c, const char *queue, amqp_bytes_t body)
{
    return amqp_basic_publish(c, 1, amqp_empty_bytes, amqp_cstring_bytes(queue), 0, 0, NULL,
                              body) == AMQP_STATUS_OK;
}

static int is_same(amqp_bytes_t a, amqp_bytes_t b)
{
    return a.len == b.len && memcmp(a.bytes, b.bytes, a.len) == 0;
}

/* Waits for the next delivery. */
static int delivered(amqp_connection_state_t c, amqp_bytes_t expected)
{
    amqp_envelope_t e;
    amqp_maybe_release_buffers(c);
    if (amqp_consume_message(c, &e, NULL, 0).reply_type != AMQP_RESPONSE_NORMAL)
        return 0;
    int good = is_same(e.message.body, expected);
    amqp_destroy_envelope(&e);
    return good;
}

static int fetched(amqp_connection_state_t c, const char *queue, amqp_bytes_t expected)
{
    amqp_message_t m;
    amqp_rpc_reply_t r = amqp_basic_get(c, 1, amqp_cstring_bytes(queue), 1);
    if (r.reply_type != AMQP_RESPONSE_NORMAL || r.reply.id != AMQP_BASIC_GET_OK_METHOD ||
        amqp_read_message(c, 1, &m, 0).reply_type != AMQP_RESPONSE_NORMAL)
        return 0;
    int good = is_same(m.body, expected);
    amqp_destroy_message(&m);
    return good;
}

static int rounds(amqp_connection_state_t c, const char *pushed, const char *other, int i)
{
    int good = 0;
    char text[64], *large = malloc(LARGE);
    for (int k = 0; large != NULL && good == k && k < MANY_ROUNDS; k++) {
        snprintf(text, sizeof text, "%d says %d", i, k);
        amqp_bytes_t body = amqp_cstring_bytes(text);
        if (k == MANY_ROUNDS - 1) {
            memset(large, 'a' + i % 26, LARGE);
            body = (amqp_bytes_t){ .len = LARGE, .bytes = large };
        }
        good += k % 2 == 0 ? publish(c, pushed, body) && delivered(c, body)
                           : publish(c, other, body) && fetched(c, other, body);
    }
    free(large);
    return good;
}

int many_session(const char *port, int i)
{
    int good = -1;
    char pushed[32], other[32];
    amqp_connection_state_t c = connected(port);
    if (c == NULL)
        return -1;
    snprintf(pushed, sizeof pushed, "pushed-%d", i);
    snprintf(other, sizeof other, "other-%d", i);
    amqp_queue_declare(c, 1, amqp_cstring_bytes(pushed), 0, 0, 0, 1, amqp_empty_table);
    if (is_good(c))
        amqp_queue_declare(c, 1, amqp_cstring_bytes(other), 0, 0, 0, 1, amqp_empty_table);
    if (is_good(c))
        amqp_basic_consume(c, 1, amqp_cstring_bytes(pushed), amqp_empty_bytes, 0, 1, 0,
                           amqp_empty_table);
    if (is_good(c)) {
        many_waits();
        if (delivered(c, amqp_cstring_bytes("go on")))
            good = rounds(c, pushed, other, i);
    }
    return closed(c) ? good : -1;
}

int many_release(const char *port, int count)
{
    char queue[32];
    int good = 0;
    amqp_connection_state_t c = connected(port);
    for (int i = 0; c != NULL && i < count; i++) {
        snprintf(queue, sizeof queue, "pushed-%d", i);
        good += publish(c, queue, amqp_cstring_bytes("go on"));
    }
    return c != NULL && closed(c) && good == count;
}
