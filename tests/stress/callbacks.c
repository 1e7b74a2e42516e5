/* callbacks.c - functions called by the C library, through tables, by signals and at exit.
 * plain: caught */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
    char name[12];
    int age;
};

static int compared;
static volatile sig_atomic_t signals;

static int difference(int a, int b)
{
    compared++;
    return a < b ? -1 : a > b;
}

static int by_age(const void *a, const void *b)
{
    return difference(((const struct person *)a)->age, ((const struct person *)b)->age);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct person *)a)->name, ((const struct person *)b)->name);
}

static void caught(int number)
{
    signals += number == SIGUSR1;
}

static void goodbye(void)
{
    puts("goodbye");
}

static void at_end(void)
{
    goodbye();
}

static double twice(double x)
{
    return 2 * x;
}
static double square(double x)
{
    return x * x;
}

static double apply(double (*const *table)(double), int count, double x)
{
    for (int i = 0; i < count; i++)
        x = table[i](x);
    return x;
}

static _Noreturn void give_up(int status)
{
    printf("giving up with %d\n", status);
    exit(status);
}

int main(void)
{
    struct person people[] = { { "dora", 31 }, { "anna", 25 }, { "carl", 62 }, { "bert", 19 } };
    double (*const table[])(double) = { twice, square, &twice };
    atexit(at_end);
    qsort(people, 4, sizeof *people, by_age);
    for (int i = 0; i < 4; i++)
        printf("%s ", people[i].name);
    qsort(people, 4, sizeof *people, by_name);
    const struct person *found = bsearch(&(struct person){ "carl", 0 }, people, 4, sizeof *people,
                                         by_name);
    printf("%s %d\n", found != NULL ? found->name : "nobody", compared > 2);
    signal(SIGUSR1, caught);
    raise(SIGUSR1);
    raise(SIGUSR1);
    printf("%d signals, %g\n", (int)signals, apply(table, 3, 1.5));
    printf("%d\n", by_age == (int (*)(const void *, const void *))by_age && by_age != by_name);
    fflush(stdout);
    give_up(7);
}
