/* shadowed - the same name for different things in nested blocks, loops and parameters.
 * expect: file Inner 0 1 4.5 8 3 4 elsewhere 7 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static const char *name = "file";

static pausable void work(void);

static pausable int shadow(int n, int deep)
{
    int name = wait_for(n);
    {
        double name = wait_for(deep) + 0.5;
        wait_for(0);
        {
            char name[] = "inner";
            name[wait_for(0)] = 'I';
            printf("%s ", name);
        }
        for (long name = 0; name < wait_for(2); name++)
            printf("%ld ", name);
        printf("%.1f ", name);
        int deep = wait_for((int)name) * 2;
        printf("%d ", deep);
    }
    printf("%d %d ", name, deep);
    {
        extern const char *elsewhere;
        const char *name = elsewhere;
        wait_for(0);
        printf("%s ", name);
    }
    return name + deep;
}

const char *elsewhere = "elsewhere";

static pausable void work(void)
{
    printf("%s ", name);
    int result = shadow(3, 4);
    printf("%d\n", result);
}

int main(void)
{
    co4_run(work());
    return 0;
}
