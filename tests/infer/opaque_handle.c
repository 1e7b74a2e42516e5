/* opaque_handle.c - a handle whose struct has a callback that takes the handle; functions are
 * declared by a typedef.
 * infer: +typedef pausable int Processor(Parser parser, const char *text);
 * infer: +static pausable int parse(Parser parser, const char *text)
 * expect: begin a
 * expect: content b
 * expect: 2 */
#include <co4.h>
#include <stdio.h>

typedef struct ParserStruct *Parser;
typedef pausable void (*Handler)(void *data, const char *name);
typedef int Processor(Parser parser, const char *text);

struct ParserStruct {
    Processor *processor;
    Handler handler;
};

static Processor begin;
static Processor content;

static int begin(Parser parser, const char *text)
{
    printf("begin %s\n", text);
    parser->processor = content;
    return 1;
}

static int content(Parser parser, const char *text)
{
    parser->handler(parser, text);
    return 1;
}

static int parse(Parser parser, const char *text)
{
    return parser->processor(parser, text);
}

static void show(void *data, const char *name)
{
    (void)data;
    co4_yield();
    printf("content %s\n", name);
}

int main(void)
{
    struct ParserStruct p = { begin, show };
    int n = parse(&p, "a");
    n += parse(&p, "b");
    printf("%d\n", n);
    return 0;
}
