/* names_and_lines - __func__, __LINE__ and assert mean in a pausable function what they mean in
 * any.
 * needs: formats
 * expect: work name 2
 * expect: checked checked 8 */
#include <assert.h>
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable const char *name(void)
{
    co4_yield();
    return __func__;
}

static pausable int line(void)
{
    int before = __LINE__;
    wait_for(__LINE__);
    return __LINE__ - before;
}

static pausable void checked(int n)
{
    int same = wait_for(n);
    assert(same == n);
    static const char *const self = __func__;
    assert(self != NULL && n > 0);
    printf("%s %s %zu\n", __func__, __FUNCTION__, sizeof __func__);
}

static pausable void work(void)
{
    printf("%s %s %d\n", __func__, name(), line());
    checked(4);
}

int main(void)
{
    co4_run(work());
    return 0;
}
