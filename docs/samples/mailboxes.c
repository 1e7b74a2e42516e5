/* mailboxes.c - a question and its answer, a deadline, an end.
 * modes: woven forced
 * expect: 3 squared is 9
 * expect: 4 squared is 16
 * expect: nobody asks: CO4_ETIMEDOUT
 * expect: the server has stopped: CO4_OK */
#include <co4.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) int_mailbox;

struct question {
    int number;
    int_mailbox answer_to;
};

typedef CO4_MAILBOX_OF(struct question) question_mailbox;

pausable void server(question_mailbox questions)
{
    struct question q;
    while (co4_typed_receive(questions, &q) == CO4_OK) {
        int answer = q.number * q.number;
        co4_typed_send(q.answer_to, &answer);
    }
}

pausable int ask(question_mailbox server, int_mailbox answers, int number)
{
    struct question q = { number, answers };
    int answer = -1;
    if (co4_typed_send(server, &q) == CO4_OK)
        co4_typed_receive(answers, &answer);
    return answer;
}

struct desk {
    question_mailbox questions;
    int_mailbox answers;
};

pausable int client(struct desk *desk)
{
    co4_scope *scope = co4_scope_here();
    int code = co4_scope_spawn(scope, server(desk->questions));
    if (code != CO4_OK)
        return code;

    for (int i = 3; i <= 4; i++)
        printf("%d squared is %d\n", i, ask(desk->questions, desk->answers, i));

    int nothing;
    code = co4_typed_receive_until(desk->answers, &nothing, co4_now() + 5 * CO4_MS);
    printf("nobody asks: %s\n", co4_errname(code));
    return co4_typed_close(desk->questions); /* the server ends, and then the scope */
}

int main(void)
{
    struct desk desk = { co4_typed_create(question_mailbox, 8), co4_typed_create(int_mailbox, 1) };
    int code = co4_run(co4_scope_run(0, client(&desk)));
    printf("the server has stopped: %s\n", co4_errname(code));
    co4_typed_destroy(desk.questions);
    co4_typed_destroy(desk.answers);
}
