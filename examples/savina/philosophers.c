/* philosophers.c - each needs both forks beside his plate. The lower one first, so no philosopher
 * waits for ever.
 *
 *     philosophers [PHILOSOPHERS [MEALS]]      20 and 1000 when absent */
#include "savina.h"

struct table {
    long seats, meals;
    co4_mutex *forks; /* zero: no philosopher has it */
    atomic_bool *taken;
};

static atomic_long eaten, shared;

static pausable int philosopher(struct table *t, long seat)
{
    long left = seat, right = (seat + 1) % t->seats;
    long first = left < right ? left : right, second = left < right ? right : left;
    for (long i = 0; i < t->meals; i++) {
        TRY(co4_mutex_lock(&t->forks[first]));
        TRY(co4_mutex_lock(&t->forks[second]));
        shared += atomic_exchange(&t->taken[left], true) + atomic_exchange(&t->taken[right], true);
        co4_yield(); /* eats */
        eaten++;
        t->taken[left] = t->taken[right] = false;
        TRY(co4_mutex_unlock(&t->forks[second]));
        TRY(co4_mutex_unlock(&t->forks[first]));
    }
    return CO4_OK;
}

static pausable int dine(struct table *t)
{
    for (long i = 0; i < t->seats; i++)
        TRY(co4_scope_spawn(co4_scope_here(), philosopher(t, i)));
    return CO4_OK;
}

static pausable int all(struct table *t)
{
    return co4_scope_run(0, dine(t));
}

int main(int argc, char **argv)
{
    struct table t = { argument(argc, argv, 1, 20, 2, 100000),
                       argument(argc, argv, 2, 1000, 0, 1000000), NULL, NULL };
    t.forks = made(calloc((size_t)t.seats, sizeof *t.forks));
    t.taken = made(calloc((size_t)t.seats, sizeof *t.taken));
    ON_ALL_PROCESSORS(all(&t));
    for (long i = 0; i < t.seats; i++)
        must(co4_mutex_destroy(&t.forks[i]), "destroy");
    free(t.forks);
    free(t.taken);
    printf("%ld meals, %ld with a fork of somebody else\n", eaten, shared);
    return eaten != t.seats * t.meals || shared != 0;
}
