/* conditional - ?: with points in the condition and both arms, nested, void, of pointer and of
 * struct type.
 * expect: 20 0 2 none zero 7/8 6 nought | 0.5 2
 * expect: 10 -1 1 some not null 7/8 6 plus | 1.0 1
 * expect: 20 2 3 some not null 2/-2 6 plus 2.0 1
 * expect: 10 3 4 some not null 3/-3 -3 plus | 3.0 1 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct pair {
    int a, b;
};

static pausable struct pair pair_of(int a, int b)
{
    co4_yield();
    return (struct pair){ a, b };
}

static pausable const char *name(const char *text)
{
    co4_yield();
    return text;
}

static pausable void say(const char *text)
{
    co4_yield();
    printf("%s ", text);
}

static pausable void work(void)
{
    struct pair fixed = { 7, 8 };
    for (int i = 0; i < 4; i++) {
        printf("%d ", i % 2 ? wait_for(10) : wait_for(20));
        printf("%d ", wait_for(i) > 1 ? i : wait_for(-i));
        printf("%d ", i < 2 ? i ? wait_for(1) : 2 : wait_for(i) == 2 ? wait_for(3) : wait_for(4));
        printf("%s ", i ? name("some") : "none");
        printf("%s ", wait_for(i) ? NULL == name("x") ? "null" : name("not null") : name("zero"));
        struct pair p = i > 1 ? pair_of(i, -i) : fixed;
        printf("%d/%d %d ", p.a, p.b, (i > 2 ? p : pair_of(5, 6)).b);
        i ? say("plus") : say("nought");
        wait_for(i) == 2 ? (void)0 : say("|");
        printf("%.1f %ld\n", i ? wait_for(i) : 0.5, i ? 1L : wait_for(2));
    }
}

int main(void)
{
    co4_run(work());
    return 0;
}
