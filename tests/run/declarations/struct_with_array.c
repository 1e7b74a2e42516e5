/* struct_with_array - arrays in struct parameters, results and locals, indexed across pauses.
 * expect: abc 3 abcabcabc b */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct text {
    char bytes[24];
    int length;
};

static pausable struct text append(struct text to, char c)
{
    co4_yield();
    to.bytes[to.length++] = c;
    to.bytes[to.length] = '\0';
    return to;
}

static pausable struct text repeat(struct text t, int count)
{
    struct text r = { "", 0 };
    for (int i = 0; i < count; i++)
        for (int k = 0; t.bytes[k] != '\0'; k++)
            r = append(r, t.bytes[k]);
    return r;
}

static pausable void work(void)
{
    struct text t = { "", 0 };
    t = append(append(append(t, 'a'), 'b'), 'c');
    printf("%s %d ", t.bytes, t.length);
    printf("%s ", repeat(t, 3).bytes);
    printf("%c\n", repeat(t, wait_for(2)).bytes[wait_for(4)]);
}

int main(void)
{
    co4_run(work());
    return 0;
}
