/* combine.c - the lead example of co4/combine.h.
 * modes: woven forced
 * expect: 4: no error
 * expect: 6: no error
 * expect: the deadline has passed */
#include <co4.h>
#include <stdio.h>

static int is_even(void *arg, const void *value)
{
    (void)arg;
    return *(const int *)value % 2 == 0;
}

static pausable void next_even(co4_mailbox *in, int64_t deadline)
{
    int n;
    co4_filtering even;
    co4_timed timed;
    co4_source *s = co4_source_until(
        &timed, co4_source_filter(&even, co4_mailbox_source(in), is_even, NULL), deadline);
    int err = co4_await(s, &n);
    if (err == CO4_OK)
        printf("%d: ", n);
    puts(co4_strerror(err));
}

int main(void)
{
    co4_mailbox *in = co4_mailbox_create(sizeof(int), 8);
    int put = CO4_OK;
    for (int i = 4; i <= 6 && put == CO4_OK; i += 2)
        put = co4_mailbox_send_until(in, &i, CO4_NOW);
    if (put != CO4_OK)
        return 1;
    for (int i = 0; i < 3; i++)
        co4_run(next_even(in, co4_now() + (i < 2 ? 60 * CO4_SEC : CO4_MS)));
    return co4_mailbox_destroy(in);
}
