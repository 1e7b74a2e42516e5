/* test_error.c - the table of codes. */
#include <errno.h>

#include "woven.h"

static void names_and_texts(void **state)
{
    (void)state;
    assert_string_equal(co4_errname(CO4_OK), "CO4_OK");
    assert_string_equal(co4_errname(CO4_ENOMEM), "CO4_ENOMEM");
    assert_string_equal(co4_strerror(CO4_ECLOSED), "closed, and nothing is left to take");
    assert_string_equal(co4_errname(17), "CO4_E?");
    assert_string_equal(co4_strerror(-1000), "unknown error");
    assert_string_equal(co4_strerror(CO4_ENDED(0)), "a case of the select has ended");
    assert_string_equal(co4_errname(CO4_ENDED(3)), "CO4_ENDED");
    assert_string_equal(co4_errname(CO4_ENDED(0) + 1), "CO4_E?");
}

/* One number for each reason, and the names of the table. */
static void codes_of_the_system(void **state)
{
    (void)state;
    static const int numbers[] = { ENOMEM, EINVAL, EBADF,  ETIMEDOUT, ECANCELED,
                                   EBUSY,  EPERM,  EAGAIN, EDEADLK };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int code = co4_code_of_errno(numbers[i]);
        assert_true(code < CO4_ERROR_BASE_ && code > CO4_ERROR_LAST_);
        if (numbers[i] != EBADF && numbers[i] != EPERM) /* -1 is no code */
            assert_string_equal(co4_errname(code) + strlen("CO4_"), co4_errname(-numbers[i]));
    }
    assert_int_equal(co4_code_of_errno(EBADF), CO4_ECLOSED);
    assert_int_equal(co4_code_of_errno(ENOENT), -ENOENT);
    assert_string_equal(co4_errname(-ENOENT), "ENOENT");
    assert_string_equal(co4_strerror(-ENOENT), "No such file or directory");
    assert_int_equal(co4_code_of_errno(0), CO4_EINVAL);
    assert_int_equal(co4_code_of_errno(-7), CO4_EINVAL);
}

static void codes_are_distinct_and_dense(void **state)
{
    (void)state;
    for (int code = CO4_ERROR_BASE_ - 1; code > CO4_ERROR_LAST_; code--) {
        assert_true(strcmp(co4_errname(code), "CO4_E?") != 0);
        assert_true(strcmp(co4_strerror(code), "unknown error") != 0);
    }
    assert_string_equal(co4_errname(CO4_ERROR_LAST_), "CO4_E?");
    assert_string_equal(co4_errname(CO4_ERROR_BASE_), "CO4_E?");
    assert_string_equal(co4_errname(-1), "CO4_E?"); /* return values of programs */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_texts),
        cmocka_unit_test(codes_of_the_system),
        cmocka_unit_test(codes_are_distinct_and_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
