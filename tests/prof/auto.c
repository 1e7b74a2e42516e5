/* auto.c - a program without marks, for --auto. */
#include <stdio.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void grind(long n)
{
    for (long i = 0; i < n; i++)
        sink += (unsigned long)i;
}

static int inner(int n)
{
    usleep(1000);
    grind(n);
    return n;
}

static int around(int n)
{
    return inner(n) + 1; /* line: around */
}

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 10; i++)
        sum += around(40000000); /* line: main */
    printf("%ld\n", sum);
    return 0;
}
