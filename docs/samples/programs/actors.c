/* actors - a supervisor starts an actor again when it fails, with a new state.
 * modes: woven forced
 * expect: log 1: adder starts
 * expect: add 3: 3
 * expect: add 4: 7
 * expect: add -1: CO4_ECLOSED
 * expect: adder ended: bad amount
 * expect: log 2: adder starts
 * expect: add 10: 10
 * expect: adder ended: CO4_ECANCELED
 * expect: logger ended: CO4_OK
 * expect: supervisor: CO4_ECANCELED, the adder was started 2 times */
#include <co4.h>
#include <stdio.h>

enum { E_BAD_AMOUNT = -7 };

struct add {
    int amount; /* negative: the adder fails */
    co4_reply reply;
};

struct line {
    const char *text;
};

struct bank {
    co4_actor *adder, *logger;
    int starts;
};

static pausable int logger(co4_actor *self)
{
    struct line l;
    int n = 0, err;
    while ((err = co4_actor_receive(self, &l)) == CO4_OK)
        printf("log %d: %s\n", ++n, l.text);
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static pausable int adder(co4_actor *self, co4_actor *log)
{
    struct add a;
    int sum = 0, err;
    co4_actor_send(log, &(struct line){ "adder starts" });
    while ((err = co4_actor_receive(self, &a)) == CO4_OK) {
        if (a.amount < 0)
            return E_BAD_AMOUNT; /* without an answer */
        sum += a.amount;
        co4_actor_reply(self, a.reply, &sum);
    }
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static int start_logger(co4_child *child, void *arg)
{
    struct bank *b = arg;
    return co4_child_actor(child, b->logger, logger(b->logger));
}

static int start_adder(co4_child *child, void *arg)
{
    struct bank *b = arg;
    b->starts++;
    return co4_child_actor(child, b->adder, adder(b->adder, b->logger));
}

static void stop_logger(void *arg)
{
    co4_actor_stop(((struct bank *)arg)->logger);
}

static void note_end(void *arg, const co4_child_spec *child, int code)
{
    (void)arg;
    printf("%s ended: %s\n", child->name, code == E_BAD_AMOUNT ? "bad amount" : co4_errname(code));
}

static pausable int supervise(struct bank *b)
{
    const co4_child_spec children[] = {
        { .name = "logger",
          .start = start_logger,
          .arg = b,
          .restart = CO4_TRANSIENT,
          .stop = stop_logger,
          .patience = CO4_SEC },
        { .name = "adder", .start = start_adder, .arg = b, .restart = CO4_TRANSIENT },
    };
    return co4_supervise(
        &(co4_supervision){
            .strategy = CO4_ONE_FOR_ONE, .restarts = 3, .within = CO4_SEC, .ended = note_end },
        children, 2);
}

static pausable void ask(co4_actor *adder, int amount)
{
    struct add a = { .amount = amount };
    int sum, err = co4_actor_ask_until(adder, &a, &a.reply, &sum, co4_now() + CO4_SEC);
    if (err == CO4_OK)
        printf("add %d: %d\n", amount, sum);
    else
        printf("add %d: %s\n", amount, co4_errname(err));
}

static pausable int work(struct bank *b)
{
    co4_task *sup = co4_spawn(supervise(b));
    if (sup == NULL)
        return CO4_ENOMEM;
    ask(b->adder, 3);
    ask(b->adder, 4);
    ask(b->adder, -1);
    ask(b->adder, 10);
    co4_task_cancel(sup, 0); /* shuts down: adder first */
    int err = co4_join(sup, NULL);
    printf("supervisor: %s, the adder was started %d times\n", co4_errname(err), b->starts);
    return CO4_OK;
}

int main(void)
{
    struct bank b = { .adder = co4_actor_create(sizeof(struct add), 4, CO4_ACTOR_STAYS),
                      .logger = co4_actor_create(sizeof(struct line), 4, CO4_ACTOR_STAYS) };
    if (!b.adder || !b.logger)
        return 1;
    int err = co4_run(work(&b));
    co4_actor_release(b.adder);
    co4_actor_release(b.logger);
    return err != CO4_OK;
}
