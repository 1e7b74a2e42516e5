/* misuse - misuse is reported: a scope that has ended takes no task; without a scope nothing is
 * started; a message of another size is refused; a task without references is not released.
 * needs: threads
 * modes: woven
 * exit: 134
 * expect: into a scope that has ended: told
 * expect: co4: co4_scope_spawn: no scope is open; call it inside a co4_scope_run()
 * expect: without a scope: an argument is not acceptable, and once more
 * expect: co4: a message's size is not that of its mailbox: CO4_EINVAL; see CO4_MAILBOX_OF
 * expect: another size: an argument is not acceptable, and once more
 * expect: co4: a task was joined or released once too often */
#include <co4.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pausable int waits(void)
{
    return co4_sleep(3600 * CO4_SEC);
}

static co4_scope *ended;

static pausable int body(void *arg)
{
    ended = co4_scope_here();
    return arg != NULL;
}

static pausable int scopes(void)
{
    co4_scope_run(0, body(NULL));
    return co4_scope_spawn(ended, waits());
}

static pausable void nothing(void) {}

static pausable void without_scope(void)
{
    int err = co4_scope_spawn(co4_scope_here(), waits());
    bool again = co4_scope_spawn(co4_scope_here(), waits()) == err;
    printf("without a scope: %s%s\n", co4_strerror(err), again ? ", and once more" : "");
}

static pausable void another_size(void)
{
    char small = 1;
    long large = 1;
    co4_mailbox *mb = co4_mailbox_create(sizeof(short), 1);
    int err = co4_mailbox_send(mb, &small);
    bool again = co4_mailbox_receive(mb, &large) == err;
    printf("another size: %s%s\n", co4_strerror(err), again ? ", and once more" : "");
    co4_mailbox_destroy(mb);
}

int main(void)
{
    int err = 0;
    dup2(1, 2);
    setbuf(stdout, NULL);
    pid_t pid = fork();
    if (pid == 0) { /* a sanitizer may have its own word for it */
        fclose(stderr);
        _exit(co4_run(scopes()) == CO4_ESTATE ? 10 : 0);
    }
    waitpid(pid, &err, 0);
    printf("into a scope that has ended: %s\n",
           !WIFEXITED(err) || WEXITSTATUS(err) != 0 ? "told" : "nothing said");
    co4_run(without_scope());
    co4_run(another_size());
    co4_task *task = co4_task_create(nothing());
    co4_task_release(task);
    co4_task_release(task);
    return 0;
}
