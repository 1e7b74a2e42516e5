/* json_push.c - a recursive-descent JSON parser that does not mind where its input is cut.
 *
 *     json_push CHUNK FILE      validates FILE, fed CHUNK bytes at a time, and prints it indented
 *
 * The parser is straight-line code: it asks for the next byte when it needs one. When there is
 * none, next_byte() pauses the whole parser, however deep in its recursion it is, until main has
 * fed the next chunk. A parser that is pushed is usually a state machine written by hand; here the
 * weaver writes it. */
#include <co4.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 512, MAX_CHUNK = 1 << 20, END = -1 };

struct parser {
    const char *bytes; /* bytes that main has fed and the parser has not read */
    size_t count;
    bool at_end; /* main has nothing more */
    int now;     /* the byte under consideration, or END */
    long line, column;
    int depth;
    char error[100]; /* empty: none so far */
};

/* Moves on to the next byte; pauses until there is one. */
pausable void next_byte(struct parser *p)
{
    if (p->now == '\n') {
        p->line++;
        p->column = 0;
    }
    while (p->count == 0 && !p->at_end)
        co4_gen_yield(&p->line); /* the value is of no interest: it says "feed me" */
    p->now = p->count > 0 ? (unsigned char)*p->bytes++ : END;
    p->count -= p->now != END;
    p->column++;
}

static bool fail(struct parser *p, const char *what)
{
    if (*p->error == '\0')
        snprintf(p->error, sizeof p->error, "line %ld, column %ld: %s", p->line, p->column, what);
    return false;
}

pausable void skip_space(struct parser *p)
{
    while (p->now == ' ' || p->now == '\t' || p->now == '\n' || p->now == '\r')
        next_byte(p);
}

static void indent(const struct parser *p)
{
    printf("\n%*s", 2 * p->depth, "");
}

pausable bool string(struct parser *p)
{
    putchar('"');
    for (next_byte(p); p->now != '"'; next_byte(p)) {
        if (p->now < 0x20)
            return fail(p, p->now == END ? "unfinished string" : "control character in a string");
        putchar(p->now);
        if (p->now != '\\')
            continue;
        next_byte(p);
        if (p->now == END || strchr("\"\\/bfnrtu", p->now) == NULL)
            return fail(p, "unknown escape in a string");
        putchar(p->now);
        for (int digits = p->now == 'u' ? 4 : 0; digits > 0; digits--) {
            next_byte(p);
            if (!isxdigit(p->now))
                return fail(p, "\\u wants four hexadecimal digits");
            putchar(p->now);
        }
    }
    putchar('"');
    next_byte(p);
    return true;
}

pausable bool digits(struct parser *p)
{
    if (!isdigit(p->now))
        return fail(p, "a digit is missing");
    for (; isdigit(p->now); next_byte(p))
        putchar(p->now);
    return true;
}

pausable bool number(struct parser *p)
{
    if (p->now == '-') {
        putchar('-');
        next_byte(p);
    }
    if (p->now == '0') {
        putchar('0');
        next_byte(p);
    } else if (!digits(p)) {
        return false;
    }
    if (p->now == '.') {
        putchar('.');
        next_byte(p);
        if (!digits(p))
            return false;
    }
    if (p->now == 'e' || p->now == 'E') {
        putchar(p->now);
        next_byte(p);
        if (p->now == '+' || p->now == '-') {
            putchar(p->now);
            next_byte(p);
        }
        return digits(p);
    }
    return true;
}

pausable bool word(struct parser *p, const char *expected)
{
    for (const char *c = expected; *c != '\0'; c++) {
        if (p->now != *c)
            return fail(p, "unknown word");
        next_byte(p);
    }
    fputs(expected, stdout);
    return true;
}

pausable bool value(struct parser *p);

pausable bool member(struct parser *p)
{
    if (p->now != '"')
        return fail(p, "a member begins with a string");
    if (!string(p))
        return false;
    skip_space(p);
    if (p->now != ':')
        return fail(p, "':' expected");
    fputs(": ", stdout);
    next_byte(p);
    return value(p);
}

/* An array or an object, which ends with `close`. */
pausable bool sequence(struct parser *p, char close)
{
    if (p->depth == MAX_DEPTH)
        return fail(p, "nested too deeply");
    putchar(p->now);
    p->depth++;
    next_byte(p);
    skip_space(p);
    bool empty = p->now == close;
    while (p->now != close) {
        indent(p);
        if (!(close == '}' ? member(p) : value(p)))
            return false;
        skip_space(p);
        if (p->now != ',' && p->now != close)
            return fail(p, close == '}' ? "',' or '}' expected" : "',' or ']' expected");
        if (p->now == close)
            break;
        putchar(',');
        next_byte(p);
        skip_space(p);
        if (p->now == close)
            return fail(p, "a value is missing after ','");
    }
    p->depth--;
    if (!empty)
        indent(p);
    putchar(close);
    next_byte(p);
    return true;
}

pausable bool value(struct parser *p)
{
    skip_space(p);
    switch (p->now) {
    case '{':
        return sequence(p, '}');
    case '[':
        return sequence(p, ']');
    case '"':
        return string(p);
    case 't':
        return word(p, "true");
    case 'f':
        return word(p, "false");
    case 'n':
        return word(p, "null");
    case END:
        return fail(p, "a value is missing");
    default:
        return p->now == '-' || isdigit(p->now) ? number(p) : fail(p, "a value is missing");
    }
}

pausable bool document(struct parser *p)
{
    next_byte(p);
    if (!value(p))
        return false;
    skip_space(p);
    putchar('\n');
    return p->now == END || fail(p, "something follows the value");
}

int main(int argc, char **argv)
{
    long chunk = argc == 3 ? atol(argv[1]) : 0, line;
    if (chunk < 1 || chunk > MAX_CHUNK) {
        fprintf(stderr, "usage: json_push CHUNK FILE, with 1 to %d bytes a chunk\n", MAX_CHUNK);
        return 2;
    }
    FILE *file = fopen(argv[2], "rb");
    char *buffer = malloc((size_t)chunk);
    if (file == NULL || buffer == NULL) {
        perror(argv[2]);
        free(buffer);
        return 2;
    }
    struct parser p = { .line = 1 };
    co4_gen *parser = co4_generate(document(&p));
    while (co4_gen_next(parser, &line) == CO4_OK) { /* it is hungry */
        p.bytes = buffer;
        p.count = fread(buffer, 1, (size_t)chunk, file);
        p.at_end = p.count == 0;
    }
    bool valid = false;
    if (ferror(file) != 0)
        fprintf(stderr, "%s: cannot be read\n", argv[2]);
    else if (co4_gen_result(parser, &valid) != CO4_OK)
        fprintf(stderr, "%s: out of memory\n", argv[2]);
    else if (!valid)
        fprintf(stderr, "%s: %s\n", argv[2], p.error);
    co4_gen_destroy(parser);
    free(buffer);
    fclose(file);
    return valid ? 0 : 1;
}
