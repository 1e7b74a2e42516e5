/* return_paths - return from inside loops, switches and nested blocks; void return; return of a
 * void call.
 * expect: 3 -2 -100
 * expect: hello hello end */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int find(const int *values, int count, int wanted)
{
    for (int i = 0; i < count; i++) {
        switch (wait_for(values[i]) - wanted) {
        case 0:
            do {
                if (values[i] > 0)
                    return i;
                return wait_for(-i);
            } while (0);
        }
    }
    return -100;
}

static pausable void say(const char *text)
{
    co4_yield();
    if (text == NULL)
        return;
    printf("%s ", text);
}

static pausable void say_twice(const char *text)
{
    say(text);
    if (text == NULL)
        return;
    while (1) {
        say(text);
        return;
    }
}

static pausable void work(void)
{
    static const int values[] = { 4, 8, -15, 16, 23 };
    printf("%d ", find(values, 5, 16));
    printf("%d ", find(values, 5, -15));
    printf("%d\n", find(values, 5, 42));
    say_twice("hello");
    say_twice(NULL);
    puts("end");
}

int main(void)
{
    co4_run(work());
    return 0;
}
