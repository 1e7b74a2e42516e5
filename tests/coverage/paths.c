/* paths.c - some of its lines run and some do not, plain and woven alike: see check. It prints
 * nothing. */
#include <co4.h>

/* Lines are what this is about. */
/* clang-format off */
static int seen;

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int never_called(int n)
{
    seen += n;
    return wait_for(n);
}

static pausable int branches(int n)
{
    int result = 0;
    if (wait_for(n) > 2)
        result = wait_for(1);
    else
        result = 2;
    if (result == 7) {
        result = wait_for(3);
        seen++;
    }
    switch (wait_for(n)) {
    case 1:
        result += 1;
        break;
    case 2:
        result += wait_for(2);
        /* fall through */
    case 3:
        result += 3;
        break;
    default:
        result = -1;
    }
    return result;
}

static pausable int loops(int n)
{
    int sum = 0;
    for (int i = 0; i < wait_for(n); i++) {
        if (i == 1)
            continue;
        if (i == 3)
            break;
        sum += wait_for(i);
    }
    while (wait_for(0)) {
        sum += 100;
        wait_for(1);
    }
    do {
        sum++;
    } while (wait_for(sum) < 5);
    for (int k = 0; k < n - 100;
         k++)
        sum += wait_for(k);
    return sum;
}

static pausable int fails(int n)
{
    int *reached = &n;
    if (wait_for(*reached) == 0)
        goto failed;
    wait_for(1);
    return 0;
failed:
    seen--;
    wait_for(2);
    return -1;
}

static pausable int expressions(int n)
{
    int both = wait_for(n) &&
               wait_for(n - 1);
    int either = n > 0 ||
                 wait_for(5);
    int one = n > 0
                  ? wait_for(1)
                  : wait_for(2); /* woven: not run, for gcc counts here, when plain, the store */
    return both +
           either +
           one;
}

static pausable void nothing(int n)
{
    if (n)
        return;
    wait_for(n);
    seen = 0;
}

static int plain(int n)
{
    if (n > 100)
        return 0;
    return n + 1;
}

static pausable int all(void)
{
    int sum = branches(1) + branches(3);
    sum += loops(4);
    if (sum < 0)
        sum = never_called(sum);
    sum += fails(1);
    sum += expressions(1);
    nothing(1);
    return plain(sum);
}

int main(void)
{
    if (co4_run(all()) == 0)
        return 1;
    return 0;
}
