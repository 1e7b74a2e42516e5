/* calc - an interpreter: one generator makes tokens, another evaluates a statement at a time.
 * modes: woven forced
 * expect: 7
 * expect: -20
 * expect: 29
 * expect: error: division by zero
 * expect: error: expected ;
 * expect: error: expected )
 * expect: 9
 * expect: 40 tokens
 * expect: 3 failed */
#include <co4.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct token {
    char kind; /* 'n' number, 'v' variable, else the character */
    long value;
};

struct result {
    const char *error; /* NULL: value counts */
    long value;
};

/* A generator of tokens. Its result is their number. */
static pausable int tokens(const char *s)
{
    int n = 0;
    while (*s) {
        struct token t = { *s, 0 };
        if (isspace((unsigned char)*s++))
            continue;
        if (isdigit((unsigned char)t.kind)) {
            char *end;
            t = (struct token){ 'n', strtol(s - 1, &end, 10) };
            s = end;
        } else if (isalpha((unsigned char)t.kind)) {
            t = (struct token){ 'v', tolower((unsigned char)t.kind) - 'a' };
        }
        co4_gen_yield(&t);
        n++;
    }
    return n;
}

struct parser {
    co4_gen *tokens;
    struct token now;
    const char *error;
    long vars[26];
};

static void advance(struct parser *p)
{
    if (co4_gen_next(p->tokens, &p->now) != CO4_OK)
        p->now = (struct token){ 0, 0 }; /* the end */
}

static long expression(struct parser *p, int least);

/* The parser is plain C: it resumes the generator of tokens where it needs one. */
static long factor(struct parser *p)
{
    struct token t = p->now;
    advance(p);
    if (t.kind == 'n')
        return t.value;
    if (t.kind == 'v' && p->now.kind == '=') {
        advance(p);
        return p->vars[t.value] = expression(p, 1);
    }
    if (t.kind == 'v')
        return p->vars[t.value];
    if (t.kind == '-')
        return -factor(p);
    if (t.kind == '(') {
        long v = expression(p, 1);
        if (p->now.kind == ')')
            advance(p);
        else
            p->error = "expected )";
        return v;
    }
    p->error = "unexpected token";
    return 0;
}

static int level(char op)
{
    return op == '*' || op == '/' ? 2 : op == '+' || op == '-' ? 1 : 0;
}

/* Operators of at least this level. */
static long expression(struct parser *p, int least)
{
    long v = factor(p);
    while (level(p->now.kind) >= least) {
        char op = p->now.kind;
        advance(p);
        long r = expression(p, level(op) + 1);
        if (op == '/' && r == 0) {
            p->error = "division by zero";
            r = 1;
        }
        v = op == '*' ? v * r : op == '/' ? v / r : op == '+' ? v + r : v - r;
    }
    return v;
}

/* A generator of results, one for each statement. Its result is the number of errors. */
static pausable int evaluate(const char *text)
{
    struct parser p = { .tokens = co4_generate(tokens(text)) };
    int failed = 0, read = 0;
    advance(&p);
    while (p.now.kind) {
        p.error = NULL;
        struct result r = { NULL, expression(&p, 1) };
        r.error = p.error;
        while (p.now.kind && p.now.kind != ';') { /* skip to the end of the statement */
            if (!r.error)
                r.error = "expected ;";
            advance(&p);
        }
        advance(&p);
        failed += r.error != NULL;
        co4_gen_yield(&r);
    }
    if (co4_gen_result(p.tokens, &read) == CO4_OK)
        printf("%d tokens\n", read);
    co4_gen_destroy(p.tokens);
    return failed;
}

int main(void)
{
    co4_gen *g = co4_generate(evaluate("x = 1 + 2 * 3; y = (x - 2) * -4; x * x + y;"
                                       "7 / (x - 7); 1 2; (3; 9"));
    struct result r;
    int failed;
    while (co4_gen_next(g, &r) == CO4_OK)
        if (r.error)
            printf("error: %s\n", r.error);
        else
            printf("%ld\n", r.value);
    if (co4_gen_result(g, &failed) == CO4_OK)
        printf("%d failed\n", failed);
    return co4_gen_destroy(g) != CO4_OK;
}
