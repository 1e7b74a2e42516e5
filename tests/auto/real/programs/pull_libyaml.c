/* pull_libyaml.c - pull.h by libyaml: the read handler of yaml_parser_set_input(). */
#include <string.h>
#include <unistd.h>
#include <yaml.h>

#include "pull.h"

static int more(void *data, unsigned char *to, size_t most, size_t *got)
{
    ssize_t n = read(*(int *)data, to, most);
    *got = n > 0 ? (size_t)n : 0;
    return n >= 0;
}

unsigned long pull(int fd)
{
    unsigned long sum = PULL_BEGIN;
    yaml_parser_t parser;
    yaml_event_t event;
    int last = 0;
    if (!yaml_parser_initialize(&parser))
        return 0;
    yaml_parser_set_input(&parser, more, &fd);
    while (sum != 0 && !last) {
        if (!yaml_parser_parse(&parser, &event)) {
            sum = 0;
            break;
        }
        sum = pull_sum(sum, &event.type, sizeof event.type);
        if (event.type == YAML_SCALAR_EVENT)
            sum = pull_sum(sum, event.data.scalar.value, event.data.scalar.length);
        last = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return sum;
}
