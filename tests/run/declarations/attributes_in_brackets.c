/* attributes_in_brackets.c - C23's [[attributes]] in every place of pausable functions and in their
 * bodies; those that would let compilers merge calls, or forget them, do not stay, in either
 * spelling.
 * flags: -std=gnu2x -Wno-attributes
 * expect: 1 2 3 4 5 6
 * expect: 21 7 3 */
#include <co4.h>
#include <stdio.h>

[[nodiscard]] pausable int in_front(int n);
[[nodiscard]] pausable int in_front(int n)
{
    co4_yield();
    return n;
}

[[nodiscard, gnu::const]] [[maybe_unused]] static pausable int merged(int n [[maybe_unused]])
{
    co4_yield();
    return n;
}

static pausable int behind_name [[gnu::pure, gnu::cold]] (int n)
{
    co4_yield();
    return n;
}

__attribute__((__pure__, returns_twice)) static pausable int in_gnu(int n)
{
    co4_yield();
    return n;
}

static pausable __attribute__((const)) int(in_brackets)(int n)
{
    co4_yield();
    return n;
}

typedef pausable int behind(int) __attribute__((const));
static pausable int (*volatile pointer)(int) __attribute__((pure)) = in_brackets;

static pausable int body(int n)
{
    [[maybe_unused]] int kept = in_front(n), more [[maybe_unused]] = 1;
    [[maybe_unused]] static int forever;
    int sum = 0;
    switch (n) {
    case 1:
        sum += in_front(n);
        [[fallthrough]];
    case 2:
        sum += in_front(20);
        break;
        [[unlikely]] default : sum = in_front(n);
    }
    goto out;
    [[maybe_unused]] out : return sum;
}

static pausable void work(void)
{
    behind *function = behind_name;
    printf("%d %d %d %d %d %d\n", in_front(1), merged(1) + merged(1), behind_name(3),
           in_gnu(2) + in_gnu(2), pointer(5), function(6));
    printf("%d %d %d\n", body(1), body(7), body(3));
}

int main(void)
{
    co4_run(work());
    return 0;
}
