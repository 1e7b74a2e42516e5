/* chosen_duals.c - calls of functions for both kinds of code, one of which an expression chooses:
 * they pause. If one of them is plain, all of them are called plainly.
 * modes: woven forced
 * expect: a condition: 11, another task has run
 * expect: the other arm: 12, another task has run
 * expect: behind a comma: 11, another task has run
 * expect: behind a star: 12, another task has run
 * expect: in both: 12, another task has run
 * expect: or a plain one: 13, no other task has run */
#include <co4.h>
#include <stdio.h>

static int others;

static pausable void runs(void)
{
    others++;
}

static pausable_or_plain int one(int n)
{
    co4_yield();
    return n + 1;
}

static pausable_or_plain int two(int n)
{
    co4_yield();
    return n + 2;
}

static int three(int n)
{
    return n + 3;
}

static void say(const char *what, int n)
{
    printf("%s: %d, %s task has run\n", what, n, others ? "another" : "no other");
}

static void begin(void)
{
    others = 0;
    co4_spawn(runs());
}

static pausable void all(int yes)
{
    begin();
    say("a condition", (yes ? one : two)(10));
    begin();
    say("the other arm", (!yes ? one : two)(10));
    begin();
    say("behind a comma", ((void)yes, one)(10));
    begin();
    say("behind a star", (*two)(10));
    begin();
    say("in both", (yes ? (!yes ? one : *two) : one)(10));
    begin();
    say("or a plain one", (yes ? three : one)(10));
}

int main(int argc, char **argv)
{
    (void)argv;
    co4_run(all(argc > 0));
    return 0;
}
