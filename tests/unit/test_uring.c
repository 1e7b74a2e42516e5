/* test_uring.c - a ring: calls begin and end, it is full, the kernel takes no more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "co4/io.h"
#include "io/uring.h"

enum { MOST = 256 };

static struct co4__uring *u;
static struct co4__uring_call calls[MOST + 1];

static int open_ring(void **state)
{
    int fd;
    u = co4__uring_open(&fd);
    if (u)
        *state = (void *)(intptr_t)(fd + 1);
    return 0;
}

static int close_ring(void **state)
{
    (void)state;
    if (u)
        co4__uring_close(u);
    u = NULL;
    return 0;
}

#define NEEDS_RING()                                                                               \
    do {                                                                                           \
        if (!u)                                                                                    \
            skip();                                                                                \
    } while (0)

static struct co4__descriptor *descriptor_of(int fd)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    assert_non_null(d);
    co4__descriptor_leave(d);
    return d;
}

static bool begin(int i, int fd, void *at, size_t bytes, off_t offset)
{
    struct iovec one = { at, bytes };
    const struct co4__uring_request q = { CO4__URING_READ, &one, 1, offset };
    calls[i] = (struct co4__uring_call){ .descriptor = descriptor_of(fd), .result = -1000 };
    return co4__uring_begin(u, &calls[i], &q);
}

static int take_all(void)
{
    int n = 0;
    for (struct co4__uring_call *c; (c = co4__uring_take(u)) != NULL;)
        for (; c; c = c->next)
            n++;
    return n;
}

static int make_file(void)
{
    char path[] = "/tmp/co4-ring.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    return fd;
}

static void a_call_ends_once(void **state)
{
    NEEDS_RING();
    (void)state;
    int fds[2];
    char got[4] = "";
    assert_int_equal(pipe(fds), 0);
    assert_false(co4__uring_is_busy(u));
    assert_true(begin(0, fds[0], got, 3, -1));
    assert_true(co4__uring_is_busy(u));
    assert_false(co4__uring_has(u));
    assert_null(co4__uring_take(u));
    assert_int_equal(write(fds[1], "abc", 3), 3);
    assert_true(co4__uring_wait(u));
    assert_true(co4__uring_has(u));
    assert_ptr_equal(co4__uring_take(u), &calls[0]);
    assert_int_equal(calls[0].result, 3);
    assert_string_equal(got, "abc");
    assert_null(co4__uring_take(u));
    assert_false(co4__uring_is_busy(u));
    co4_close(fds[0]);
    close(fds[1]);
}

static void a_full_ring_takes_no_call(void **state)
{
    NEEDS_RING();
    (void)state;
    static char got[MOST + 1];
    int fd = make_file();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MOST; i++)
            assert_true(begin(i, fd, &got[i], 1, i % 10));
        assert_false(begin(MOST, fd, &got[MOST], 1, 0));
        int n = take_all();
        while (n < MOST && co4__uring_wait(u))
            n += take_all();
        assert_int_equal(n, MOST);
        assert_false(co4__uring_is_busy(u));
        assert_int_equal(calls[MOST].result, -1000);
        for (int i = 0; i < MOST; i++) {
            assert_int_equal(calls[i].result, 1);
            assert_int_equal(got[i], '0' + i % 10);
        }
    }
    co4_close(fd);
}

static void errors_are_results(void **state)
{
    NEEDS_RING();
    (void)state;
    char got;
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_true(begin(0, fd, &got, 1, 0));
    while (!co4__uring_has(u) && co4__uring_wait(u))
        ;
    assert_int_equal(take_all(), 1);
    assert_int_equal(calls[0].result, -EBADF);
    co4_close(fd);
}

static void without_its_descriptor_it_takes_no_call(void **state)
{
    NEEDS_RING();
    char got;
    int fd = make_file(), ring = (int)(intptr_t)*state - 1;
    int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(dup2(other, ring), ring); /* the program has closed it */
    assert_false(begin(0, fd, &got, 1, 0));
    assert_false(begin(0, fd, &got, 1, 0));
    assert_false(co4__uring_is_busy(u));
    assert_false(co4__uring_wait(u));
    close(other);
    co4_close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_call_ends_once, open_ring, close_ring),
        cmocka_unit_test_setup_teardown(a_full_ring_takes_no_call, open_ring, close_ring),
        cmocka_unit_test_setup_teardown(errors_are_results, open_ring, close_ring),
        cmocka_unit_test_setup_teardown(without_its_descriptor_it_takes_no_call, open_ring,
                                        close_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
