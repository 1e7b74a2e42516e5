/* run.c - what all of the simulation asks of the run: whether it is one, its time, its numbers.
 *
 * A file of its own, below the rest: program.c begins the run, and knows all the others. */
#define _GNU_SOURCE
#include "simulation/run.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "base/simulation.h"
#include "platform/fork.h"
#include "platform/thread.h"
#include "posix/deadline.h"
#include "posix/decides.h"

#define LOOK_NS 100 /* ns that a look at a clock takes */

static struct {
    uint64_t seed, life, drawn, children;
} numbers;

void (*co4__simulated_ends)(void);

bool co4__program_is_simulated(void)
{
    return co4__local()->simulate.state != NULL;
}

/* A child has other numbers than its parent and its other children. */
static void numbers_at_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        numbers.children++;
    if (how != CO4__FORK_CHILD)
        return;
    numbers.seed = co4__random(numbers.seed ^ co4__random(numbers.children));
    numbers.children = 0;
}

void co4__simulated_numbers(uint64_t seed, unsigned life)
{
    static struct co4__fork_member member = { .handler = numbers_at_fork };
    co4__fork_join(&member);
    numbers.seed = seed;
    numbers.life = life;
    numbers.drawn = life > 1 ? (uint64_t)life << 40 : 0;
}

uint64_t co4__simulated_random(void)
{
    return co4__random(co4__random(~numbers.seed) + ++numbers.drawn);
}

uint64_t co4__simulated_constant(uint64_t which)
{
    return co4__random(co4__random(numbers.seed ^ which << 32) + numbers.life);
}

int64_t co4__simulated_look(void)
{
    struct co4__simulation *s = co4__local()->simulate.state;
    int64_t now = s->ops->now(s);
    s->ops->sleep(s, now + LOOK_NS);
    return now;
}

static const int64_t *wall;
static int64_t (*wall_is_set)(void);

int64_t co4__simulated_wall(void)
{
    return wall ? *wall : 0;
}

int64_t co4__simulated_wall_is_set(void)
{
    return wall_is_set ? wall_is_set() : CO4_NEVER;
}

/* At least a ns: what is due at that time comes first. */
static int64_t wall_is_set_after(void)
{
    const struct co4__simulation *s = co4__local()->simulate.state;
    int64_t at = wall_is_set(), now = s ? s->ops->now(s) : 0;
    return at > now ? at - now : 1;
}

void co4__simulated_wall_is(const int64_t *ahead, int64_t (*is_set)(void))
{
    wall = ahead;
    wall_is_set = is_set;
    co4__clock_is_set_after = wall_is_set_after;
}

bool co4__simulated_shares;

_Noreturn void co4__simulation_refuses(const char *what, const char *why)
{
    fprintf(stderr, "co4: %s: %s\n", what, why);
    _exit(CO4__REFUSED);
}

bool co4__simulation_line(FILE *f, const char *file, char **line, size_t *room)
{
    if (getline(line, room, f) >= 0)
        return true;
    if (!feof(f)) /* a part of it would be taken for the whole */
        co4__simulation_refuses(file, strerror(errno));
    return false;
}

void co4__simulation_sets(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        co4__simulation_refuses(name, strerror(errno));
}
