/* test_deadlock.c - while an event can still come no wait ends as a deadlock. Threads fall
 * asleep, wake each other, begin and end beside the checks, which come without a break here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/deadlock.h"

struct relay {
    co4_mailbox *mb;
    int n, more;
};

static pthread_t begin_thread(void *(*main)(void *), void *arg)
{
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, main, arg), 0);
    return t;
}

/* One that starts another, and ends; the last one puts. */
static void *relays(void *arg)
{
    struct relay *r = arg;
    if (r->more-- == 0)
        co4_block(co4_mailbox_send(r->mb, &r->n));
    else
        pthread_detach(begin_thread(relays, r));
    return NULL;
}

static void threads_that_begin_and_end(void **state)
{
    (void)state;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    for (int i = 0; i < 500; i++) {
        struct relay *r = malloc(sizeof *r);
        int got = -1;
        *r = (struct relay){ mb, i, i % 4 };
        pthread_detach(begin_thread(relays, r));
        assert_int_equal(co4_block(co4_mailbox_receive(mb, &got)), CO4_OK);
        assert_int_equal(got, i);
        free(r);
    }
    co4_mailbox_destroy(mb);
}

struct pair {
    co4_mailbox *to, *from;
    int rounds;
};

static void *answers(void *arg)
{
    struct pair *p = arg;
    for (int n, i = 0; i < p->rounds; i++) {
        if (co4_block(co4_mailbox_receive(p->to, &n)) != CO4_OK)
            abort();
        if (co4_block(co4_mailbox_send(p->from, &n)) != CO4_OK)
            abort();
    }
    return NULL;
}

/* Each in turn is the only one that is awake. */
static void threads_that_wake_each_other(void **state)
{
    (void)state;
    struct pair p = { co4_mailbox_create(sizeof(int), 1), co4_mailbox_create(sizeof(int), 1),
                      3000 };
    pthread_t t = begin_thread(answers, &p);
    for (int n = 0, got, i = 0; i < p.rounds; i++) {
        assert_int_equal(co4_block(co4_mailbox_send(p.to, &n)), CO4_OK);
        assert_int_equal(co4_block(co4_mailbox_receive(p.from, &got)), CO4_OK);
    }
    pthread_join(t, NULL);
    co4_mailbox_destroy(p.to);
    co4_mailbox_destroy(p.from);
}

/* The last wait ends with the code, and goes on; then the next one does, until all have ended
 * so. */
static atomic_int told;

static void *waits_in_vain(void *mb)
{
    int n;
    if (co4_block(co4_mailbox_receive(mb, &n)) == CO4_EDEADLK)
        atomic_fetch_add(&told, 1);
    return NULL;
}

static void one_after_the_other(void **state)
{
    (void)state;
    int n, err;
    pthread_t all[5];
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    for (int i = 0; i < 5; i++)
        all[i] = begin_thread(waits_in_vain, mb);
    do
        err = co4_block(co4_mailbox_receive(mb, &n));
    while (err == CO4_EDEADLK && atomic_load(&told) < 5);
    assert_int_equal(err, CO4_EDEADLK);
    for (int i = 0; i < 5; i++)
        pthread_join(all[i], NULL);
    co4_mailbox_destroy(mb);
}

/* The report names the call that blocks. */
static void the_report_names_the_call(void **state)
{
    (void)state;
    int n = 0;
    char text[4096] = "";
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 1);
    assert_int_equal(co4_block(co4_mailbox_send(mb, &n)), CO4_OK);
    FILE *file = tmpfile();
    assert_non_null(file);
    int before = dup(2);
    dup2(fileno(file), 2);
    int full = co4_block(co4_mailbox_send(mb, &n));
    int received = co4_block(co4_mailbox_receive(mb, &n));
    int empty = co4_block(co4_mailbox_receive(mb, &n));
    dup2(before, 2);
    close(before);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(full, CO4_EDEADLK);
    assert_int_equal(received, CO4_OK);
    assert_int_equal(empty, CO4_EDEADLK);
    assert_non_null(strstr(text, "co4: deadlock: a thread in co4_mailbox_send waits"));
    assert_non_null(strstr(text, "co4: deadlock: a thread in co4_mailbox_receive waits"));
    co4_mailbox_destroy(mb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_begin_and_end),
        cmocka_unit_test(threads_that_wake_each_other),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(the_report_names_the_call),
    };
    co4__first_look = 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
