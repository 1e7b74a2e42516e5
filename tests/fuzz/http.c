/* http.c - the parser of co4_http on generated and mutated requests, and answers to a client.
 *
 *     http_harness [SEED [INPUTS]]             generates them, and mutates them
 *     http_harness --replay FILE...            parses these requests
 *     http_harness --replay-answers FILE...    parses these answers
 *
 * Each input is parsed several times, in pieces of other sizes, from a transport in memory. What
 * comes out has to be the same each time: requests, bodies, the status of a refusal, and nothing
 * behind it. A sequence that the generator made without a mutation has to come out as it was made.
 * So has one whose mutations keep the meaning, such as the case of a name. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http.h"

enum { ROOM = 1 << 17 };

/* ---- chance ---- */

static uint64_t state;

static uint32_t chance(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return below > 0 ? (uint32_t)(state >> 33) % below : 0;
}

/* ---- texts that grow ---- */

struct text {
    size_t size;
    char bytes[ROOM];
};

static void add(struct text *t, const void *from, size_t size)
{
    if (size > ROOM - t->size)
        size = ROOM - t->size;
    memcpy(t->bytes + t->size, from, size);
    t->size += size;
}

static void say(struct text *t, const char *word)
{
    add(t, word, strlen(word));
}

static void say_number(struct text *t, const char *format, uint64_t n)
{
    char text[64];
    snprintf(text, sizeof text, format, n);
    say(t, text);
}

/* ---- a transport in memory: the input in pieces ---- */

struct feed {
    const char *at;
    size_t left, piece; /* 0: random sizes */
};

static ssize_t feed_read(void *self, void *to, size_t bytes)
{
    struct feed *f = self;
    size_t n = f->piece ? f->piece : 1 + chance(chance(2) ? 4 : 200);
    n = n < bytes ? n : bytes;
    n = n < f->left ? n : f->left;
    memcpy(to, f->at, n);
    f->at += n;
    f->left -= n;
    return (ssize_t)n;
}

static ssize_t feed_write(void *self, const struct iovec *from, int count)
{
    ssize_t n = 0;
    (void)self;
    for (int i = 0; i < count; i++)
        n += (ssize_t)from[i].iov_len;
    return n;
}

static const co4_transport transport = { .read = feed_read, .write = feed_write };

/* ---- what comes out, as a text ---- */

static void say_text(struct text *out, struct co4__http_text t)
{
    say(out, " [");
    if (t.at)
        add(out, t.at, t.size);
    say(out, t.at ? "]" : "-]");
}

static pausable void describe(struct co4__http *h, struct text *out)
{
    static const char *const fields[] = { "Host", "If-None-Match", "If-Modified-Since", "Range",
                                          "If-Range" };
    const char *data;
    ssize_t n;
    int64_t length = 0, said = h->framing == CO4__HTTP_LENGTH ? h->length : -1;
    add(out, h->in + h->name.at, h->name.size);
    say_text(out, co4__http_text(h, h->path));
    say_text(out, co4__http_text(h, h->query));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        say_text(out, co4__http_value(h, fields[i]));
    say(out, h->closes ? " closes" : " stays");
    say(out, " {");
    while ((n = co4__http_read(h, &data)) > 0) {
        add(out, data, (size_t)n);
        length += n;
    }
    say(out, n == 0 ? "}\n" : "\n");
    if (n == 0 && said >= 0 && length != said) {
        fprintf(stderr, "a body of %" PRId64 " bytes, not %" PRId64 "\n", length, said);
        abort();
    }
}

static co4_http_limits limits;

static pausable void parse_all(struct feed *f, struct text *out)
{
    int fds[2];
    out->size = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    struct co4__http h = { .c = co4_conn_create_over(fds[0], &transport, f), .limits = &limits };
    while (co4__http_next(&h) > 0) {
        describe(&h, out);
        if (h.closes)
            break;
    }
    if (h.code != CO4_OK) { /* nothing is read behind a refusal */
        const char *data;
        size_t left = f->left;
        if (co4__http_read(&h, &data) >= 0 || f->left != left)
            abort();
    }
    say_number(out, "status %" PRIu64 "\n", (uint64_t)h.status);
    co4__http_end(&h);
    co4_conn_destroy(h.c);
    close(fds[1]);
}

/* ---- answers ---- */

static bool answers; /* the input is answers to requests */

static pausable void describe_answer(struct co4__http *h, struct text *out)
{
    const char *name, *value, *data;
    ssize_t n;
    say_number(out, "%" PRIu64, (uint64_t)h->status);
    for (size_t i = 0; (name = co4__http_value_at(h, i, &value)); i++) {
        say(out, " ");
        say(out, name);
        say(out, "=");
        say(out, value);
    }
    say(out, " {");
    while ((n = co4__http_read(h, &data)) > 0)
        add(out, data, (size_t)n);
    say(out, n == 0 ? "}" : "");
    say(out, h->closes ? " closes\n" : " stays\n");
}

/* As the client reads them: each from a new state, and the connection is kept only when all has
 * been read. */
static pausable void parse_answers(struct feed *f, struct text *out)
{
    int fds[2], code = CO4_OK;
    bool stays = true;
    out->size = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    co4_conn *c = co4_conn_create_over(fds[0], &transport, f);
    for (unsigned i = 0; stays && code == CO4_OK; i++) {
        struct co4__http h = { .c = c,
                               .limits = &limits,
                               .is_answer = true,
                               .method = i % 4 == 3 ? CO4__HTTP_HEAD : CO4__HTTP_OTHER,
                               .deadline = CO4_NEVER,
                               .framing = CO4__HTTP_TO_END };
        code = co4__http_read_answer(&h);
        if (code == CO4_OK)
            describe_answer(&h, out);
        code = code == CO4_OK ? h.code : code;
        stays = !h.closes && h.status != 101 && h.framing == CO4__HTTP_NO_BODY;
        co4_conn_skip(c, h.used);
        co4__http_end(&h);
    }
    say_number(out, "code %" PRIu64 "\n", (uint64_t)-code);
    co4_conn_destroy(c);
    close(fds[1]);
}

static pausable void parse(struct feed *f, struct text *out)
{
    if (answers)
        parse_answers(f, out);
    else
        parse_all(f, out);
}

static void show(const char *name, const struct text *t)
{
    fprintf(stderr, "--- %s\n", name);
    for (size_t i = 0; i < t->size; i++) {
        unsigned char c = (unsigned char)t->bytes[i];
        fprintf(stderr, c == '\n' ? "\\n\n" : c < ' ' || c > '~' ? "\\x%02x" : "%c", c);
    }
    fprintf(stderr, "\n");
}

static struct text whole, split;

/* Whether the input gives the same in each way; `expected` may be NULL. */
static bool check(const struct text *input, const struct text *expected)
{
    static const size_t pieces[] = { 1, 2, 7, 0, 0 };
    struct feed f = { input->bytes, input->size, ROOM };
    co4_run(parse(&f, &whole));
    if (expected &&
        (whole.size != expected->size || memcmp(whole.bytes, expected->bytes, whole.size) != 0)) {
        show("input", input);
        show("expected", expected);
        show("parsed", &whole);
        return false;
    }
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        f = (struct feed){ input->bytes, input->size, pieces[i] };
        co4_run(parse(&f, &split));
        if (split.size != whole.size || memcmp(split.bytes, whole.bytes, whole.size) != 0) {
            show("input", input);
            show("whole", &whole);
            show("in pieces", &split);
            return false;
        }
    }
    return true;
}

/* ---- the generator: an input, and what has to come out ---- */

static const char *one_of(const char *const *words, uint32_t count)
{
    return words[chance(count)];
}

#define ONE_OF(...)                                                                                \
    one_of((const char *const[]){ __VA_ARGS__ },                                                   \
           sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

/* A name in random case. */
static void say_name(struct text *t, const char *name)
{
    for (; *name; name++) {
        bool is_letter = *name >= 'a' && *name <= 'z';
        char c = (char)(is_letter && chance(2) ? *name - 'a' + 'A' : *name);
        add(t, &c, 1);
    }
}

static void say_field(struct text *in, const char *name, const char *value)
{
    say_name(in, name);
    say(in, ONE_OF(":", ": ", ":\t ", ":   "));
    say(in, value);
    say(in, ONE_OF("\r\n", "\r\n", " \r\n", "\t \r\n"));
}

static void say_bytes(struct text *in, struct text *out, size_t size)
{
    for (; size > 0; size--) {
        char c = (char)(chance(8) ? 'a' + (int)chance(26) : (int)chance(256));
        add(in, &c, 1);
        add(out, &c, 1);
    }
}

static void say_chunks(struct text *in, struct text *out)
{
    for (uint32_t chunks = chance(4); chunks > 0; chunks--) {
        uint32_t size = 1 + chance(chance(4) ? 20 : 300);
        say_number(in, ONE_OF("%" PRIx64, "%" PRIX64, "000%" PRIx64), size);
        say(in, ONE_OF("", "", ";", ";a=b", ";a=\"x;y\"", "; a"));
        say(in, "\r\n");
        say_bytes(in, out, size);
        say(in, "\r\n");
    }
    say(in, ONE_OF("0", "00", "0;x"));
    say(in, "\r\n");
    for (uint32_t fields = chance(3); fields > 0; fields--)
        say_field(in, ONE_OF("trailer", "host", "content-length"), ONE_OF("", "x", "5"));
    say(in, "\r\n");
}

static void say_others(struct text *in)
{
    for (uint32_t i = chance(4); i > 0; i--)
        say_field(in, ONE_OF("accept", "x", "user-agent", "hos", "rangf", "content-lengti"),
                  ONE_OF("", "a", "text/html, */*;q=0.8", "\xff\x80", "a: b: c", "\t\t", "chunked",
                         "the quick brown fox jumps over the lazy dog"));
}

static void say_optional(struct text *in, struct text *out, const char *name, const char *value)
{
    bool is_there = chance(4) == 0;
    if (is_there)
        say_field(in, name, value);
    say_others(in);
    say(out, is_there ? " [" : " [-]");
    say(out, is_there ? value : "");
    say(out, is_there ? "]" : "");
}

/* Adds a request. Returns whether another one may follow. */
static bool say_request(struct text *in, struct text *out)
{
    const char *method = ONE_OF("GET", "HEAD", "POST", "OPTIONS");
    const char *path = ONE_OF("/", "/a", "/plaintext", "/a/b/../c%20d", "/x;y=z:@!$&'()*+,");
    const char *query = ONE_OF("", "a=b", "?", "a=b&c=%20/?");
    const char *host = ONE_OF("a", "example.org:80", "[::1]", "");
    bool has_query = chance(3) == 0, closes = chance(8) == 0, is_absolute = *host && !chance(5);
    uint32_t framing = chance(3), size = chance(chance(4) ? 50 : 20000);
    say(in, chance(5) ? "" : "\r\n");
    say(in, method);
    say(in, is_absolute ? " http://" : " ");
    say(in, is_absolute ? host : "");
    say(in, path);
    say(in, has_query ? "?" : "");
    say(in, has_query ? query : "");
    say(in, " HTTP/1.1\r\n");
    say_others(in);
    say_field(in, "host", host);
    say(out, method);
    say(out, " [");
    say(out, path);
    say(out, has_query ? "] [" : "] [-");
    say(out, has_query ? query : "");
    say(out, "] [");
    say(out, host);
    say(out, "]");
    say_optional(in, out, "if-none-match", "\"a\", W/\"b\"");
    say_optional(in, out, "if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT");
    say_optional(in, out, "range", "bytes=1-2");
    say_optional(in, out, "if-range", "\"a\"");
    say(out, closes ? " closes {" : " stays {");
    if (closes)
        say_field(in, "connection",
                  ONE_OF("close", "CLOSE", "x, close", "close ,keep-alive", ",close,"));
    if (framing == 1) {
        char text[32];
        snprintf(text, sizeof text, chance(2) ? "%u" : "000%u", size);
        say_field(in, "content-length", text);
    } else if (framing == 2) {
        say_field(in, "transfer-encoding", ONE_OF("chunked", "Chunked", "CHUNKED"));
    }
    if (chance(6) == 0)
        say_field(in, "expect", "100-continue");
    say(in, "\r\n");
    if (framing == 1)
        say_bytes(in, out, size);
    else if (framing == 2)
        say_chunks(in, out);
    say(out, "}\n");
    return !closes && in->size < ROOM / 3;
}

static void generate(struct text *in, struct text *out)
{
    in->size = out->size = 0;
    for (uint32_t n = 1 + chance(4); n > 0 && say_request(in, out); n--)
        ;
    say(out, "status 0\n");
}

/* Answers, mostly such that others may follow. */
static void generate_answers(struct text *in)
{
    static struct text body; /* is not compared */
    in->size = 0;
    for (uint32_t n = 1 + chance(5); n > 0 && in->size < ROOM / 3; n--) {
        uint32_t framing = chance(chance(4) ? 3 : 5), size = chance(chance(4) ? 50 : 5000);
        body.size = 0;
        for (uint32_t i = chance(3); i > 0; i--)
            say(in, ONE_OF("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early\r\nA: b\r\n\r\n"));
        say(in, ONE_OF("HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/1.0 404 ", "HTTP/1.1 204 No",
                       "HTTP/1.1 304 Not", "HTTP/1.1 302 Found"));
        say(in, ONE_OF("\r\n", "\n"));
        say_others(in);
        if (framing == 1 || framing == 3) {
            say(in, "Content-Length: ");
            say_number(in, "%" PRIu64 "\r\n", size);
        }
        if (framing == 2 || framing == 3)
            say_field(in, "transfer-encoding", "chunked");
        say(in, ONE_OF("\r\n", "\n"));
        if (framing == 1)
            say_bytes(in, &body, size);
        else if (framing == 2 || framing == 3)
            say_chunks(in, &body);
    }
}

/* ---- mutations ---- */

static void insert(struct text *t, size_t at, const char *from, size_t size)
{
    if (size > ROOM - t->size)
        return;
    memmove(t->bytes + at + size, t->bytes + at, t->size - at);
    memcpy(t->bytes + at, from, size);
    t->size += size;
}

static void cut(struct text *t, size_t at, size_t size)
{
    if (size > t->size - at)
        size = t->size - at;
    memmove(t->bytes + at, t->bytes + at + size, t->size - at - size);
    t->size -= size;
}

static void mutate(struct text *t)
{
    static const char *const spice[] = {
        "\r",
        "\n",
        "\r\n",
        "\r\n\r\n",
        "\n\n",
        " ",
        "\t",
        ":",
        ";",
        ",",
        "-",
        "+",
        "0x",
        "0",
        "1",
        "\x7f",
        "\x80",
        "%00",
        "%",
        "/",
        "//",
        "..",
        "?",
        "#",
        "@",
        "*",
        "HTTP/1.1",
        "HTTP/1.0",
        "HTTP/2.0",
        "http://a",
        "\r\n ",
        "Host: b\r\n",
        "Host:\r\n",
        "Content-Length: 5\r\n",
        "Content-Length: 18446744073709551616\r\n",
        "Content-Length: -1\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Expect: x\r\n",
        "Connection: close\r\n",
        "fffffffffffffffff\r\n",
        "7fffffffffffffff",
        "GET / HTTP/1.1\r\n",
        "0\r\n\r\n",
        "close",
    };
    char copy[64];
    for (uint32_t n = 1 + chance(chance(2) ? 1 : 6); n > 0 && t->size > 0; n--) {
        size_t at = chance((uint32_t)t->size), size = 1 + chance(chance(2) ? 2 : 60);
        const char *word = spice[chance(sizeof spice / sizeof *spice)];
        switch (chance(9)) {
        case 0:
            t->bytes[at] = (char)chance(256);
            break;
        case 1:
            t->bytes[at] ^= (char)(1 << chance(8));
            break;
        case 2:
            cut(t, at, size);
            break;
        case 3:
            cut(t, at, 1);
            break;
        case 4:
            insert(t, at, "\0", 1);
            break;
        case 5:
            t->size = at;
            break;
        case 6:
            size = size < t->size - at ? size : t->size - at;
            memcpy(copy, t->bytes + at, size);
            insert(t, chance((uint32_t)t->size), copy, size);
            break;
        case 7: /* many times */
            for (uint32_t i = chance(3) ? 1 : chance(400); i > 0; i--)
                insert(t, at, word, strlen(word));
            break;
        default:
            insert(t, at, word, strlen(word));
        }
    }
}

static struct text input, expected;

static bool replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    input.size = fread(input.bytes, 1, ROOM, file);
    fclose(file);
    return check(&input, NULL);
}

/* Leaves an input that has failed for --replay. */
static int fail(const char *name)
{
    FILE *file = fopen("http_harness.input", "wb");
    if (file) {
        fwrite(input.bytes, 1, input.size, file);
        fclose(file);
    }
    fprintf(stderr, "%s: see http_harness.input\n", name);
    return 1;
}

int main(int argc, char **argv)
{
    co4__http_set_limits(&limits, &(co4_http_limits){ 0 });
    long inputs = argc > 2 ? strtol(argv[2], NULL, 10) : 1000, refused = 0;
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    answers = argc > 2 && strcmp(argv[1], "--replay-answers") == 0;
    if (answers || (argc > 2 && strcmp(argv[1], "--replay") == 0)) {
        for (int i = 2; i < argc; i++)
            if (!replay(argv[i]))
                return 1;
        return 0;
    }
    for (long i = 0; i < inputs; i++) {
        state = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i;
        chance(1);
        generate(&input, &expected);
        if (!check(&input, &expected))
            return fail("a valid request");
        mutate(&input);
        if (!check(&input, NULL))
            return fail("pieces differ");
        refused += whole.size >= 9 && memcmp(whole.bytes + whole.size - 9, "status 0\n", 9) != 0;
    }
    answers = true;
    for (long i = 0; i < inputs; i++) {
        state = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i;
        chance(1);
        generate_answers(&input);
        if (!check(&input, NULL))
            return fail("pieces of answers differ");
        mutate(&input);
        if (!check(&input, NULL))
            return fail("pieces of wrong answers differ");
    }
    printf("%ld inputs, %ld of the requests refused\n", 4 * inputs, refused);
    return refused > inputs / 10 || inputs < 100 ? 0 : fail("too few are refused");
}
