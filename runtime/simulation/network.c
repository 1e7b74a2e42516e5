/* network.c - how the network of a program of --auto=test behaves: a text such as
 * "latency=1ms-20ms,short=4,reset=1000". */
#include "simulation/network.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "co4/time.h"

/* Moves *text behind what it begins with, if it does. */
static bool skips(const char **text, const char *word)
{
    size_t bytes = strlen(word);
    if (strncmp(*text, word, bytes) != 0)
        return false;
    *text += bytes;
    return true;
}

static bool take_number(const char **text, unsigned long long most, unsigned long long *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return *number <= most;
}

/* A number with a unit, up to an hour. */
bool co4__simulated_time(const char **text, int64_t *ns)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = { { "ns", 1 }, { "us", CO4_US }, { "ms", CO4_MS }, { "s", CO4_SEC } };
    unsigned long long number;
    if (!take_number(text, 3600 * (unsigned long long)CO4_SEC, &number))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (skips(text, units[i].name)) {
            *ns = (int64_t)number * units[i].ns;
            return (int64_t)number <= 3600 * CO4_SEC / units[i].ns;
        }
    return false;
}

/* "1ms": exactly; "1ms-20ms": between these. */
static bool take_latency(const char **text, co4_test_network_options *o)
{
    if (!co4__simulated_time(text, &o->latency_min))
        return false;
    o->latency_max = o->latency_min;
    bool is_one = !skips(text, "-");
    return (is_one || co4__simulated_time(text, &o->latency_max)) && o->latency_max > 0 &&
           o->latency_min <= o->latency_max;
}

/* Once in so many times; 0: never. */
static bool take_chance(const char **text, co4_test_network_options *o)
{
    const struct {
        const char *name;
        unsigned *times;
    } chances[] = { { "short=", &o->short_counts },
                    { "loss=", &o->loss },
                    { "duplicate=", &o->duplicate },
                    { "reset=", &o->reset },
                    { "refuse=", &o->refuse } };
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        unsigned long long number;
        if (!skips(text, chances[i].name))
            continue;
        if (!take_number(text, UINT_MAX - 1, &number))
            return false;
        *chances[i].times = i == 0 && number == 0 ? CO4_TEST_NO_SHORT_COUNTS : (unsigned)number;
        return true;
    }
    return false;
}

static bool take_buffer(const char **text, co4_test_network_options *o)
{
    unsigned long long number;
    if (!take_number(text, 1 << 30, &number) || number < 4096)
        return false;
    o->buffer = (size_t)number;
    return true;
}

bool co4__simulated_options(const char *text, co4_test_network_options *options)
{
    do {
        bool is = skips(&text, "latency=")  ? take_latency(&text, options)
                  : skips(&text, "buffer=") ? take_buffer(&text, options)
                                            : take_chance(&text, options);
        if (!is)
            return false;
    } while (skips(&text, ","));
    return *text == '\0';
}
