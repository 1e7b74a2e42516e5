/* test_array.c - arrays that grow by one item: they keep what they have, also where there is no
 * memory, move seldom, and refuse sizes that no memory has. */
#include "woven.h"

#include <stdint.h>

#include "base/array.h"

enum { ITEMS = 5000 };

/* Each growth that needs memory fails once. */
static void keeps_its_items(void **state)
{
    (void)state;
    int *items = NULL, failed = 0;
    for (size_t n = 0; n < ITEMS; n++) {
        co4_test_fail_alloc(1);
        int *more = co4__array_grow(items, n, sizeof *items);
        bool fails = co4_test_fail_alloc(0) == 0;
        assert_true(fails == !more);
        failed += fails;
        if (fails)
            more = co4__array_grow(items, n, sizeof *items);
        assert_non_null(more);
        items = more;
        items[n] = (int)n;
    }
    for (int n = 0; n < ITEMS; n++)
        assert_int_equal(items[n], n);
    assert_int_equal(failed, 14); /* at 0, and at 1, 2, 4 to 4096 */
    co4__heap_free(items);
}

/* It falls below a power of two and rises again. */
static void falls_and_rises(void **state)
{
    (void)state;
    long *items = NULL;
    for (size_t n = 0; n < 100; n++) {
        assert_non_null(items = co4__array_grow(items, n, sizeof *items));
        items[n] = (long)n;
    }
    for (size_t n = 3; n < 200; n++) {
        assert_non_null(items = co4__array_grow(items, n, sizeof *items));
        items[n] = (long)n;
    }
    for (long n = 0; n < 200; n++)
        assert_int_equal(items[n], n);
    co4__heap_free(items);
}

static void too_many(void **state)
{
    (void)state;
    char item;
    size_t most = SIZE_MAX / 2 + 1; /* a power of two */
    assert_null(co4__array_grow(&item, most, 1));
    assert_null(co4__array_grow(&item, most / 8, 16)); /* 2^64 bytes would be none */
    assert_null(co4__array_grow(&item, most / 2, 24));
    assert_ptr_equal(co4__array_grow(&item, most - 1, 1), &item); /* that has its room */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_its_items),
        cmocka_unit_test(falls_and_rises),
        cmocka_unit_test(too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
