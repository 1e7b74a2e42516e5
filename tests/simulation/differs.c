/* differs.c - a run that depends on its process, of which it asks the system. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    int n = 0;
    FILE *file = fopen("/proc/self/stat", "r");
    if (!file || fscanf(file, "%d", &n) != 1)
        return 1;
    for (n %= 1000; n >= 0; n--)
        sched_yield();
    puts("over");
    fclose(file);
#ifdef END
    END;
#endif
    return 0;
}
