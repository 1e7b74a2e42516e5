/* test_net.c - the source of closed descriptors; the table of descriptors; the order of attempts;
 * the addresses of Unix sockets and the errors that are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/closed.h"
#include "io/descriptor.h"
#include "net/address.h"
#include "net/attempts.h"
#include "net/unix.h"

static int taken(struct co4__closed *c)
{
    return (co4_await_until)(&c->source, NULL, 0, CO4_NOW);
}

static void a_closing_is_noticed_after_the_look(void **state)
{
    struct co4__closed c;
    (void)state;
    co4_close(dup(0)); /* nothing watches */
    co4__closed_begin(&c);
    assert_int_equal(taken(&c), CO4_EEMPTY);
    close(dup(0)); /* not by co4_close() */
    assert_int_equal(taken(&c), CO4_EEMPTY);
    co4_close(dup(0));
    assert_int_equal(taken(&c), CO4_OK);
    co4__closed_look(&c);
    assert_int_equal(taken(&c), CO4_EEMPTY);
    int fds[2];
    assert_int_equal(co4_pipe(fds), 0);
    co4_close(fds[0]); /* an attached one */
    assert_int_equal(taken(&c), CO4_OK);
    co4__closed_end();
    assert_int_equal(atomic_load(&co4__closed_watchers), 0);
    co4_close(fds[1]);
}

/* The table grows; the records of numbers between do not exist. */
static void numbers_may_be_large(void **state)
{
    static const int numbers[] = { 3000, 131072, 131071, 1000000, 16777215 };
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_null(co4__descriptor_at(numbers[i] - 257));
        struct co4__descriptor *d = co4__descriptor_make(numbers[i]);
        assert_non_null(d);
        assert_int_equal(d->fd, numbers[i]);
        assert_ptr_equal(co4__descriptor_at(numbers[i]), d);
        assert_ptr_equal(co4__descriptor_make(numbers[i]), d);
    }
    assert_int_equal(co4__descriptor_at(3000)->fd, 3000);
    assert_null(co4__descriptor_make(16777216));
    assert_null(co4__descriptor_at(16777216));
    assert_null(co4__descriptor_at(-1));
}

static void order(const char *families, const char *expected)
{
    struct addrinfo list[8];
    char got[9] = "";
    size_t n = strlen(families);
    memset(list, 0, sizeof list);
    for (size_t i = 0; i < n; i++) {
        list[i].ai_family = families[i] == '4' ? AF_INET : AF_INET6;
        list[i].ai_flags = (int)i;
        list[i].ai_next = i + 1 < n ? &list[i + 1] : NULL;
    }
    struct co4__attempts *a = co4__attempts_create(list);
    assert_non_null(a);
    assert_int_equal(a->count, n);
    for (size_t i = 0; i < n; i++)
        got[i] = (char)('a' + a->addresses[i]->ai_flags);
    assert_string_equal(got, expected);
    co4__attempts_free(&a);
}

static void families_alternate(void **state)
{
    (void)state;
    order("4", "a");
    order("6644", "acbd");
    order("4466", "acbd");
    order("444", "abc");
    order("4446", "adbc");
    order("646464", "abcdef");
    order("466666", "abcdef");
}

static void the_code_that_says_most(void **state)
{
    (void)state;
    assert_int_equal(co4__telling_code(CO4_OK, -ENETUNREACH), -ENETUNREACH);
    assert_int_equal(co4__telling_code(-ENETUNREACH, -ECONNREFUSED), -ECONNREFUSED);
    assert_int_equal(co4__telling_code(-ECONNREFUSED, -ENETUNREACH), -ECONNREFUSED);
    assert_int_equal(co4__telling_code(-ECONNREFUSED, CO4_ETIMEDOUT), CO4_ETIMEDOUT);
    assert_int_equal(co4__telling_code(-ENETUNREACH, -EAFNOSUPPORT), -EAFNOSUPPORT);
}

static void names_have_codes(void **state)
{
    (void)state;
    errno = EMFILE;
    assert_int_equal(co4__name_code(EAI_SYSTEM), -EMFILE);
    assert_int_equal(co4__name_code(0), CO4_OK);
    assert_int_equal(co4__name_code(EAI_NONAME), -ENOENT);
    assert_int_equal(co4__name_code(EAI_SERVICE), CO4_EINVAL);
    assert_int_equal(co4__name_code(EAI_AGAIN), CO4_EAGAIN);
    assert_int_equal(co4__name_code(EAI_FAIL), -EIO);
    assert_int_equal(co4__name_code(EAI_MEMORY), CO4_ENOMEM);
    assert_int_equal(co4__name_code(EAI_FAMILY), CO4_EINVAL);
}

static void paths(void **state)
{
    struct sockaddr_un address;
    socklen_t length;
    (void)state;
    assert_int_equal(co4__unix_address("/tmp/x", &address, &length), CO4_OK);
    assert_true(co4__unix_is_file(&address));
    assert_int_equal(length, offsetof(struct sockaddr_un, sun_path) + 7);
    assert_string_equal(address.sun_path, "/tmp/x");
#ifdef __linux__
    assert_int_equal(co4__unix_address("@x", &address, &length), CO4_OK);
    assert_false(co4__unix_is_file(&address));
    assert_int_equal(length, offsetof(struct sockaddr_un, sun_path) + 2);
#else
    assert_int_equal(co4__unix_address("@x", &address, &length), -ENOTSUP);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closing_is_noticed_after_the_look),
        cmocka_unit_test(numbers_may_be_large),
        cmocka_unit_test(families_alternate),
        cmocka_unit_test(the_code_that_says_most),
        cmocka_unit_test(names_have_codes),
        cmocka_unit_test(paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
