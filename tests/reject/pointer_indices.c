#include <co4.h>

enum { first, second, third, count };

struct mix {
    int (*plain)(int); /* note: member 'plain' is declared here */
    pausable int (*later)(int);
};

struct all {
    struct mix mix[count];
    int (*behind)(int); /* note: member 'behind' is declared here */
};

static pausable int next(int n)
{
    return co4_yield() + n;
}

static struct mix table[count] = {
    [second] = { .plain = next }, /* error: 'next' is pausable, but member 'plain' takes a plain function */ /* hint: mark */
};

static pausable int use(int n)
{
    struct all a = {
        .mix[third] = { .later = next },
        next, /* error: 'next' is pausable, but member 'behind' takes a plain function */ /* hint: mark */
    };
    struct all b = {
        .mix[sizeof(char) + second].later = next,
        next, /* error: 'next' is pausable, but member 'behind' takes a plain function */ /* hint: mark */
    };
    return a.behind(n) + b.behind(n) + table[second].plain(n);
}
