/* pull_jansson.c - pull.h by jansson: json_load_callback() calls for more. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pull.h"

static size_t more(void *to, size_t most, void *data)
{
    ssize_t n = read(*(int *)data, to, most);
    return n >= 0 ? (size_t)n : (size_t)-1;
}

unsigned long pull(int fd)
{
    json_error_t error;
    json_t *value = json_load_callback(more, &fd, 0, &error);
    char *text = value != NULL ? json_dumps(value, JSON_SORT_KEYS) : NULL;
    unsigned long sum = text != NULL ? pull_sum(PULL_BEGIN, text, strlen(text)) : 0;
    free(text);
    json_decref(value);
    return sum;
}
