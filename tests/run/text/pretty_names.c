/* pretty_names - __PRETTY_FUNCTION__, which assert() prints: with the parameters where the compiler
 * has them there, in an ordinary pausable function, a mixed one, and one that has a parameter of
 * its own name.
 * expect: plain right right
 * expect: then plain right
 * expect: mixed right
 * expect: hides right
 * expect: mixed right
 * expect: main right 10 */
#include <co4.h>
#include <stdio.h>
#include <string.h>

#if defined(__clang__)
#define CHECK(signature, name) strcmp(__PRETTY_FUNCTION__, signature) == 0 ? "right" : "wrong"
#else
#define CHECK(signature, name) strcmp(__PRETTY_FUNCTION__, name) == 0 ? "right" : "wrong"
#endif

static pausable int plain(const char *text, int n)
{
    printf("%s %s %s\n", __func__, CHECK("int plain(const char *, int)", "plain"),
           sizeof __PRETTY_FUNCTION__ == strlen(__PRETTY_FUNCTION__) + 1 ? "right" : "wrong");
    co4_yield();
    printf("%s %s %s\n", text, __func__, CHECK("int plain(const char *, int)", "plain"));
    return n;
}

static pausable_or_plain int mixed(int n)
{
    co4_yield();
    printf("%s %s\n", __func__, CHECK("int mixed(int)", "mixed"));
    return n;
}

static pausable int hides(int hides)
{
    co4_yield();
    printf("%s %s\n", __FUNCTION__, CHECK("int hides(int)", "hides"));
    return hides;
}

static pausable int work(void)
{
    int a = plain("then", 1);
    int b = mixed(2);
    return a + b + hides(3);
}

int main(void)
{
    int a = co4_run(work());
    int b = mixed(4);
    printf("%s %s %d\n", __func__, CHECK("int main(void)", "main"), a + b);
    return 0;
}
