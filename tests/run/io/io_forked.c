/* io_forked.c - a task forks while others wait for descriptors. In the child only the task that has
 * forked lives: it waits where a lost task waited, and gets the byte. The parent's waits go on.
 * flags: -Wno-co4-blocking
 * needs: descriptors forks threads
 * modes: woven forced
 * expect: child: got c, a lost task -
 * expect: parent: got p, the child ended with 0 */
#include <co4.h>
#include <co4/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int for_child[2], for_parent[2];

static pausable void read_one(int fd, char *c)
{
    if (co4_read(fd, c, 1) != 1)
        *c = '?';
}

/* Blocks the thread: the parent's tasks rest meanwhile. */
static int status_of(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static pausable void both(void)
{
    char c = '-', p = '-';
    co4_task *child = co4_spawn(read_one(for_child[0], &c));
    co4_task *parent = co4_spawn(read_one(for_parent[0], &p));
    co4_sleep(2 * CO4_MS); /* both wait, in one reactor */
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        char got = '-';
        co4_sleep(CO4_MS);
        co4_write(for_child[1], "c", 1);
        read_one(for_child[0], &got);
        printf("child: got %c, a lost task %c\n", got, c);
        fflush(stdout);
        bool is_mine = p == '-';  /* the parent's byte is not for the child */
        co4_close(for_parent[0]); /* the parent waits there, and goes on waiting */
        _exit(is_mine ? 0 : 1);
    }
    int status = status_of(pid);
    co4_write(for_parent[1], "p", 1);
    co4_join(parent, NULL);
    co4_write(for_child[1], "c", 1);
    co4_join(child, NULL);
    printf("parent: got %c, the child ended with %d\n", p, status);
}

int main(void)
{
    if (co4_pipe(for_child) != 0 || co4_pipe(for_parent) != 0)
        return 1;
    co4_run(both());
    return 0;
}
