/* failed_unseen.c - a task that fails, and whose code nothing can ask for, is reported on standard
 * error: the first one of the program. Tasks are not that succeed or are cancelled, or whose code
 * another has.
 * modes: woven forced
 * needs: posix
 * expect: succeeds: 0 lines
 * expect: cancelled: 0 lines
 * expect: joined: 0 lines -32
 * expect: kept: 0 lines -32
 * expect: a future: 0 lines -32
 * expect: a scope: 0 lines -32
 * expect: a group: 0 lines
 * expect: a notice: 0 lines -32
 * expect: observed: 0 lines, 1 end
 * expect: unseen: 1 line, a task has failed, and nothing asks for its code: parser, -32,
 * expect: again: 0 lines */
#include <co4.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int saved;
static FILE *said;

static void listen(void)
{
    fflush(stderr);
    saved = dup(2);
    said = tmpfile();
    dup2(fileno(said), 2);
}

/* Prints the number of lines that were written to standard error since listen(), and the first,
 * up to the text of a code. */
static void tell(const char *when)
{
    char text[2000] = "";
    dup2(saved, 2);
    close(saved);
    rewind(said);
    size_t n = fread(text, 1, sizeof text - 1, said), lines = 0;
    fclose(said);
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    printf("%s: %zu line%s", when, lines, lines == 1 ? ", " : "s");
    char *code = strstr(text, "-32, ");
    if (lines == 1 && code)
        printf("%.*s", (int)(code + strlen("-32,") - text - 5), text + strlen("co4: "));
}

static pausable int ends(int code)
{
    co4_yield();
    return code;
}

static pausable void waits(void)
{
    (void)!co4_sleep(CO4_SEC);
}

static pausable int waits_and_fails(void)
{
    (void)!co4_sleep(CO4_SEC);
    return -32;
}

static pausable void let_others_end(void)
{
    for (int i = 0; i < 100; i++)
        co4_yield();
}

static pausable int in_scope(void)
{
    (void)!co4_scope_spawn(co4_scope_here(), ends(-32));
    return CO4_OK;
}

static pausable void silent(void)
{
    listen();
    co4_spawn(ends(0));
    co4_spawn(ends(7));
    co4_spawn(ends(CO4_ECANCELED));
    let_others_end();
    tell("succeeds");

    listen();
    co4_task *t = co4_spawn(waits());
    co4_task_cancel(t, 0);
    co4_task_release(t);
    t = co4_spawn(waits_and_fails());
    co4_task_cancel(t, -5);
    co4_task_release(t);
    let_others_end();
    tell("\ncancelled");

    listen();
    int code = co4_join(co4_spawn(ends(-32)), NULL);
    tell("\njoined");
    printf(" %d", code);

    listen();
    t = co4_spawn(ends(-32));
    let_others_end();
    tell("\nkept");
    printf(" %d", co4_task_error(t));
    co4_task_release(t);

    listen();
    co4_future *f = co4_async(ends(-32));
    code = co4_await(co4_future_source(f), NULL);
    co4_future_release(f);
    tell("\na future");
    printf(" %d", code);

    listen();
    code = co4_scope_run(0, in_scope());
    tell("\na scope");
    printf(" %d", code);
}

static pausable void linked(void)
{
    listen();
    co4_group *g = co4_group_create(NULL);
    co4_task *t = co4_spawn(ends(-32));
    (void)!co4_group_link(g, t);
    co4_task_release(t);
    let_others_end();
    co4_group_destroy(g);
    tell("\na group");

    co4_exit e = { .error = 0 };
    co4_mailbox *mb = co4_mailbox_create(sizeof e, 1);
    listen();
    t = co4_spawn(ends(-32));
    (void)!co4_task_notify_exit(t, mb, NULL);
    co4_task_release(t);
    (void)co4_mailbox_receive(mb, &e);
    co4_mailbox_destroy(mb);
    tell("\na notice");
    printf(" %d\n", e.error);
}

static void count_end(void *ends, co4_task *task, co4_task_state state)
{
    (void)task;
    *(int *)ends += state == CO4_TASK_STOPPED;
}

static void observed(void)
{
    int n = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){
        .workers = CO4_RUNTIME_EMBEDDED, .observer = count_end, .observer_data = &n });
    co4_runtime_start(rt);
    listen();
    co4_runtime_spawn(rt, ends(-32));
    co4_runtime_join(rt);
    tell("observed");
    printf(", %d end\n", n);
    co4_runtime_destroy(rt);
}

static pausable void unseen(const char *when)
{
    listen();
    co4_task *t = co4_spawn(ends(-32));
    co4_task_set_name(t, "parser");
    co4_task_release(t);
    let_others_end();
    tell(when);
    printf("\n");
}

int main(void)
{
    co4_run(silent());
    co4_run(linked());
    observed();
    co4_run(unseen("unseen"));
    co4_run(unseen("again"));
    return 0;
}
