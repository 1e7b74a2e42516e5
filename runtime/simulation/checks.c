/* checks.c - the command that looks at what a crash has left (co4test --check).
 *
 * It runs after each life, in the folder that the program began in, as the crash has left it. So it
 * may compare that with what the program has written to standard output: the file CO4_TEST_OUTPUT,
 * of all lives. It is a process of the system, with the real clock. */
#define _GNU_SOURCE
#include "simulation/checks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulation/disk.h"
#include "simulation/run.h"

int __real_chdir(const char *path);
pid_t __real_fork(void);
pid_t __real_waitpid(pid_t process, int *status, int flags);
int __real_execv(const char *file, char *const args[]);
int __real_dup2(int from, int to);
_Noreturn void __real__exit(int status);

static bool output_name(char name[CO4__DISK_PATH])
{
    const char *disk = getenv("CO4_TEST_DISK");
    return getenv("CO4_TEST_CHECK") && disk &&
           snprintf(name, CO4__DISK_PATH, "%s/output", disk) < CO4__DISK_PATH;
}

void co4__check_takes_output(unsigned life)
{
    char name[CO4__DISK_PATH];
    if (!output_name(name))
        return;
    int fd = __real_open(name, O_WRONLY | O_CREAT | O_APPEND | (life == 1 ? O_TRUNC : 0), 0666);
    if (fd >= 0) {
        __real_dup2(fd, STDOUT_FILENO);
        __real_close(fd);
    }
}

static _Noreturn void run_check(const char *home, const char *output)
{
    char folder[2 * CO4__DISK_PATH];
    snprintf(folder, sizeof folder, "%s/root%s", getenv("CO4_TEST_DISK"), home);
    co4__simulation_sets("CO4_TEST_OUTPUT", output);
    snprintf(folder + CO4__DISK_PATH, CO4__DISK_PATH, "%s/acknowledged", getenv("CO4_TEST_DISK"));
    co4__simulation_sets("CO4_TEST_ACKNOWLEDGED", folder + CO4__DISK_PATH);
    unsetenv("CO4_TEST_SERVER");
    char name[] = "sh", option[] = "-c";
    char *args[] = { name, option, getenv("CO4_TEST_CHECK"), NULL };
    if (__real_chdir(folder) == 0)
        __real_execv("/bin/sh", args);
    perror("co4: --check");
    __real__exit(127);
}

bool co4__check_passes(const char *home)
{
    char output[CO4__DISK_PATH];
    int status = 0;
    if (!output_name(output))
        return true;
    pid_t check = __real_fork(); /* it is none of the program's */
    if (check == 0)
        run_check(home, output);
    while (check > 0 && __real_waitpid(check, &status, 0) < 0 && errno == EINTR)
        ;
    if (check < 0 || status != 0)
        fprintf(stderr, "co4: the command of --check ends with status %d\n",
                WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return check > 0 && status == 0;
}
