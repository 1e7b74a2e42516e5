/* mailboxes.c - a question and its answer, a deadline, an end.
 * modes: woven forced
 * expect: 3 squared is 9
 * expect: 4 squared is 16
 * expect: nobody asks: CO4_ETIMEDOUT
 * expect: the server has stopped: CO4_OK */
#include <co4.h>
#include <stdio.h>

struct question {
    int number;
    co4_mailbox *answer_to;
};

pausable void server(co4_mailbox *questions)
{
    struct question q;
    while (co4_mailbox_get(questions, &q) == CO4_OK) {
        int answer = q.number * q.number;
        co4_mailbox_put(q.answer_to, &answer);
    }
}

pausable int ask(co4_mailbox *server, co4_mailbox *answers, int number)
{
    struct question q = { number, answers };
    int answer = -1;
    if (co4_mailbox_put(server, &q) == CO4_OK)
        co4_mailbox_get(answers, &answer);
    return answer;
}

pausable void client(void)
{
    co4_mailbox *questions = co4_mailbox_create(sizeof(struct question), 8);
    co4_mailbox *answers = co4_mailbox_create(sizeof(int), 1);
    co4_task *task = co4_task_create(server(questions));
    co4_runtime_schedule(NULL, task);

    for (int i = 3; i <= 4; i++)
        printf("%d squared is %d\n", i, ask(questions, answers, i));

    int nothing;
    int code = co4_mailbox_get_until(answers, &nothing, co4_now() + 5 * CO4_MS);
    printf("nobody asks: %s\n", co4_errname(code));

    co4_mailbox_close(questions);
    printf("the server has stopped: %s\n", co4_errname(co4_task_join(task)));
    co4_task_release(task);
    co4_mailbox_destroy(questions);
    co4_mailbox_destroy(answers);
}

int main(void)
{
    co4_run(client());
}
