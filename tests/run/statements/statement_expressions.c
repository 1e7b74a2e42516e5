/* statement_expressions.c - suspension points inside statement expressions, at all places of an
 * expression.
 * expect: simple 11, nested 26, void 5
 * expect: struct 7 8, string abc
 * expect: sum 10: 1 2 3 4
 * expect: before 1 then 2 3 = 123
 * expect: and 0 or 1 cond 40 elvis 9
 * expect: max 9 calls 2
 * expect: swapped 4 3
 * expect: early -3, late 6
 * expect: loop 0 2 4 left at 6
 * expect: switch two, condition 5 turns
 * expect: goto 14
 * expect: for 0 1 2
 * expect: kept 111 */
#include <co4.h>
#include <stdio.h>

static int calls;

static pausable int wait_for(int n)
{
    co4_yield();
    calls++;
    return n;
}

#define max(a, b)                                                                                  \
    ({                                                                                             \
        __typeof__(a) max_a = (a);                                                                 \
        __typeof__(b) max_b = (b);                                                                 \
        max_a > max_b ? max_a : max_b;                                                             \
    })
#define swap(a, b)                                                                                 \
    ({                                                                                             \
        __auto_type swap_a = wait_for(a);                                                          \
        (a) = wait_for(b);                                                                         \
        (b) = swap_a;                                                                              \
        (void)0;                                                                                   \
    })
#define TRY(call)                                                                                  \
    ({                                                                                             \
        int try_result = (call);                                                                   \
        if (try_result < 0)                                                                        \
            return try_result;                                                                     \
        try_result;                                                                                \
    })

struct pair {
    int a, b;
};

static pausable int tries(int n)
{
    int first = TRY(wait_for(n));
    return first + TRY(wait_for(first)) + TRY(1 + wait_for(n - 1));
}

static pausable void simple(int n)
{
    int simple = ({
                     int m = wait_for(n);
                     m + 1;
                 }) +
                 n;
    int nested = ({
                     int outer = wait_for(n);
                     outer *({
                         int inner = wait_for(outer + 1);
                         inner - wait_for(outer - 4) + outer + ({ wait_for(-n); });
                     });
                 }) +
                 1;
    int left = 5;
    ({
        wait_for(1);
        left -= wait_for(0);
    });
    printf("simple %d, nested %d, void %d\n", simple + (n - n), nested, left);
}

static pausable void structs(void)
{
    struct pair p = ({
        struct pair q = { wait_for(7), 0 };
        q.b = wait_for(8);
        q;
    });
    const char *text = ({
        char c = (char)wait_for('a');
        c == 'a' ? "abc" : "?";
    });
    printf("struct %d %d, string %s\n", p.a, ({
                                                 wait_for(0);
                                                 p;
                                             }).b,
           text);
}

static pausable void loops(void)
{
    int list[4], *at = list;
    int sum = ({
        int total = 0;
        for (int i = 1; i <= 4; i++)
            total += *at++ = wait_for(i);
        total;
    });
    printf("sum %d: %d %d %d %d\n", sum, list[0], list[1], list[2], list[3]);
}

static int say(int n)
{
    printf("%s%d", n == 1 ? "before " : n == 2 ? " then " : " ", n);
    return n;
}

static pausable void order(void)
{
    int n = say(1) * 100 + ({
                int k = say(wait_for(2));
                k * 10;
            }) +
            say(3);
    printf(" = %d\n", n);
}

static pausable void arms(int zero)
{
    int a = zero && ({ wait_for(1); });
    int o = zero || ({
                int k = wait_for(3);
                k > 2;
            });
    int c = zero ? 1 : ({ wait_for(4) * 10; });
    int e = ({ wait_for(zero); }) ?: ({ wait_for(9); });
    printf("and %d or %d cond %d elvis %d\n", a, o, c, e);
    calls = 0;
    int m = max(wait_for(4), wait_for(9));
    printf("max %d calls %d\n", m, calls);
    int x = 3, y = 4;
    swap(x, y);
    printf("swapped %d %d\n", x, y);
}

static pausable void jumps(void)
{
    printf("loop");
    int i;
    for (i = 0;; i++) {
        int even = ({
            if (wait_for(i) % 2 != 0)
                continue;
            if (wait_for(i) == 6)
                break;
            i;
        });
        printf(" %d", even);
    }
    printf(" left at %d\n", i);
    int turns = 0;
    while (({
        int more = wait_for(turns) < 5;
        turns += more;
        more;
    }))
        ;
    switch (({
        int k = wait_for(turns);
        k - 3;
    })) {
    case 2:
        printf("switch two, condition %d turns\n", turns);
        break;
    default:
        printf("switch?\n");
    }
    int n = 0;
    n += ({
        int k = wait_for(10);
    again:
        if (k < 14 && ({
                k++;
                wait_for(1);
            }))
            goto again;
        if (k == 14)
            goto out;
        k;
    });
    n = 1000;
out:
    n += 14;
    printf("goto %d\n", n);
    printf("for");
    for (int j = ({ wait_for(0); }); j < ({ wait_for(3); }); ({
             wait_for(1);
             j++;
         }))
        printf(" %d", j);
    printf("\n");
}

/* Values of one statement expression kept while another waits. */
static pausable void kept(int n)
{
    int values[3] = { ({ wait_for(n); }), ({
                          int a = wait_for(n);
                          a * 10;
                      }),
                      ({
                          int b[2] = { wait_for(n), 100 };
                          int *p = b;
                          wait_for(0);
                          p[0] * p[1];
                      }) };
    printf("kept %d\n", values[0] + ({
                            wait_for(0);
                            values[1];
                        }) + ({
                            wait_for(0);
                            values[2];
                        }));
}

static pausable int all(void)
{
    simple(5);
    structs();
    loops();
    order();
    arms(0);
    printf("early %d, ", tries(-3));
    printf("late %d\n", tries(2));
    jumps();
    kept(1);
    return 0;
}

int main(void)
{
    return co4_run(all());
}
