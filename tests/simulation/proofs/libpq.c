/* libpq.c - connections and queries of libpq to a server that breaks: each result is whole and
 * right, or an error that the server made; none comes too late, none is not heard of.
 *
 *     libpq [single]     a pipeline follows queries by single rows, too
 *
 * The server speaks the protocol of PostgreSQL, version 3. It listens at two ports, as two hosts of
 * the clients' connection string, and has a thread for each connection. It answers "rows N S": N
 * rows whose values follow from S, by the simple protocol, the extended one, single rows, in a
 * pipeline, or by COPY in both directions. The seed chooses where it stops, and how; it notes
 * before whether it is going to: else no error may come. It also refuses connections for a while.
 * Two threads are clients. */
#include <poll.h>

#include "libpq-fe.h"
#include "proof.h"

#define PORT    7000
#define CLIENTS 2
#define ROUNDS  3
#define QUERIES 4
#define COLUMNS 3
#define TIMEOUT 2  /* connect_timeout, of each host */
#define LIMIT   60 /* of a query */
#define SILENCE 90
#define LONGEST 3000

/* A client's attempts to connect, whose number is its application_name, may reach both hosts. */
static _Atomic int is_broken_attempt[CLIENTS * ROUNDS];
static struct connection {
    _Atomic int attempt, is_broken;
} served[2 * CLIENTS * ROUNDS + 1];
static _Atomic int outages, listening, connections;
static int is_single;

static const char *const fixed[] = { NULL, "", "\\N\t\n", "null" };

/* Returns the length, or -1 for NULL. */
static int value_of(int row, int column, int salt, char value[LONGEST])
{
    unsigned hash = ((unsigned)(row * COLUMNS + column) * 2654435761u ^ (unsigned)salt * 40503u);
    unsigned which = hash % 16;
    int bytes = which == 4 ? LONGEST - 1 : (int)(hash / 16 % 40);
    if (which < 4)
        return fixed[which] ? sprintf(value, "%s", fixed[which]) : -1;
    for (int i = 0; i < bytes; i++)
        value[i] = (char)('a' + (hash + (unsigned)i) % 26);
    value[bytes] = '\0';
    return bytes;
}

/* ---- messages of the server ---- */

struct text {
    char *bytes;
    size_t count, room, message;
};

static void put(struct text *t, const void *bytes, size_t count)
{
    if (t->count + count > t->room) {
        t->room = 2 * t->room + count + 100;
        t->bytes = realloc(t->bytes, t->room);
        must(t->bytes != NULL, "realloc", NULL);
    }
    memcpy(t->bytes + t->count, bytes, count);
    t->count += count;
}

static void put_number(struct text *t, size_t bytes, int64_t n)
{
    uint32_t big = htonl((uint32_t)n);
    put(t, (char *)&big + sizeof big - bytes, bytes);
}

static void put_string(struct text *t, const char *s)
{
    put(t, s, strlen(s) + 1);
}

static void begin(struct text *t, char type)
{
    put(t, &type, 1);
    t->message = t->count;
    put_number(t, 4, 0);
}

static void finish(struct text *t)
{
    uint32_t big = htonl((uint32_t)(t->count - t->message));
    memcpy(t->bytes + t->message, &big, 4);
}

/* A message of one number, or of one string; or of nothing. */
static void number_message(struct text *t, char type, size_t bytes, int64_t n)
{
    begin(t, type);
    put_number(t, bytes, n);
    finish(t);
}

static void string_message(struct text *t, char type, const char *a, const char *b)
{
    begin(t, type);
    if (a)
        put_string(t, a);
    if (b)
        put_string(t, b);
    finish(t);
}

static void error_message(struct text *t, char type, const char *code, int salt)
{
    char message[40];
    begin(t, type);
    put_string(t, type == 'E' ? "SERROR" : "SNOTICE");
    put_string(t, type == 'E' ? "VERROR" : "VNOTICE");
    put(t, "C", 1);
    put_string(t, code);
    snprintf(message, sizeof message, "Mfault %d", salt);
    put_string(t, message);
    put_number(t, 1, 0);
    finish(t);
}

/* What may come between other messages. */
static void aside(struct text *t)
{
    switch (chance(12)) {
    case 0:
        error_message(t, 'N', "00000", 0);
        break;
    case 1:
        string_message(t, 'S', "TimeZone", chance(2) ? "UTC" : "Europe/Paris");
        break;
    case 2:
        begin(t, 'A');
        put_number(t, 4, 1);
        put_string(t, "channel");
        put_string(t, "payload");
        finish(t);
    }
}

/* ---- the server ---- */

struct peer {
    int fd, attempt, number;
    int is_extended, rows, salt, fails, copies; /* of the query */
    char query[200];
};

/* Sends all of it, or a part and then no more: returns 0. */
static int deliver(struct peer *p, struct text *t)
{
    int breaks = chance(12) == 0, is_sent;
    if (breaks)
        is_broken_attempt[p->attempt] = served[p->number].is_broken = 1;
    is_sent = send_slowly(p->fd, t->bytes, breaks ? chance((unsigned)t->count + 1) : t->count);
    if (breaks && is_sent)
        end_badly(p->fd, SILENCE);
    free(t->bytes);
    *t = (struct text){ 0 };
    return !breaks && is_sent;
}

static int receive(int fd, void *to, size_t count)
{
    for (size_t at = 0; at < count;) {
        ssize_t n = recv(fd, (char *)to + at, count - at, 0);
        if (n <= 0)
            return 0;
        at += (size_t)n;
    }
    return 1;
}

/* A message, without its type: returns its text, which has a 0 behind it, or NULL. */
static char *receive_message(int fd, size_t *count)
{
    uint32_t big;
    if (!receive(fd, &big, sizeof big))
        return NULL;
    *count = ntohl(big) - sizeof big;
    must(*count < 1000000, "a message of the client is too long", NULL);
    char *bytes = calloc(1, *count + 1);
    must(bytes != NULL, "calloc", NULL);
    if (receive(fd, bytes, *count))
        return bytes;
    free(bytes);
    return NULL;
}

static const char *parameter(const char *at, const char *end, const char *name)
{
    for (; at < end && *at; at += strlen(at) + 1) {
        int is_it = strcmp(at, name) == 0;
        at += strlen(at) + 1;
        if (is_it)
            return at;
    }
    must(0, "the client sends no", name);
    return NULL;
}

static int ask_password(struct peer *p, struct text *t)
{
    size_t count;
    char type, *password;
    number_message(t, 'R', 4, 3);
    if (!deliver(p, t) || !receive(p->fd, &type, 1) ||
        (password = receive_message(p->fd, &count)) == NULL)
        return 0;
    must(type == 'p' && strcmp(password, "secret") == 0, "another password", password);
    free(password);
    return 1;
}

/* Returns 0: the connection ends. */
static int welcome(struct peer *p)
{
    struct text t = { 0 };
    size_t count;
    char *asked = receive_message(p->fd, &count);
    if (!asked)
        return 0;
    must(memcmp(asked, "\0\3\0\0", 4) == 0, "another protocol", NULL);
    p->attempt = atoi(parameter(asked + 4, asked + count, "application_name"));
    must(strcmp(parameter(asked + 4, asked + count, "user"), "u") == 0, "another user", NULL);
    free(asked);
    p->number = ++connections;
    served[p->number].attempt = p->attempt;
    if (chance(4) == 0 && !ask_password(p, &t))
        return 0;
    if (chance(12) == 0) {
        is_broken_attempt[p->attempt] = 1;
        error_message(&t, 'E', chance(2) ? "57P03" : "28000", 0);
        deliver(p, &t);
        return 0;
    }
    number_message(&t, 'R', 4, 0);
    string_message(&t, 'S', "server_version", "15.18");
    string_message(&t, 'S', "client_encoding", "UTF8");
    begin(&t, 'K');
    put_number(&t, 4, p->number);
    put_number(&t, 4, 7 * p->number);
    finish(&t);
    number_message(&t, 'Z', 1, 'I');
    return deliver(p, &t);
}

static void describe(struct text *t)
{
    begin(t, 'T');
    put_number(t, 2, COLUMNS);
    for (int i = 0; i < COLUMNS; i++) {
        char name[] = { 'c', (char)('0' + i), '\0' };
        put_string(t, name);
        put_number(t, 4, 0);
        put_number(t, 2, 0);
        put_number(t, 4, 25);
        put_number(t, 2, -1);
        put_number(t, 4, -1);
        put_number(t, 2, 0);
    }
    finish(t);
}

static void put_rows(struct peer *p, struct text *t)
{
    char value[LONGEST], line[LONGEST + 20];
    int rows = p->fails ? p->rows / 2 : p->rows;
    for (int i = 0; i < rows; i++) {
        aside(t);
        begin(t, p->copies ? 'd' : 'D');
        put_number(t, 2, p->copies ? 0 : COLUMNS);
        if (p->copies)
            t->count -= 2;
        for (int k = 0; k < COLUMNS; k++) {
            int bytes = value_of(i, k, p->salt, value);
            if (p->copies) {
                put(t, line,
                    (size_t)snprintf(line, sizeof line, "%d:%s;", bytes, bytes < 0 ? "" : value));
                continue;
            }
            put_number(t, 4, bytes);
            put(t, value, bytes < 0 ? 0 : (size_t)bytes);
        }
        finish(t);
    }
}

/* One statement of the query. */
static void answer(struct peer *p, struct text *t)
{
    char tag[40];
    if (p->copies)
        begin(t, 'H');
    else
        describe(t);
    if (p->copies) {
        put_number(t, 1, 0);
        put_number(t, 2, 0);
        finish(t);
    }
    put_rows(p, t);
    if (p->fails) {
        error_message(t, 'E', "22012", p->salt);
        return;
    }
    if (p->copies)
        string_message(t, 'c', NULL, NULL);
    snprintf(tag, sizeof tag, "%s %d", p->copies ? "COPY" : "SELECT", p->rows);
    string_message(t, 'C', tag, NULL);
}

static void parse(struct peer *p, const char *query)
{
    char word[20];
    must(sscanf(query, "%19s %d %d", word, &p->rows, &p->salt) == 3, "another query", query);
    p->fails = strcmp(word, "fail") == 0;
    p->copies = strcmp(word, "copy") == 0;
    must(p->fails || p->copies || strcmp(word, "rows") == 0, "another query", query);
}

/* COPY FROM STDIN: the text that comes has to be that of the salt. */
static int take_copy(struct peer *p, const char *query)
{
    struct text t = { 0 }, got = { 0 };
    char type = 0, value[LONGEST], tag[40];
    size_t count, at = 0;
    must(sscanf(query, "take %d %d", &p->rows, &p->salt) == 2, "another query", query);
    begin(&t, 'G');
    put_number(&t, 1, 0);
    put_number(&t, 2, 0);
    finish(&t);
    int ok = deliver(p, &t);
    while (ok && type != 'c') {
        char *part = receive(p->fd, &type, 1) ? receive_message(p->fd, &count) : NULL;
        ok = part != NULL;
        if (ok)
            put(&got, part, count);
        must(!ok || type == 'd' || type == 'c', "another message while it copies", NULL);
        free(part);
    }
    for (int i = 0; ok && i < p->rows; i++) {
        int bytes = value_of(i, 0, p->salt, value);
        must(bytes <= 0 || (at + (size_t)bytes <= got.count &&
                            memcmp(got.bytes + at, value, (size_t)bytes) == 0),
             "other bytes were copied", value);
        at += bytes > 0 ? (size_t)bytes : 0;
    }
    must(!ok || at == got.count, "more bytes were copied", NULL);
    free(got.bytes);
    snprintf(tag, sizeof tag, "COPY %d", p->rows);
    string_message(&t, 'C', tag, NULL);
    number_message(&t, 'Z', 1, 'I');
    if (ok)
        ok = deliver(p, &t);
    free(t.bytes);
    return ok;
}

static int answer_simple(struct peer *p, char *query)
{
    struct text t = { 0 };
    if (strncmp(query, "take", 4) == 0)
        return take_copy(p, query);
    for (char *rest = query, *one; (one = strsep(&rest, ";")) != NULL;) {
        parse(p, one);
        answer(p, &t);
        if (p->fails)
            break;
    }
    aside(&t);
    number_message(&t, 'Z', 1, 'I');
    return deliver(p, &t);
}

/* The extended protocol: the parameter of Bind is the salt. After an error all is left out until
 * Sync. */
static void extended(struct peer *p, struct text *t, char type, const char *body)
{
    if (p->is_extended < 0)
        return;
    switch (type) {
    case 'P':
        snprintf(p->query, sizeof p->query, "%s", body + strlen(body) + 1);
        string_message(t, '1', NULL, NULL);
        break;
    case 'B': {
        uint32_t big;
        char salt[20], query[220];
        const char *at = body + 2 + 2 + 2; /* no names, no formats, one parameter */
        memcpy(&big, at, 4);
        snprintf(salt, sizeof salt, "%.*s", (int)ntohl(big), at + 4);
        snprintf(query, sizeof query, "%s %s", p->query, salt);
        parse(p, query);
        string_message(t, '2', NULL, NULL);
        break;
    }
    case 'D':
        describe(t);
        break;
    case 'E': {
        struct text whole = { 0 };
        answer(p, &whole);
        size_t described = 0;
        uint32_t big;
        memcpy(&big, whole.bytes + 1, 4); /* without the description, which it had */
        described = 1 + ntohl(big);
        put(t, whole.bytes + described, whole.count - described);
        free(whole.bytes);
        p->is_extended = p->fails ? -1 : 1;
        break;
    }
    default:
        must(0, "another message of the client", (char[]){ type, '\0' });
    }
}

static void *serve(void *data)
{
    struct peer p = *(struct peer *)data;
    struct text t = { 0 };
    size_t count;
    char type, *body;
    free(data);
    int is_open = welcome(&p);
    while (is_open && receive(p.fd, &type, 1) && type != 'X' &&
           (body = receive_message(p.fd, &count)) != NULL) {
        if (type == 'Q') {
            is_open = answer_simple(&p, body);
        } else if (type == 'S') {
            number_message(&t, 'Z', 1, 'I');
            p.is_extended = 0;
            is_open = deliver(&p, &t);
        } else {
            extended(&p, &t, type, body);
        }
        free(body);
    }
    free(t.bytes);
    close(p.fd);
    return NULL;
}

/* Of a port. At times it ends, and begins again. */
static void *accept_all(void *data)
{
    int fd = listen_at(*(int *)data);
    listening++;
    for (;;) {
        if (chance(8) == 0) {
            listening--;
            outages++;
            close(fd);
            usleep(chance(3000000));
            fd = listen_at(*(int *)data);
            listening++;
        }
        struct pollfd wait = { .fd = fd, .events = POLLIN };
        if (poll(&wait, 1, 20000) <= 0)
            continue;
        struct peer *p = calloc(1, sizeof *p);
        must(p && (p->fd = accept(fd, NULL, NULL)) >= 0, "accept", NULL);
        start(NULL, serve, p);
    }
    return NULL;
}

/* ---- the clients ---- */

struct client {
    PGconn *c;
    int number; /* the server's, of the connection */
};

static int is_broken(const struct client *client)
{
    return served[client->number].is_broken;
}

/* An error that the server did not make, or one without a text. */
static void may_fail(const struct client *client, const char *message)
{
    must(is_broken(client), "an error, and the server sends all", message);
    must(message[0] != '\0', "an error that says nothing", NULL);
}

static void compare(const PGresult *r, int from, int rows, int salt)
{
    char value[LONGEST];
    must(PQntuples(r) == rows && PQnfields(r) == COLUMNS, "another number of rows", PQcmdStatus(r));
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < COLUMNS; k++) {
            int bytes = value_of(from + i, k, salt, value);
            must(PQgetisnull(r, i, k) == (bytes < 0), "null", NULL);
            must(bytes < 0 || (PQgetlength(r, i, k) == bytes &&
                               memcmp(PQgetvalue(r, i, k), value, (size_t)bytes + 1) == 0),
                 "another value", PQgetvalue(r, i, k));
        }
    }
}

/* Of a query that has to fail with `fail`. Returns whether it has. */
static int is_its_error(const PGresult *r, int salt)
{
    const char *code = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *message = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    char wanted[40];
    snprintf(wanted, sizeof wanted, "fault %d", salt);
    return code && message && strcmp(code, "22012") == 0 && strcmp(message, wanted) == 0;
}

static void judge(const struct client *client, PGresult *r, int rows, int salt, int fails)
{
    if (r && PQresultStatus(r) == PGRES_TUPLES_OK && !fails)
        compare(r, 0, rows, salt);
    else if (r && PQresultStatus(r) != PGRES_FATAL_ERROR)
        must(0, "another result", PQresStatus(PQresultStatus(r)));
    else if (!r || !fails || !is_its_error(r, salt))
        may_fail(client, r ? PQresultErrorMessage(r) : PQerrorMessage(client->c));
    must(!r || PQresultStatus(r) != PGRES_TUPLES_OK || !fails, "no error", NULL);
    PQclear(r);
}

/* As PQgetResult(), but with a limit of time; *late: it has passed. */
static PGresult *next_result(struct client *client, int *late)
{
    int64_t begun = milliseconds();
    while (PQisBusy(client->c)) {
        struct pollfd wait = { .fd = PQsocket(client->c), .events = POLLIN };
        int64_t left = begun + LIMIT * 1000 - milliseconds();
        if (left <= 0 || poll(&wait, 1, (int)left) == 0) {
            must(is_broken(client), "an answer comes too late", NULL);
            *late = 1;
            return NULL;
        }
        if (!PQconsumeInput(client->c))
            break;
    }
    return PQgetResult(client->c);
}

static void query_blocking(struct client *client, int rows, int salt, int fails)
{
    char query[100];
    snprintf(query, sizeof query, "%s %d %d", fails ? "fail" : "rows", rows, salt);
    judge(client, PQexec(client->c, query), rows, salt, fails);
}

static void query_extended(struct client *client, int rows, int salt, int fails)
{
    char query[100], parameter[20];
    const char *parameters[] = { parameter };
    snprintf(query, sizeof query, "%s %d", fails ? "fail" : "rows", rows);
    snprintf(parameter, sizeof parameter, "%d", salt);
    judge(client, PQexecParams(client->c, query, 1, NULL, parameters, NULL, NULL, 0), rows, salt,
          fails);
}

/* Two statements, with a limit of time. */
static void query_both(struct client *client, int rows, int salt, int fails)
{
    char query[100];
    PGresult *r;
    int count = 0, late = 0;
    snprintf(query, sizeof query, "rows %d %d;%s %d %d", rows, salt, fails ? "fail" : "rows",
             rows + 1, salt + 1);
    if (!PQsendQuery(client->c, query)) {
        may_fail(client, PQerrorMessage(client->c));
        return;
    }
    while ((r = next_result(client, &late)) != NULL) {
        int is_second = count++ > 0;
        judge(client, r, rows + is_second, salt + is_second, is_second && fails);
    }
    must(count == 2 || is_broken(client), "not two results", NULL);
    if (late) {
        PQfinish(client->c);
        client->c = NULL;
    }
}

static void query_by_row(struct client *client, int rows, int salt, int fails)
{
    char query[100];
    PGresult *r;
    int count = 0, ends = 0;
    snprintf(query, sizeof query, "%s %d %d", fails ? "fail" : "rows", rows, salt);
    if (!PQsendQuery(client->c, query) || !PQsetSingleRowMode(client->c)) {
        may_fail(client, PQerrorMessage(client->c));
        return;
    }
    while ((r = PQgetResult(client->c)) != NULL) {
        if (PQresultStatus(r) == PGRES_SINGLE_TUPLE) {
            compare(r, count++, 1, salt);
            PQclear(r);
            continue;
        }
        ends++;
        must(PQresultStatus(r) != PGRES_TUPLES_OK || count == rows, "another number of rows", NULL);
        judge(client, r, 0, salt, fails);
    }
    must(ends >= 1 && count <= rows, "no result at the end", NULL);
}

static void query_pipeline(struct client *client, int rows, int salt, int fails)
{
    char query[100], parameter[20];
    const char *parameters[] = { parameter };
    if (!is_single) /* a query that is not one row at a time: else the first of the pipeline is */
        query_blocking(client, 0, salt, 0);
    int is_sent = PQenterPipelineMode(client->c);
    for (int i = 0; is_sent && i < 2; i++) {
        snprintf(query, sizeof query, "%s %d", fails && i == 1 ? "fail" : "rows", rows + i);
        snprintf(parameter, sizeof parameter, "%d", salt + i);
        is_sent = PQsendQueryParams(client->c, query, 1, NULL, parameters, NULL, NULL, 0) &&
                  PQpipelineSync(client->c);
    }
    for (int i = 0; is_sent && i < 4 && PQstatus(client->c) == CONNECTION_OK; i++) {
        PGresult *r = PQgetResult(client->c);
        if (i % 2 == 0) {
            judge(client, r, rows + i / 2, salt + i / 2, fails && i == 2);
            r = PQstatus(client->c) == CONNECTION_OK ? PQgetResult(client->c) : NULL;
            must(r == NULL, "a second result", r ? PQresStatus(PQresultStatus(r)) : NULL);
        } else if (!r || PQresultStatus(r) != PGRES_PIPELINE_SYNC) {
            may_fail(client, PQerrorMessage(client->c));
        }
        if (i % 2 == 1)
            PQclear(r);
    }
    if (!is_sent || !PQexitPipelineMode(client->c))
        may_fail(client, PQerrorMessage(client->c));
}

static void copy_out(struct client *client, int rows, int salt, int fails)
{
    char query[100], line[LONGEST + 20], value[LONGEST], *part;
    int count = 0, bytes;
    (void)fails;
    snprintf(query, sizeof query, "copy %d %d", rows, salt);
    PGresult *r = PQexec(client->c, query);
    if (PQresultStatus(r) != PGRES_COPY_OUT) {
        may_fail(client, PQresultErrorMessage(r));
        PQclear(r);
        return;
    }
    PQclear(r);
    for (; (bytes = PQgetCopyData(client->c, &part, 0)) > 0; count++) {
        int at = 0;
        for (int k = 0; k < COLUMNS; k++) {
            int length = value_of(count, k, salt, value);
            int wanted = snprintf(line, sizeof line, "%d:%s;", length, length < 0 ? "" : value);
            must(bytes >= at + wanted && memcmp(part + at, line, (size_t)wanted) == 0,
                 "another row", part);
            at += wanted;
        }
        must(at == bytes, "a longer row", part);
        PQfreemem(part);
    }
    must(count <= rows, "more rows", NULL);
    r = PQgetResult(client->c);
    if (bytes != -1 || !r || PQresultStatus(r) != PGRES_COMMAND_OK)
        may_fail(client, PQerrorMessage(client->c));
    else
        must(count == rows && atoi(PQcmdTuples(r)) == rows, "another number of rows", NULL);
    for (; r; r = PQgetResult(client->c))
        PQclear(r);
}

static void copy_in(struct client *client, int rows, int salt, int fails)
{
    char query[100], value[LONGEST];
    (void)fails;
    snprintf(query, sizeof query, "take %d %d", rows, salt);
    PGresult *r = PQexec(client->c, query);
    int ok = PQresultStatus(r) == PGRES_COPY_IN;
    PQclear(r);
    for (int i = 0; ok && i < rows; i++) {
        int bytes = value_of(i, 0, salt, value);
        ok = bytes <= 0 || PQputCopyData(client->c, value, bytes) == 1;
    }
    ok = ok && PQputCopyEnd(client->c, NULL) == 1;
    if (!ok)
        may_fail(client, PQerrorMessage(client->c));
    while ((r = PQgetResult(client->c)) != NULL && PQresultStatus(r) != PGRES_COPY_IN) {
        if (PQresultStatus(r) != PGRES_COMMAND_OK)
            may_fail(client, PQresultErrorMessage(r));
        PQclear(r);
    }
    PQclear(r);
}

static void be_quiet(void *data, const PGresult *r)
{
    must(PQresultStatus(r) == PGRES_NONFATAL_ERROR, "a notice", data);
}

/* Returns whether it has. */
static int connect_to_server(struct client *client, int attempt)
{
    char text[300];
    int64_t begun = milliseconds();
    int before = outages, is_there = listening == 2;
    snprintf(text, sizeof text,
             "host=127.0.0.1,127.0.0.1 port=%d,%d user=u password=secret dbname=d "
             "application_name=%d connect_timeout=%d gssencmode=disable sslmode=disable",
             PORT, PORT + 1, attempt, TIMEOUT);
    client->c = PQconnectdb(text);
    int64_t took = milliseconds() - begun;
    must(took < 2 * 1000 * (TIMEOUT + 2), "connect_timeout is not kept", NULL);
    if (PQstatus(client->c) == CONNECTION_OK) {
        client->number = PQbackendPID(client->c);
        must(client->number > 0 && client->number <= connections &&
                 served[client->number].attempt == attempt,
             "another connection", NULL);
        PQsetNoticeReceiver(client->c, be_quiet, NULL);
        return 1;
    }
    must(PQerrorMessage(client->c)[0] != '\0', "an error that says nothing", NULL);
    must(is_broken_attempt[attempt] || before != outages || !is_there || took > 1000,
         "no connection, and the server sends all", PQerrorMessage(client->c));
    PQfinish(client->c);
    return 0;
}

static void *be_client(void *data)
{
    static void (*const queries[])(struct client *, int, int, int) = {
        query_blocking, query_extended, query_both, query_by_row, query_pipeline, copy_out, copy_in,
    };
    for (int round = 0; round < ROUNDS; round++) {
        struct client client;
        if (!connect_to_server(&client, *(int *)data * ROUNDS + round))
            continue;
        for (int i = 0; i < QUERIES && client.c && PQstatus(client.c) == CONNECTION_OK; i++)
            queries[chance(7)](&client, (int)chance(6), (int)chance(100000), chance(4) == 0);
        if (client.c)
            PQfinish(client.c);
    }
    return NULL;
}

int main(int count, char **arguments)
{
    static int ports[] = { PORT, PORT + 1 };
    pthread_t clients[CLIENTS];
    int numbers[CLIENTS];
    is_single = count > 1 && strcmp(arguments[1], "single") == 0;
    for (int i = 0; i < 2; i++)
        start(NULL, accept_all, &ports[i]);
    for (int i = 0; i < CLIENTS; i++) {
        numbers[i] = i;
        start(&clients[i], be_client, &numbers[i]);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    return 0;
}
