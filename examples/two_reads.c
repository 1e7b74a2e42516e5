/* two_reads.c - two reads at once, zipped: when one fails, the other is cancelled.
 *
 *     two_reads [left|right|both|none]      which of them fail; none when absent
 *
 * (Gears' example of structured concurrency: the zip of two futures.) */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <string.h>

struct read {
    const char *name;
    int ms;      /* what it takes */
    bool failed; /* whether it fails then */
    char text[16];
};

/* Represents a read of a slow device. Returns the length of the text, or a code. */
static pausable int read_slowly(struct read *r)
{
    int err = co4_sleep(r->ms * CO4_MS);
    if (err == CO4_OK && r->failed)
        err = CO4_EINVAL;
    if (err == CO4_OK)
        err = snprintf(r->text, sizeof r->text, "%s's text", r->name);
    printf("%s: %s\n", r->name, err < 0 ? co4_strerror(err) : "read");
    return err;
}

struct lengths {
    int left, right;
};

static pausable int read_both(struct read *left, struct read *right, struct lengths *lengths)
{
    co4_future *l = co4_async(read_slowly(left)), *r = co4_async(read_slowly(right));
    co4_future *both = CO4_FUTURE_ZIP(struct lengths, l, left, r, right, CO4_FUTURE_CANCEL);
    int err = both ? co4_future_await(both, lengths) : CO4_ENOMEM; /* no l, no r: no both */
    /* A cancelled task has seen it when this is over: `left` and `right` are ours again. */
    if (l)
        co4_future_await(l, NULL);
    if (r)
        co4_future_await(r, NULL);
    co4_future_release(both);
    co4_future_release(l);
    co4_future_release(r);
    return err;
}

int main(int argc, char **argv)
{
    const char *fails = argc > 1 ? argv[1] : "none";
    bool all = strcmp(fails, "both") == 0;
    struct read left = { "left", 20, all || strcmp(fails, "left") == 0, "" },
                right = { "right", 300, all || strcmp(fails, "right") == 0, "" };
    struct lengths lengths;
    if (!left.failed && !right.failed && strcmp(fails, "none") != 0) {
        fprintf(stderr, "usage: two_reads [left|right|both|none]\n");
        return 2;
    }
    co4_test_begin(NULL); /* time passes at once: no test has to wait for a simulated delay */
    int err = co4_run(read_both(&left, &right, &lengths));
    co4_test_end(NULL);
    if (co4_run_error() != CO4_OK || err == CO4_ENOMEM) {
        fprintf(stderr, "two_reads: %s\n", co4_strerror(CO4_ENOMEM));
        return 1;
    }
    if (err == CO4_OK)
        printf("%s, %s: %d and %d bytes\n", left.text, right.text, lengths.left, lengths.right);
    else
        printf("not both: %s\n", co4_strerror(err));
    return 0;
}
