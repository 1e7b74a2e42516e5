/* os_stdin.c - standard input of each kind: a terminal, a pipe, a file, /dev/null, and none. A task
 * that reads it never blocks its thread, and O_NONBLOCK stays off for those that share it.
 * needs: descriptors posix forks
 * modes: woven forced
 * weave: -Wno-co4-blocking
 * expect: terminal: "first", then "second", 3 ticks or more meanwhile, O_NONBLOCK off
 * expect: terminal: end of input 0
 * expect: terminal: hang-up ends the wait
 * expect: pipe: "piped", 3 ticks or more meanwhile, then 0
 * expect: file: "stored", then 0
 * expect: null: 0
 * expect: closed: EBADF
 * expect: cancelled: ECANCELED, and the line is there for the next read: "kept" */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ticks, end;

pausable void tick(void)
{
    while (!end) {
        ticks++;
        co4_sleep(CO4_MS / 4);
    }
}

static char line[64];

/* Reads a line of 0; the result is without its end. */
static pausable const char *read_line(void)
{
    int n = (int)co4_read(0, line, sizeof line - 1);
    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return line;
}

pausable void write_later(int fd, const char *text)
{
    int from = ticks;
    while (ticks < from + 4)
        co4_sleep(CO4_MS / 4);
    if (write(fd, text, strlen(text)) < 0)
        perror("write");
}

static void become_stdin(int fd)
{
    co4_close(0);
    dup2(fd, 0);
    close(fd);
}

static int open_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    grantpt(master);
    unlockpt(master);
    become_stdin(open(ptsname(master), O_RDWR | O_NOCTTY));
    return master;
}

pausable void read_last(int *result)
{
    *result = (int)co4_read(0, line, sizeof line);
}

pausable void terminal(void)
{
    char first[64];
    int master = open_terminal(), from = ticks, n = 1;
    co4_task *t = co4_spawn(write_later(master, "first\nsec"));
    strcpy(first, read_line());
    co4_join(t, NULL);
    t = co4_spawn(write_later(master, "ond\n")); /* half a line is none: the terminal collects it */
    const char *second = read_line();
    co4_join(t, NULL);
    printf("terminal: \"%s\", then \"%s\", %s meanwhile, O_NONBLOCK %s\n", first, second,
           ticks - from >= 3 ? "3 ticks or more" : "none",
           fcntl(0, F_GETFL) & O_NONBLOCK ? "on" : "off");
    t = co4_spawn(write_later(master, "\4")); /* Ctrl-D */
    n = (int)co4_read(0, line, sizeof line);
    co4_join(t, NULL);
    printf("terminal: end of input %d\n", n);
    t = co4_spawn(read_last(&n));
    n = 1;
    co4_sleep(CO4_MS);
    close(master);
    co4_join(t, NULL);
    printf("terminal: hang-up %s\n", n <= 0 ? "ends the wait" : "?");
}

pausable void others(void)
{
    int fds[2], from = ticks;
    char path[] = "/tmp/co4-stdin.XXXXXX";
    if (pipe(fds) != 0)
        return;
    become_stdin(fds[0]);
    co4_task *t = co4_spawn(write_later(fds[1], "piped"));
    printf("pipe: \"%s\"", read_line());
    co4_join(t, NULL);
    close(fds[1]);
    printf(", %s meanwhile, then %d\n", ticks - from >= 3 ? "3 ticks or more" : "none",
           (int)co4_read(0, line, 1));
    int fd = mkstemp(path);
    unlink(path);
    if (write(fd, "stored\n", 7) != 7)
        return;
    lseek(fd, 0, SEEK_SET);
    become_stdin(fd);
    printf("file: \"%s\"", read_line());
    printf(", then %d\n", (int)co4_read(0, line, 1));
    become_stdin(open("/dev/null", O_RDONLY));
    printf("null: %d\n", (int)co4_read(0, line, 1));
    co4_close(0);
    int n = (int)co4_read(0, line, 1);
    printf("closed: %s\n", n < 0 && errno == EBADF ? "EBADF" : "?");
    if (open("/dev/null", O_RDONLY) != 0) /* or the next terminal would be 0 */
        return;
}

pausable void read_until_cancelled(void)
{
    int n = (int)co4_read(0, line, sizeof line);
    printf("cancelled: %s", n < 0 && errno == ECANCELED ? "ECANCELED" : "?");
}

pausable void cancelled(void)
{
    int master = open_terminal();
    co4_task *t = co4_spawn(read_until_cancelled());
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
    write_later(master, "kept\n");
    printf(", and the line is there for the next read: \"%s\"\n", read_line());
    close(master);
}

pausable void all(void)
{
    co4_task *t = co4_spawn(tick());
    terminal();
    others();
    cancelled();
    end = 1;
    co4_join(t, NULL);
}

int main(void)
{
    co4_run(all());
    return 0;
}
