/* co4/typed.h - mailboxes whose messages are of one type.
 *
 *     typedef CO4_MAILBOX_OF(struct job) job_mailbox;
 *
 *     job_mailbox jobs = co4_typed_create(job_mailbox, 100);
 *     …
 *     err = co4_typed_send(jobs, &(struct job){ .number = 1 });
 *     err = co4_typed_receive(jobs, &job);                        a pointer to anything else
 *     co4_typed_close(jobs);                                does not compile
 *
 * Such a handle is the pointer to a mailbox (mailbox.h) and costs no more. The calls below take it,
 * and are otherwise those of mailbox.h; other functions of it take the member `mailbox`. Handles of
 * one type are copied and passed on like pointers, under the name that a typedef gives them. */
#ifndef CO4_TYPED_H
#define CO4_TYPED_H

#include "mailbox.h"

/* The member `message` is never set: it only says the type. */
#define CO4_MAILBOX_OF(type)                                                                       \
    union {                                                                                        \
        co4_mailbox *mailbox;                                                                      \
        type *message;                                                                             \
    }

/* As co4_mailbox_create(), for a type of handles: its member `mailbox` is NULL without memory. Then
 * every call returns CO4_EINVAL. */
#define co4_typed_create(type, capacity)                                                           \
    (CO4__HANDLE(type){ co4_mailbox_create(sizeof *((type *)0)->message, (capacity)) })
#ifdef __cplusplus
#define CO4__HANDLE(type) type
#else
#define CO4__HANDLE(type) (type)
#endif

/* As co4_mailbox_close() and co4_mailbox_destroy(). */
#define co4_typed_close(box)   co4_mailbox_close((box).mailbox)
#define co4_typed_destroy(box) co4_mailbox_destroy((box).mailbox)

/* The size of the messages, where `pointer` is to one of them. Else it is no size, and does not
 * compile: compilers name the type. (In an assertion clang would take a compound literal for a
 * static object.) */
#ifdef __cplusplus
#define CO4__SIZE_IN(box, pointer) (sizeof *(box).message)
#else
struct co4__the_mailbox_has_messages_of_another_type {
    int none;
};
#define CO4__SIZE_IN(box, pointer)                                                                 \
    __builtin_choose_expr(                                                                         \
        __builtin_types_compatible_p(__typeof__(*(pointer)), __typeof__(*(box).message)),          \
        sizeof *(box).message, *(struct co4__the_mailbox_has_messages_of_another_type *)0)
#endif

/* The first arguments of such a call of mailbox.h: the mailbox, the message and its size. */
#define CO4__TYPED(box, pointer) (box).mailbox, (pointer), CO4__SIZE_IN(box, pointer)

/* As co4_mailbox_send() and its forms. */
#define co4_typed_send(box, ...) (co4_mailbox_send)(CO4__TYPED(box, (__VA_ARGS__)))
#define co4_typed_send_until(box, msg, deadline)                                                   \
    (co4_mailbox_send_until)(CO4__TYPED(box, msg), (deadline))

/* As co4_mailbox_receive() and its forms. */
#define co4_typed_receive(box, out) (co4_mailbox_receive)(CO4__TYPED(box, out))
#define co4_typed_receive_until(box, out, deadline)                                                \
    (co4_mailbox_receive_until)(CO4__TYPED(box, out), (deadline))

/* A message as a case of a select, as CO4_CASE(co4_mailbox_source(mb), out). */
#define CO4_CASE_OF(box, out_)                                                                     \
    {                                                                                              \
        .source = co4_mailbox_source((box).mailbox), .out = (out_),                                \
        .size = CO4__SIZE_IN(box, out_)                                                            \
    }

#endif
