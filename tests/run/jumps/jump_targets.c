/* jump_targets - a computed goto goes to labels whose address is taken, and an asm goto to those
 * that it names; other labels are where neither could go.
 * flags: -Wno-pedantic
 * needs: computed-goto
 * expect: a label in an expression: 7
 * expect: a table: 9, a member: 19
 * expect: asm goto: 7, kept past a pause: 6
 * expect: labels of blocks: 3 and 12, colons elsewhere: 8
 * expect: a loop of jumps: 1 2 4 8 then 15 */
#include <co4.h>
#include <stdio.h>

pausable static int w(int n)
{
    co4_yield();
    return n;
}

pausable static int in_expression(int n)
{
    void *p = &&c;
    int acc = 0;
    acc += w(n);
    goto *p;
c:
    acc += w(1) + ({
               again:
                   n++;
                   n += w(1);
                   if (n < 5)
                       goto again;
                   n;
           });
    return acc;
}

pausable static int from_table(int n, int member)
{
    static void *const table[] = { &&c, &&d };
    struct {
        void *p;
    } s = { &&d };
    int acc = w(n);
    if (member)
        goto *s.p;
    goto *table[0];
d:
    acc += w(10);
c:
    return acc + w(1) + ({
               int z = w(2);
           again:
               n++;
               n += w(z);
               if (n < 5)
                   goto again;
               n;
           });
}

pausable static int asm_goto(int n)
{
    int acc = w(n);
    __asm__ goto("" : : : : c);
c:
    acc += w(1) + ({
               again:
                   n++;
                   n += w(1);
                   if (n < 5)
                       goto again;
                   n;
           });
    return acc;
}

/* A value that lives on behind the label alone is kept while the function pauses first. */
pausable static int asm_goto_keeps(int n)
{
    int kept = w(n), acc = w(1);
#if defined(__x86_64__) || defined(__i386__)
    __asm__ goto("jmp %l0" : : : : c, d);
#else
    if (n >= 0)
        goto c;
    goto d;
#endif
    acc = 0;
d:
    return acc;
c:
    return acc + kept + w(0);
}

/* Both have a label of this name of their own. */
#define TIMES(e, n)                                                                                \
    ({                                                                                             \
        __label__ end, again;                                                                      \
        int k_ = 0, n_ = (n);                                                                      \
    again:                                                                                         \
        k_ += (e);                                                                                 \
        __asm__ __volatile__ goto("" : : "r"(n_) : "memory" : end);                                \
        if (--n_ > 0)                                                                              \
            goto again;                                                                            \
    end:                                                                                           \
        k_;                                                                                        \
    })

pausable static int own_labels(int n)
{
    int acc = w(n) - 1;
    acc += w(0) + TIMES(w(1), 3);
    if (n > 1)
        acc += w(1) + TIMES(w(n), 2);
    goto end;
end:
    return acc;
}

pausable static int colons(int n)
{
    int acc = w(n);
    __asm__ goto(""
                 :
                 : [name] "r"(n ? acc : 2), "r"((int)sizeof ":::")
                 : "memory"
                 : c, /* : e */ d);
c:
    acc += w(1);
d:
    return acc + w(1) + ({
               again:
                   n += w(1);
                   if (n < 5)
                       goto again;
                   n;
           });
}

/* Each goes to the next; a plain label counts. */
pausable static int rounds(void)
{
    void *next[] = { &&one, &&two, &&one, &&two, &&end };
    int at = 0, sum = 0, bit = 1;
    goto *next[at++];
one:
    printf(" %d", bit);
    sum += w(bit);
    goto twice;
two:
    printf(" %d", w(bit));
    sum += bit;
twice:
    bit += w(bit);
    goto *next[at++];
end:
    return sum;
}

pausable static int all(void)
{
    printf("a label in an expression: %d\n", in_expression(1));
    printf("a table: %d, ", from_table(1, 0));
    printf("a member: %d\n", from_table(1, 1));
    printf("asm goto: %d, ", asm_goto(1));
    printf("kept past a pause: %d\n", asm_goto_keeps(5));
    printf("labels of blocks: %d and %d, ", own_labels(1), own_labels(3));
    printf("colons elsewhere: %d\n", colons(1));
    printf("a loop of jumps:");
    int sum = rounds();
    printf(" then %d\n", sum);
    return 0;
}

int main(void)
{
    return co4_run(all());
}
