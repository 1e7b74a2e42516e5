/* memcached.c - memcached, its workers and maintenance, and clients, as threads of one process: for
 * each key there is one order of all calls in which each answer is the right one, and which keeps
 * the order of calls that follow each other.
 *
 *     memcached OPTION...     of memcached
 *
 * memcached's own main() is memcached_main(), by -Dmain=memcached_main. */
#include "proof.h"

#define PORT    11211
#define CLIENTS 3
#define CALLS   8 /* of a client */
#define KEYS    2

int memcached_main(int count, char **arguments);

enum kind { SET, ADD, DELETE, GET, INCR, CAS, KINDS };

/* What was asked, and what was answered. */
struct call {
    enum kind kind;
    int key, begun, ended; /* in the order of all beginnings and ends */
    long value, answer;    /* answer: 0: no, or none there; else yes, or the value */
    long long token;       /* of gets and cas */
};

static struct call calls[CLIENTS][CALLS];
static _Atomic int moments;
static struct {
    int count;
    char **arguments;
} command;

/* ---- an order of the calls of a key ---- */

struct state {
    long value;      /* 0: none is there */
    long long token; /* 0: no reader has seen it since it was written */
};

/* Whether the answer is right in the state, which it changes. */
static int is_right(const struct call *call, struct state *state)
{
    int writes = 0;
    switch (call->kind) {
    case GET:
        if (call->answer != state->value || (state->token && call->token != state->token))
            return 0;
        state->token = state->value ? call->token : 0;
        return 1;
    case SET:
        writes = 1;
        break;
    case ADD:
        writes = state->value == 0;
        break;
    case CAS:
        writes = state->value != 0 && call->token != 0 && call->token == state->token;
        break;
    case DELETE:
        if (call->answer != (state->value != 0))
            return 0;
        *state = (struct state){ 0 };
        return 1;
    default:
        if (call->answer != (state->value ? state->value + call->value : 0))
            return 0;
        *state = (struct state){ .value = call->answer };
        return 1;
    }
    if (writes)
        *state = (struct state){ .value = call->value };
    return call->answer == writes;
}

/* Whether the calls of the key from at[] on have an order; at: of each client, the next one. */
static int has_order(const int at[CLIENTS], int key, struct state state)
{
    const struct call *next[CLIENTS];
    int first_end = INT32_MAX, is_done = 1, found = 0, now[CLIENTS];
    memcpy(now, at, sizeof now);
    for (int i = 0; i < CLIENTS; i++) {
        while (now[i] < CALLS && calls[i][now[i]].key != key)
            now[i]++;
        next[i] = now[i] < CALLS ? &calls[i][now[i]] : NULL;
        is_done = is_done && !next[i];
        if (next[i] && next[i]->ended < first_end)
            first_end = next[i]->ended;
    }
    for (int i = 0; i < CLIENTS && !found; i++) {
        struct state after = state;
        if (next[i] && next[i]->begun < first_end && is_right(next[i], &after)) {
            now[i]++;
            found = has_order(now, key, after);
            now[i]--;
        }
    }
    return is_done || found;
}

static void show(int key)
{
    static const char *const names[] = { "set", "add", "delete", "get", "incr", "cas" };
    for (int i = 0; i < CLIENTS; i++)
        for (int k = 0; k < CALLS; k++)
            if (calls[i][k].key == key)
                printf("client %d, from %d to %d: %s %ld, token %lld: %ld\n", i, calls[i][k].begun,
                       calls[i][k].ended, names[calls[i][k].kind], calls[i][k].value,
                       calls[i][k].token, calls[i][k].answer);
}

/* ---- the clients ---- */

static void ask(FILE *in, FILE *out, struct call *call)
{
    char text[100], line[200];
    int bytes = snprintf(text, sizeof text, "%ld", call->value);
    switch (call->kind) {
    case SET:
    case ADD:
        fprintf(out, "%s k%d 0 0 %d\r\n%s\r\n", call->kind == SET ? "set" : "add", call->key, bytes,
                text);
        break;
    case CAS:
        fprintf(out, "cas k%d 0 0 %d %lld\r\n%s\r\n", call->key, bytes, call->token, text);
        break;
    case DELETE:
        fprintf(out, "delete k%d\r\n", call->key);
        break;
    case GET:
        fprintf(out, "gets k%d\r\n", call->key);
        break;
    default:
        fprintf(out, "incr k%d %ld\r\n", call->key, call->value);
    }
    call->begun = ++moments;
    must(fflush(out) == 0 && fgets(line, sizeof line, in), "no answer", strerror(errno));
    if (call->kind == GET && strncmp(line, "VALUE ", 6) == 0) {
        must(sscanf(line, "VALUE %*s 0 %d %lld", &bytes, &call->token) == 2 &&
                 fgets(text, sizeof text, in) && fgets(line, sizeof line, in) &&
                 (int)strspn(text, "0123456789") == bytes,
             "another answer", line);
        call->answer = atol(text);
        must(strcmp(line, "END\r\n") == 0, "another end", line);
    } else if (call->kind == INCR && line[0] >= '0' && line[0] <= '9') {
        call->answer = atol(line);
    } else {
        call->answer = strcmp(line, "STORED\r\n") == 0 || strcmp(line, "DELETED\r\n") == 0;
        must(call->answer || strcmp(line, "NOT_STORED\r\n") == 0 || strcmp(line, "END\r\n") == 0 ||
                 strcmp(line, "NOT_FOUND\r\n") == 0 || strcmp(line, "EXISTS\r\n") == 0,
             "another answer", line);
    }
    call->ended = ++moments;
}

static void *be_client(void *data)
{
    int client = *(int *)data;
    long long seen[KEYS] = { 0 };
    FILE *in = NULL, *out = NULL;
    for (int i = 0; !reach("127.0.0.1", PORT, 60, &in, &out); i++) {
        must(i < 1000, "the server does not answer", NULL);
        usleep(10000);
    }
    for (int i = 0; i < CALLS; i++) {
        struct call *call = &calls[client][i];
        call->kind = (enum kind)chance(KINDS);
        call->key = (int)chance(KEYS);
        call->value = call->kind == INCR ? 1000 : 100000 + client * 100 + i;
        call->token = call->kind == CAS ? seen[call->key] : 0;
        ask(in, out, call);
        if (call->kind == GET && call->token)
            seen[call->key] = call->token;
    }
    fclose(in);
    fclose(out);
    return NULL;
}

static void *be_server(void *data)
{
    memcached_main(command.count, command.arguments);
    return data;
}

int main(int count, char **arguments)
{
    pthread_t clients[CLIENTS];
    int numbers[CLIENTS], from[CLIENTS] = { 0 };
    command.count = count;
    command.arguments = arguments;
    start(NULL, be_server, NULL);
    for (int i = 0; i < CLIENTS; i++) {
        numbers[i] = i;
        start(&clients[i], be_client, &numbers[i]);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    for (int key = 0; key < KEYS; key++) {
        if (!has_order(from, key, (struct state){ 0 })) {
            show(key);
            must(0, "the answers have no order", NULL);
        }
    }
    fflush(stdout);
    _exit(0);
}
