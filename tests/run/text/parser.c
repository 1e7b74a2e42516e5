/* parser - a recursive-descent parser whose next character has to be waited for.
 * expect: 12 -75 */
#include <co4.h>
#include <stdio.h>

static const char *input;
static int current;

static pausable int next(void)
{
    co4_yield();
    return current = (unsigned char)*input++;
}

static pausable long sum(void);

static pausable long atom(void)
{
    long n = 0;
    int sign = 1;
    while (current == '-') {
        sign = -sign;
        next();
    }
    if (current == '(') {
        next();
        n = sum();
        next();
        return sign * n;
    }
    for (; current >= '0' && current <= '9'; next())
        n = n * 10 + (current - '0');
    return sign * n;
}

static pausable long product(void)
{
    long n = atom();
    while (current == '*' || current == '/')
        if (current == '*' && next())
            n *= atom();
        else if (next())
            n /= atom();
    return n;
}

static pausable long sum(void)
{
    long n = product();
    for (;;)
        switch (current) {
        case '+':
            next();
            n += product();
            continue;
        case '-':
            next();
            n -= product();
            continue;
        default:
            return n;
        }
}

static pausable long evaluate(const char *text)
{
    input = text;
    next();
    return sum();
}

static pausable void work(void)
{
    printf("%ld %ld\n", evaluate("1+2*(3-4)*-(5+6)/2"), evaluate("((7))-8*9-10"));
}

int main(void)
{
    co4_run(work());
    return 0;
}
