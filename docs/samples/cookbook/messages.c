/* messages.c - the recipes of the cookbook about messages and what tasks share.
 * modes: woven forced
 * needs: threads
 * expect: 3 workers, 10 jobs, the sum is 45
 * expect: 0 1 4 9
 * expect: answer: 49
 * expect: idle
 * expect: stopped
 * expect: connection 1 came back
 * expect: opened once
 * expect: balance 30
 * expect: both heard of version 2
 * expect: from a thread: 5
 * expect: at least 4 ms for 3 requests */
#include <co4.h>
#include <pthread.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) int_mailbox;

/* How do I share work among a few tasks? */

static pausable int worker(int_mailbox jobs, int *sum)
{
    int job;
    while (co4_typed_receive(jobs, &job) == CO4_OK) /* until jobs is closed, and empty */
        *sum += job;
    return CO4_OK;
}

static pausable int pool(int_mailbox jobs, int *sum)
{
    int code = CO4_OK;
    for (int i = 0; i < 3 && code == CO4_OK; i++)
        code = co4_scope_spawn(co4_scope_here(), worker(jobs, sum));
    for (int job = 0; job < 10 && code == CO4_OK; job++)
        code = co4_typed_send(jobs, &job); /* waits while all are busy, and the mailbox is full */
    co4_typed_close(jobs);
    return code;
}

/* How do I make a pipeline in which a slow stage slows its source? */

static pausable int square(int_mailbox in, int_mailbox out)
{
    int n, code = CO4_OK;
    while (code == CO4_OK && co4_typed_receive(in, &n) == CO4_OK) {
        n *= n;
        code = co4_typed_send(out, &n); /* the bound of a mailbox is the pressure back */
    }
    co4_typed_close(out);
    return code;
}

/* How do I ask a task a question? */

struct question {
    int number;
    co4_future *answer;
};
typedef CO4_MAILBOX_OF(struct question) question_mailbox;

static pausable void expert(question_mailbox questions)
{
    struct question q;
    while (co4_typed_receive(questions, &q) == CO4_OK) {
        co4_future_complete(q.answer, &(int){ q.number * q.number });
        co4_future_release(q.answer);
    }
}

static pausable int ask(question_mailbox expert, int number)
{
    int answer = 0;
    co4_future *promised = co4_future_create(sizeof answer);
    struct question q = { number, co4_future_retain(promised) };
    int code = co4_typed_send(expert, &q);
    if (code == CO4_OK)
        code = co4_future_await(promised, &answer);
    co4_future_release(promised);
    return code == CO4_OK ? answer : code;
}

/* How do I wait for a message, a stop or a time, whichever comes first? */

static pausable int until_stopped(int_mailbox jobs, int_mailbox stop)
{
    for (;;) {
        int job;
        co4_case cases[] = { CO4_CASE_OF(jobs, &job), CO4_CASE_OF(stop, &job) };
        switch (co4_select_until(cases, 2, 0, co4_after(5 * CO4_MS))) {
        case 0:
            continue; /* here it would do the job */
        case CO4_ETIMEDOUT:
            puts("idle");
            co4_typed_send(stop, &(int){ 1 });
            continue;
        default: /* stop has a message or is closed, or this task was cancelled */
            puts("stopped");
            return CO4_OK;
        }
    }
}

/* How do I share a few connections among many tasks? */

static pausable int borrow(int_mailbox idle)
{
    int connection;
    int code = co4_typed_receive(idle, &connection); /* waits until one is free */
    if (code != CO4_OK)
        return code;
    code = co4_sleep(CO4_MS);          /* represents a question and its answer */
    co4_typed_send(idle, &connection); /* there is always room: it was taken from there */
    return code == CO4_OK ? connection : code;
}

/* How do I do something once, however many need it? */

static pausable int open_it(int *opened)
{
    ++*opened;
    return co4_sleep(CO4_MS);
}

static pausable int use(co4_once *once, int *opened)
{
    return co4_once_run(once, open_it(opened)); /* the others wait for the first */
}

/* How do I guard what tasks share, across a wait? */

struct account {
    co4_mutex lock;
    int balance;
};

static pausable int pay(struct account *account, int amount)
{
    int code = co4_mutex_lock(&account->lock); /* the task waits, its thread does not */
    if (code != CO4_OK)
        return code;
    int balance = account->balance;
    code = co4_sleep(CO4_MS);
    account->balance = balance + amount;
    co4_mutex_unlock(&account->lock);
    return code;
}

/* How do I tell all tasks something new? */

static pausable int listen_for(co4_broadcast *news, int *version)
{
    co4_subscriber *mine = co4_broadcast_subscribe(news, 1, CO4_BROADCAST_DROP_OLDEST);
    int code = co4_subscriber_receive(mine, version);
    co4_subscriber_destroy(mine);
    return code;
}

/* How does a plain thread give a task something? */

static void *plain_thread(void *out)
{
    int_mailbox to = { out };
    int n = 5;
    return co4_block(co4_typed_send(to, &n)) == CO4_OK ? NULL : to.mailbox; /* blocks the thread */
}

/* How do I make at most so many requests a second? */

static pausable int politely(int times, int64_t apart)
{
    int64_t next = co4_now();
    int code = CO4_OK;
    for (int i = 0; i < times && code == CO4_OK; i++, next += apart)
        code = co4_sleep_until(next); /* then the request */
    return code;
}

static pausable int in_scope(int_mailbox *box, co4_once *once, int *opened, struct account *account)
{
    co4_scope *scope = co4_scope_here();
    int code = co4_scope_spawn(scope, square(box[0], box[1]));
    for (int i = 0; i < 3 && code == CO4_OK; i++)
        code = co4_scope_spawn(scope, use(once, opened));
    for (int i = 1; i <= 2 && code == CO4_OK; i++)
        code = co4_scope_spawn(scope, pay(account, i * 10));
    for (int n, i = 0; i < 4 && code == CO4_OK; i++)
        if ((code = co4_typed_send(box[0], &i)) == CO4_OK &&
            (code = co4_typed_receive(box[1], &n)) == CO4_OK)
            printf("%d%c", n, i < 3 ? ' ' : '\n');
    return code ? code : co4_typed_close(box[0]);
}

static pausable int news_of(co4_broadcast *news, int *versions)
{
    int code = CO4_OK, version = 2;
    for (int i = 0; i < 2 && code == CO4_OK; i++)
        code = co4_scope_spawn(co4_scope_here(), listen_for(news, &versions[i]));
    while (code == CO4_OK && co4_broadcast_subscribers(news) < 2)
        code = co4_yield();
    return code ? code : co4_broadcast_send(news, &version);
}

static pausable void all(void)
{
    int sum = 0, n, versions[2] = { 0, 0 }, opened = 0;
    co4_once once = CO4_ONCE_INIT;
    struct account account = { CO4_MUTEX_INIT, 0 };
    int_mailbox box[5];
    for (int i = 0; i < 5; i++)
        box[i] = co4_typed_create(int_mailbox, 2);

    co4_scope_run(0, pool(box[0], &sum));
    printf("3 workers, 10 jobs, the sum is %d\n", sum);

    co4_scope_run(0, in_scope(&box[1], &once, &opened, &account));
    question_mailbox questions = co4_typed_create(question_mailbox, 1);
    co4_task *wise = co4_spawn(expert(questions));
    printf("answer: %d\n", ask(questions, 7));
    co4_typed_close(questions);
    co4_join(wise, NULL);
    co4_typed_destroy(questions);

    until_stopped(box[3], box[4]);
    co4_typed_send(box[3], &(int){ 1 });
    printf("connection %d came back\n", borrow(box[3]));
    co4_typed_receive(box[3], &n);
    puts(opened == 1 ? "opened once" : "opened more than once");
    printf("balance %d\n", account.balance);

    co4_broadcast *news = co4_broadcast_create(sizeof(int));
    co4_scope_run(0, news_of(news, versions));
    if (versions[0] == 2 && versions[1] == 2)
        puts("both heard of version 2");
    co4_broadcast_destroy(news);

    pthread_t thread;
    if (pthread_create(&thread, NULL, plain_thread, box[3].mailbox) == 0) {
        co4_typed_receive(box[3], &n);
        co4_blocking(pthread_join(thread, NULL));
        printf("from a thread: %d\n", n);
    }

    int64_t began = co4_now();
    politely(3, 2 * CO4_MS);
    if (co4_now() - began >= 4 * CO4_MS)
        puts("at least 4 ms for 3 requests");
    for (int i = 0; i < 5; i++)
        co4_typed_destroy(box[i]);
}

int main(void)
{
    co4_run(all());
    return 0;
}
