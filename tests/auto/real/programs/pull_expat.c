/* pull_expat.c - pull.h by expat: its handlers wait. */
#include <expat.h>
#include <string.h>
#include <unistd.h>

#include "pull.h"

typedef struct state {
    unsigned long sum;
    unsigned elements;
    int naps; /* not for a file */
} state;

static void begin(void *data, const char *name, const char **attributes)
{
    state *s = data;
    s->sum = pull_sum(s->sum, name, strlen(name));
    for (size_t i = 0; attributes[i] != NULL; i++)
        s->sum = pull_sum(s->sum, attributes[i], strlen(attributes[i]));
    if (++s->elements % 50 == 0 && s->naps)
        usleep(1000);
}

static void end(void *data, const char *name)
{
    state *s = data;
    s->sum = pull_sum(s->sum, name, strlen(name) + 1);
}

static void text(void *data, const char *bytes, int length)
{
    state *s = data;
    s->sum = pull_sum(s->sum, bytes, (size_t)length);
}

unsigned long pull(int fd)
{
    state s = { PULL_BEGIN, 0, lseek(fd, 0, SEEK_CUR) < 0 };
    char bytes[512];
    ssize_t n;
    int good = 1;
    XML_Parser parser = XML_ParserCreate(NULL);
    XML_SetUserData(parser, &s);
    XML_SetElementHandler(parser, begin, end);
    XML_SetCharacterDataHandler(parser, text);
    while (good && (n = read(fd, bytes, sizeof bytes)) > 0)
        good = XML_Parse(parser, bytes, (int)n, 0) == XML_STATUS_OK;
    good = good && XML_Parse(parser, bytes, 0, 1) == XML_STATUS_OK;
    XML_ParserFree(parser);
    return good ? s.sum + s.elements : 0;
}
