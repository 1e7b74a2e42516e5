/* actors - a task with its inbox: sent to, asked, stopped, cancelled; answers that come late,
 * never, twice, from elsewhere.
 * modes: woven forced
 * expect: asked: 5 12, sent too 13
 * expect: stopped: what was left 16, then no error, sends closed, and nothing is left to take, asks closed, and nothing is left to take
 * expect: late: the deadline has passed, value -1, then closed, and nothing is left to take
 * expect: refused: there is no room; twice closed, and nothing is left to take; wrong size an argument is not acceptable, asker an argument is not acceptable, -1
 * expect: out of order: 1 11, 2 12, 3 13
 * expect: ended without an answer: closed, and nothing is left to take closed, and nothing is left to take, with not possible in this state
 * expect: cancelled asker: the task was cancelled, is asked 0
 * expect: itself: waiting here could never end waiting here could never end
 * expect: cancelled actor: the task was cancelled, result 0, again not possible in this state
 * expect: a request: there is no message, then no error 31; full there is no room
 * expect: answered by another: 77
 * expect: started twice: not possible in this state, after the end closed, and nothing is left to take
 * expect: stays: asked before it is there 1, received by the dead closed, and nothing is left to take, next 2 3, stopped no error
 * expect: wrong: an argument is not acceptable an argument is not acceptable an argument is not acceptable none none
 * expect: a thread asks: no error 9, the deadline has passed
 * expect: no memory: nothing is lost
 * expect: in a generator: not possible in this state
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

enum what { ADD, LATE, REFUSE, COLLECT, DIE, FORWARD, WRONG };

struct msg {
    enum what what;
    int value;
    co4_reply reply;
};

static const char *text(int code)
{
    return co4_strerror(code);
}

static int last_code, total;
static co4_sem let_go = CO4_SEM_INIT(0);
static co4_actor *other;

static pausable int serve(co4_actor *self, int sum)
{
    struct msg m, kept[3];
    int err, nkept = 0;
    while ((err = co4_actor_receive(self, &m)) == CO4_OK) {
        switch (m.what) {
        case ADD:
            sum += m.value;
            total = sum;
            co4_actor_reply(self, m.reply, &sum);
            break;
        case LATE:
            if (m.value == 0)
                co4_sleep(3 * CO4_MS);
            else /* until the asker says that it waits no more */
                must(co4_sem_acquire(&let_go));
            last_code = co4_actor_reply(self, m.reply, &sum);
            break;
        case REFUSE:
            co4_actor_reply_error(self, m.reply, CO4_EFULL);
            last_code = co4_actor_reply(self, m.reply, &sum);
            break;
        case WRONG: {
            char small = 1;
            last_code = co4_actor_reply(self, m.reply, &small);
            if (co4_actor_reply(self, m.reply, &m.value) != CO4_ECLOSED)
                abort(); /* the ask has ended */
            break;
        }
        case COLLECT:
            kept[nkept++] = m;
            while (nkept == 3 || (nkept > 0 && nkept < 3 && m.value == 0)) {
                m = kept[--nkept];
                m.value += 10;
                co4_actor_reply(self, m.reply, &m.value);
                if (nkept == 0)
                    break;
                m.value = 0;
            }
            break;
        case FORWARD:
            co4_actor_send(other, &m);
            break;
        case DIE:
            return CO4_ESTATE;
        }
    }
    return err == CO4_ECLOSED ? CO4_OK : err;
}

/* Answers for another. */
static pausable int answer_for(co4_actor *self, co4_actor *first)
{
    struct msg m;
    int value = 77, err;
    while ((err = co4_actor_receive(self, &m)) == CO4_OK)
        co4_actor_reply(first, m.reply, &value);
    return CO4_OK;
}

static pausable int silent(co4_actor *self)
{
    struct msg m;
    while (co4_actor_receive(self, &m) == CO4_OK)
        if (m.what == DIE)
            return CO4_ESTATE;
    return CO4_OK;
}

static pausable int ask(co4_actor *a, enum what what, int value, int *out)
{
    struct msg m = { .what = what, .value = value };
    return co4_actor_ask_until(a, &m, &m.reply, out, CO4_NEVER);
}

static pausable void ask_and_tell(co4_actor *a, enum what what, int value, int *out, int *err)
{
    *err = ask(a, what, value, out);
}

static co4_actor *server(void)
{
    co4_actor *a = co4_actor_create(sizeof(struct msg), 10, 0);
    co4_actor_spawn(a, serve(a, 0));
    return a;
}

static pausable void let_run(void)
{
    for (int i = 0; i < 20; i++)
        co4_yield();
}

static pausable int end(co4_actor *a)
{
    co4_actor_stop(a);
    int err = co4_actor_join(a);
    co4_actor_release(a);
    return err;
}

static co4_task *start(co4_task *t)
{
    co4_runtime_schedule(NULL, t);
    return t;
}

static pausable void simple(void)
{
    co4_actor *a = server();
    int v = 0, w = 0, err;
    struct msg m = { .what = ADD, .value = 1 };
    ask(a, ADD, 5, &v);
    ask(a, ADD, 7, &w);
    co4_actor_send(a, &m);
    let_run();
    printf("asked: %d %d, sent too %d\n", v, w, total);
    m.value = 3;
    co4_actor_send(a, &m);
    co4_actor_stop(a);
    err = co4_actor_join(a);
    printf("stopped: what was left %d, then %s, sends %s, asks %s\n", total, text(err),
           text(co4_actor_send(a, &m)), text(ask(a, ADD, 1, &v)));
    co4_actor_release(a);

    a = server();
    m = (struct msg){ .what = LATE };
    v = -1;
    err = co4_actor_ask_until(a, &m, &m.reply, &v, co4_now() + CO4_MS);
    co4_sleep(5 * CO4_MS);
    printf("late: %s, value %d, then %s\n", text(err), v, text(last_code));
    err = ask(a, REFUSE, 0, &v);
    int twice = last_code;
    int wrong = ask(a, WRONG, 0, &v);
    printf("refused: %s; twice %s; wrong size %s, asker %s, %d\n", text(err), text(twice),
           text(last_code), text(wrong), v);

    int out[3] = { 0 }, code[3];
    for (int i = 0; i < 3; i++)
        co4_spawn(ask_and_tell(a, COLLECT, i + 1, &out[i], &code[i]));
    let_run();
    printf("out of order: 1 %d, 2 %d, 3 %d\n", out[0], out[1], out[2]);
    end(a);
}

static pausable void ends(void)
{
    co4_actor *a = co4_actor_create(sizeof(struct msg), 10, 0);
    int v = 0, err, err2 = 1;
    struct msg die = { .what = DIE };
    co4_actor_spawn(a, silent(a));
    co4_spawn(ask_and_tell(a, ADD, 1, &v, &err2)); /* received, and not answered */
    let_run();
    co4_actor_send(a, &die);
    err = ask(a, ADD, 2, &v); /* never received */
    let_run();
    printf("ended without an answer: %s %s, with %s\n", text(err), text(err2),
           text(co4_actor_join(a)));
    co4_actor_release(a);

    a = co4_actor_create(sizeof(struct msg), 10, 0);
    co4_actor_spawn(a, silent(a));
    struct msg m = { .what = ADD };
    co4_task *t = start(co4_task_create(ask_and_tell(a, ADD, 1, &v, &err)));
    let_run();
    co4_task_cancel(t, 0);
    co4_task_join(t);
    co4_task_release(t);
    printf("cancelled asker: %s, is asked %d\n", text(err), co4_actor_is_asked(a, m.reply));
    co4_actor_cancel(a, 0);
    co4_actor_join(a);
    co4_actor_release(a);
}

static pausable int ask_itself(co4_actor *self)
{
    int v, err = ask(self, ADD, 1, &v);
    printf("itself: %s %s\n", text(err), text(co4_actor_join(self)));
    return 3;
}

static pausable int wait_long(co4_actor *self)
{
    struct msg m;
    return co4_actor_receive(self, &m) == CO4_ECANCELED ? 0 : 1;
}

static pausable void more(void)
{
    co4_actor *a = co4_actor_create(sizeof(struct msg), 1, 0);
    int v = 0, err, code;
    co4_actor_spawn(a, ask_itself(a));
    co4_actor_join(a);
    co4_actor_release(a);

    a = co4_actor_create(sizeof(struct msg), 1, 0);
    co4_actor_spawn(a, wait_long(a));
    co4_actor_cancel(a, 0);
    err = co4_actor_join(a);
    co4_future *f = co4_actor_end(a);
    co4_future_await(f, &v);
    co4_future_release(f);
    printf("cancelled actor: %s, result %d, again %s\n", text(err), v,
           text(co4_actor_cancel(a, 0)));
    co4_actor_release(a);

    a = co4_actor_create(sizeof(struct msg), 1, 0);
    struct msg m = { .what = ADD, .value = 31 };
    must(co4_actor_request(a, &m, &m.reply, sizeof v, &f));
    co4_future *none;
    int full = co4_actor_request(a, &m, &m.reply, sizeof v, &none);
    err = co4_future_await_until(f, &v, CO4_NOW);
    co4_actor_spawn(a, serve(a, 0));
    code = co4_future_await(f, &v);
    printf("a request: %s, then %s %d; full %s\n", text(err), text(code), v, text(full));
    co4_future_release(f);

    other = co4_actor_create(sizeof(struct msg), 1, 0);
    co4_actor_spawn(other, answer_for(other, a));
    ask(a, FORWARD, 0, &v);
    printf("answered by another: %d\n", v);
    end(other);
    err = co4_actor_spawn(a, serve(a, 0));
    co4_actor_stop(a);
    co4_actor_join(a);
    printf("started twice: %s, after the end %s\n", text(err),
           text(co4_actor_spawn(a, serve(a, 0))));
    co4_actor_release(a);
}

static pausable void stays(void)
{
    co4_actor *a = co4_actor_create(sizeof(struct msg), 9, CO4_ACTOR_STAYS);
    int v = 0, w = 0, x = 0, err = 1, err2 = 1, err3 = 1;
    struct msg die = { .what = DIE };
    co4_spawn(ask_and_tell(a, ADD, 1, &v, &err));
    let_run();
    co4_actor_spawn(a, serve(a, 0));
    let_run();
    printf("stays: asked before it is there %d", v);
    co4_actor_send(a, &die);
    co4_actor_join(a);
    co4_actor_spawn(a, silent(a));
    co4_spawn(ask_and_tell(a, ADD, 1, &v, &err));
    let_run();
    co4_actor_send(a, &die);
    co4_spawn(ask_and_tell(a, ADD, 2, &w, &err2));
    co4_spawn(ask_and_tell(a, ADD, 1, &x, &err3));
    co4_actor_join(a);
    let_run();
    printf(", received by the dead %s", text(err));
    co4_actor_spawn(a, serve(a, 0));
    let_run();
    printf(", next %d %d", w, x);
    printf(", stopped %s\n", text(end(a)));
}

static pausable int in_generator(co4_actor *a)
{
    int v, err = ask(a, ADD, 1, &v);
    co4_gen_yield(&err);
    return 0;
}

static void no_memory(void)
{
    for (long n = 1;; n++) {
        long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
        co4_runtime *rt = co4_runtime_create(
            &(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
        co4_runtime_start(rt);
        struct msg m = { .what = ADD, .value = 9 };
        int v = 0, err = CO4_ENOMEM;
        co4_future *f = NULL;
        co4_test_fail_alloc(n);
        co4_actor *a = co4_actor_create(sizeof m, 1, 0);
        if (a && (err = co4_actor_spawn(a, serve(a, 0))) == CO4_OK)
            err = co4_actor_request(a, &m, &m.reply, sizeof v, &f);
        bool passed = co4_test_fail_alloc(0) > 0;
        co4_actor_stop(a);
        co4_runtime_join(rt);
        if (f)
            must(co4_future_await_until(f, &v, CO4_NOW));
        co4_future_release(f);
        co4_actor_release(a);
        co4_runtime_destroy(rt);
        if (co4_test_pool_live() != pool || co4_test_alloc_live() != blocks ||
            err != (passed ? CO4_OK : CO4_ENOMEM))
            printf("attempt %ld: %s, %lld, %lld\n", n, text(err), co4_test_pool_live() - pool,
                   co4_test_alloc_live() - blocks);
        if (passed)
            break;
    }
    puts("no memory: nothing is lost");
}

static void outside(void)
{
    struct msg m = { .what = ADD, .value = 9 };
    int v = 0, err, late;
    co4_reply stranger;
    co4_actor *a = co4_actor_create(sizeof m, 1, 0);
    printf("wrong: %s %s %s %s %s\n", text(co4_actor_send_until(NULL, &m, CO4_NOW)),
           text(co4_block(co4_actor_ask_until(a, &m, &stranger, &v, 0))),
           text(co4_actor_reply(a, m.reply, (int *)NULL)),
           co4_actor_create(0, 1, 0) ? "one" : "none", co4_actor_create(4, 1, 7) ? "one" : "none");
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_runtime_start(rt);
    co4_actor_spawn(a, serve(a, 0));
    err = co4_block(co4_actor_ask_until(a, &m, &m.reply, &v, CO4_NEVER));
    m.what = LATE;
    late = co4_block(co4_actor_ask_until(a, &m, &m.reply, &v, co4_now() + CO4_MS / 2));
    co4_sem_release(&let_go);
    printf("a thread asks: %s %d, %s\n", text(err), v, text(late));
    co4_actor_stop(a);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_actor_release(a);

    no_memory();

    a = co4_actor_create(sizeof m, 1, 0);
    co4_gen *g = co4_generate(in_generator(a));
    co4_gen_next(g, &err);
    co4_gen_destroy(g);
    co4_actor_release(a);
    printf("in a generator: %s\n", text(err));
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_test_begin(NULL); /* deadlines pass in their order, however busy the machine is */
    co4_run(simple());
    co4_run(ends());
    co4_run(more());
    co4_run(stays());
    co4_test_end(NULL);
    outside();
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    return 0;
}
