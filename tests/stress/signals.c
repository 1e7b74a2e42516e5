/* signals.c - handlers that come in between anywhere, also while a pause takes memory.
 * flags: -D_XOPEN_SOURCE=700
 * plain: by_alarm by_child by_user caught counted told */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms, others;

static int counted(int number)
{
    for (int i = 0; i < 3; i++)
        number += i;
    return number - 3;
}

static void by_alarm(int number)
{
    alarms += counted(number) == SIGALRM;
}

static void told(int number)
{
    others += 100 * (counted(number) == SIGCHLD);
}

static void by_child(int number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    told(number);
}

static void by_user(int number)
{
    others += number == SIGUSR1;
}

static void caught(int number)
{
    others += 10 * (number == SIGUSR2);
}

static const struct sigaction for_user = { .sa_handler = by_user };

static int depth(int n)
{
    char name[8] = "x";
    return n == 0 ? (int)strlen(name) : depth(n - 1) + 1;
}

int main(int argc, char **argv)
{
    (void)argv;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = &by_alarm;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    action.sa_sigaction = by_child;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGCHLD, &action, NULL);
    sigaction(SIGUSR1, &for_user, NULL);
    signal(SIGUSR2, argc > 0 ? caught : SIG_IGN);
    raise(SIGCHLD);
    raise(SIGUSR1);
    raise(SIGUSR2);

    struct itimerval every = { { 0, 100 }, { 0, 100 } };
    setitimer(ITIMER_REAL, &every, NULL);
    int wrong = 0;
    while (alarms < 1000)
        wrong += depth(20) != 21;
    memset(&every, 0, sizeof every);
    setitimer(ITIMER_REAL, &every, NULL);
    printf("%d wrong, others %d\n", wrong, (int)others);
    return 0;
}
