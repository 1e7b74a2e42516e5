/* null_mailboxes.c - what calls of mailboxes and rings say when they are given none, or nothing to
 * put, or nowhere to put it.
 * expect: mailboxes: 32 of 32
 * expect: rings: 23 of 23 */
#include <co4.h>
#include <stdio.h>

static int all, right;

static void is(long long got, long long wanted)
{
    all++;
    if (got == wanted)
        right++;
    else
        printf("call %d says %lld, not %lld\n", all, got, wanted);
}

static pausable int waits(co4_mailbox *mb, int *n)
{
    size_t got;
    is(co4_mailbox_send(NULL, n), CO4_EINVAL);
    is(co4_mailbox_send(mb, NULL), CO4_EINVAL);
    is(co4_mailbox_send_until(NULL, n, co4_after(CO4_US)), CO4_EINVAL);
    is(co4_mailbox_send_until(mb, NULL, co4_after(CO4_US)), CO4_EINVAL);
    is(co4_mailbox_receive(NULL, n), CO4_EINVAL);
    is(co4_mailbox_receive(mb, NULL), CO4_EINVAL);
    is(co4_mailbox_receive_until(NULL, n, co4_after(CO4_US)), CO4_EINVAL);
    is(co4_mailbox_receive_until(mb, NULL, co4_after(CO4_US)), CO4_EINVAL);
    is(co4_mailbox_receive_many(NULL, n, 1, &got), CO4_EINVAL);
    is(co4_mailbox_receive_many(mb, NULL, 1, &got), CO4_EINVAL);
    is(co4_mailbox_receive_many(mb, n, 0, &got), CO4_EINVAL);
    is(co4_mailbox_receive_many(mb, n, 1, NULL), CO4_EINVAL);
    return 0;
}

static void at_once(co4_mailbox *mb, int *n)
{
    size_t got;
    is(co4_mailbox_send_until(NULL, n, CO4_NOW), CO4_EINVAL);
    is(co4_mailbox_send_until(mb, NULL, CO4_NOW), CO4_EINVAL);
    is(co4_mailbox_receive_until(NULL, n, CO4_NOW), CO4_EINVAL);
    is(co4_mailbox_receive_until(mb, NULL, CO4_NOW), CO4_EINVAL);
    is(co4_block(co4_mailbox_send(NULL, n)), CO4_EINVAL);
    is(co4_block(co4_mailbox_send(mb, NULL)), CO4_EINVAL);
    is(co4_block(co4_mailbox_send_until(NULL, n, co4_after(CO4_US))), CO4_EINVAL);
    is(co4_block(co4_mailbox_send_until(mb, NULL, co4_after(CO4_US))), CO4_EINVAL);
    is(co4_block(co4_mailbox_receive(NULL, n)), CO4_EINVAL);
    is(co4_block(co4_mailbox_receive(mb, NULL)), CO4_EINVAL);
    is(co4_block(co4_mailbox_receive_until(NULL, n, co4_after(CO4_US))), CO4_EINVAL);
    is(co4_block(co4_mailbox_receive_until(mb, NULL, co4_after(CO4_US))), CO4_EINVAL);
    is(co4_mailbox_receive_many_until(NULL, n, 1, &got, CO4_NOW), CO4_EINVAL);
    is(co4_mailbox_receive_many_until(mb, NULL, 1, &got, CO4_NOW), CO4_EINVAL);
}

static void others(co4_mailbox *mb, int *n)
{
    co4_sending putting;
    is(co4_mailbox_reserve(NULL, 1), CO4_EINVAL);
    is(co4_mailbox_close(NULL), CO4_EINVAL);
    is(co4_mailbox_destroy(NULL), CO4_OK);
    is(co4_mailbox_sending(NULL, mb, n) || co4_mailbox_sending(&putting, NULL, n) ||
           co4_mailbox_sending(&putting, mb, NULL),
       0);
    is(co4_mailbox_source(NULL) != NULL, 0);
    is((long long)(co4_mailbox_len(NULL) + co4_mailbox_capacity(NULL)) +
           co4_mailbox_is_closed(NULL),
       0);
}

static void rings(void)
{
    co4_ring ring;
    int n = 1, memory[2];
    is(co4_ring_init(NULL, sizeof n, 2), CO4_EINVAL);
    is(co4_ring_init(&ring, 0, 2), CO4_EINVAL);
    is(co4_ring_init(&ring, sizeof n, 0), CO4_EINVAL);
    is(co4_ring_init_in(NULL, sizeof n, memory, sizeof memory), CO4_EINVAL);
    is(co4_ring_init_in(&ring, 0, memory, sizeof memory), CO4_EINVAL);
    is(co4_ring_init_in(&ring, sizeof n, NULL, sizeof memory), CO4_EINVAL);
    is(co4_ring_init_in(&ring, sizeof n, memory, 1), CO4_EINVAL);
    is(co4_ring_init(&ring, sizeof n, 2), CO4_OK);
    is(co4_ring_reserve(NULL, 1), CO4_EINVAL);
    is(co4_ring_push(NULL, &n), CO4_EINVAL);
    is(co4_ring_push(&ring, NULL), CO4_EINVAL);
    is(co4_ring_push_front(NULL, &n), CO4_EINVAL);
    is(co4_ring_push_front(&ring, NULL), CO4_EINVAL);
    is(co4_ring_pop(NULL, &n), CO4_EINVAL);
    is(co4_ring_pop_back(NULL, &n), CO4_EINVAL);
    is(co4_ring_peek(NULL, 0) != NULL, 0);
    is(co4_ring_remove(NULL, 0, &n), CO4_EINVAL);
    is(co4_ring_set_capacity(NULL, 1), CO4_EINVAL);
    is(co4_ring_set_capacity(&ring, 0), CO4_EINVAL);
    is((long long)(co4_ring_len(NULL) + co4_ring_capacity(NULL)), 0);
    is(co4_ring_push(&ring, &n), CO4_OK);
    co4_ring_clear(NULL);
    co4_ring_clear(&ring);
    is((long long)co4_ring_len(&ring), 0);
    is(co4_ring_pop(&ring, NULL), CO4_EEMPTY);
    co4_ring_destroy(NULL);
    co4_ring_destroy(&ring);
    co4_ring_destroy(NULL);
}

int main(void)
{
    int n = 1;
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 2);
    co4_run(waits(mb, &n));
    at_once(mb, &n);
    others(mb, &n);
    co4_mailbox_destroy(mb);
    printf("mailboxes: %d of %d\n", right, all);
    all = right = 0;
    rings();
    printf("rings: %d of %d\n", right, all);
    return 0;
}
