/* run_lost - a run that cannot begin, or cannot go on, does not pass for one that returned zero: an
 * int is the code, any other result is asked for, or the program ends with a message.
 * needs: threads
 * modes: woven forced
 * exit: 134
 * expect: int: out of memory, in between: out of memory
 * expect: plain entry: out of memory
 * expect: double: out of memory 0.0, no error 1.5
 * expect: struct: out of memory 0, no error 7
 * expect: void: out of memory, no error
 * expect: a check is for one run: no error, no error
 * expect: co4: co4_run of half() failed: out of memory. It has no code to return; see co4_run_checked(). */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <unistd.h>

static pausable int one(void)
{
    return 1;
}

static pausable int pauses(int fail)
{
    int a = fail;
    co4_test_fail_alloc(a);
    co4_yield();
    return a - fail;
}

pausable_or_plain int mixed(void);
pausable_or_plain int mixed(void)
{
    return 3;
}

static pausable double half(int n)
{
    return n + 0.5;
}

struct wide {
    long a[5];
};

static pausable struct wide wide(long n)
{
    return (struct wide){ { n } };
}

static pausable void nothing(void) {}

int main(void)
{
    int code, again = 9;
    double d;
    struct wide w;
    dup2(1, 2);
    setbuf(stdout, NULL);
    co4_run(pauses(0)); /* later runs need no allocation */
    co4_test_fail_alloc(1);
    printf("int: %s", co4_strerror(co4_run(one())));
    co4_run(nothing()); /* the last code is no error */
    printf(", in between: %s\n", co4_strerror(co4_run(pauses(-1))));
    co4_test_fail_alloc(1);
    printf("plain entry: %s\n", co4_strerror(mixed()));
    co4_test_fail_alloc(1);
    d = co4_run_checked(&code, half(1));
    printf("double: %s %.1f, ", co4_strerror(code), d);
    d = co4_run_checked(&code, half(1));
    printf("%s %.1f\n", co4_strerror(code), d);
    co4_test_fail_alloc(1);
    w = co4_run_checked(&code, wide(7));
    printf("struct: %s %ld, ", co4_strerror(code), w.a[0]);
    w = co4_run_checked(&code, wide(7));
    printf("%s %ld\n", co4_strerror(code), w.a[0]);
    co4_test_fail_alloc(1);
    co4_run_checked(&code, nothing());
    printf("void: %s, ", co4_strerror(code));
    co4_run_checked(&code, nothing());
    printf("%s\n", co4_strerror(code));
    co4_run_checked(&again, one());
    printf("a check is for one run: %s, ", co4_strerror(again));
    again = 0;
    co4_test_fail_alloc(1);
    co4_run(one());
    printf("%s\n", co4_strerror(again));
    co4_test_fail_alloc(1);
    d = co4_run(half(1));
    printf("%.1f\n", d);
    return 0;
}
