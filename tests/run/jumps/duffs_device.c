/* duffs_device - Duff's device with a suspension point in every case.
 * flags: -Wno-implicit-fallthrough
 * expect: abcdefghijk
 * expect: 0123
 * expect: x
 * expect: hello */
#include <co4.h>
#include <stdio.h>

static pausable void put(char c)
{
    co4_yield();
    putchar(c);
}

static pausable void send(const char *from, int count)
{
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            put(*from++);
        case 3:
            put(*from++);
        case 2:
            put(*from++);
        case 1:
            put(*from++);
        } while (--n > 0);
    }
    putchar('\n');
}

static pausable void work(void)
{
    send("abcdefghijk", 11);
    send("0123", 4);
    send("x", 1);
    send("hello", 5);
}

int main(void)
{
    co4_run(work());
    return 0;
}
