/* no_races.c - what threads have for themselves, or give on within the C library, is no race; and
 * where a call that waits accesses memory. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static __thread int mine;
static volatile sig_atomic_t seen;
static pthread_key_t key;

static void on_alarm(int number)
{
    (void)number;
    seen++;
}

static int count_down(int n, int *sum)
{
    int left = n;
    if (n > 0) {
        count_down(n - 1, &left);
        usleep(1);
    }
    *sum += left;
    return *sum;
}

static void *use_all(void *arg)
{
    for (int i = 1; i <= 4; i++) {
        char text[100], *copy, *line = NULL;
        size_t room = 0;
        int sum = 0;
        errno = 0;
        mine++;
        pthread_setspecific(key, text);
        usleep(10);
        snprintf(text, sizeof text, "%d", mine);
        assert(atoi(text) == i && errno == 0 && pthread_getspecific(key) == text);
        copy = strdup(text);
        usleep(1);
        copy = realloc(copy, 500);
        assert(strcmp(copy, text) == 0);
        free(copy);
        FILE *file = fopen("/etc/passwd", "r");
        assert(getline(&line, &room, file) > 0);
        fclose(file);
        free(line);
        struct addrinfo *found = NULL;
        assert(getaddrinfo("127.0.0.1", "80", NULL, &found) == 0 && found->ai_family != 0);
        freeaddrinfo(found);
        assert(count_down(3, &sum) > 0);
    }
    return arg;
}

static int ends[2];
static char buffer[16] = "a text";

static void *set_buffer(void *arg)
{
    buffer[2] = 'x';
    return arg;
}

/* The buffer is shared with a thread that has it for itself until it ends. */
static void call(const char *how)
{
    pthread_t id;
    struct iovec part = { buffer, sizeof buffer };
    FILE *out = fopen("/dev/null", "w");
    pipe(ends);
    write(ends[1], "hello", 5);
    pthread_create(&id, NULL, set_buffer, NULL);
    usleep(10);
    if (strcmp(how, "read") == 0)
        read(ends[0], buffer, sizeof buffer); /* read */
    else if (strcmp(how, "write") == 0)
        write(ends[1], buffer, sizeof buffer); /* write */
    else if (strcmp(how, "writev") == 0)
        writev(ends[1], &part, 1); /* writev */
    else if (strcmp(how, "fwrite") == 0)
        fwrite(buffer, 1, sizeof buffer, out); /* fwrite */
    else if (strcmp(how, "fputs") == 0)
        fputs(buffer, out); /* fputs */
    pthread_join(id, NULL);
}

int main(int argc, char **argv)
{
    pthread_t ids[4];
    if (argc > 1) {
        call(argv[1]);
        return 0;
    }
    signal(SIGALRM, on_alarm);
    alarm(1);
    pthread_key_create(&key, NULL);
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, use_all, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    sleep(2);
    assert(seen == 1);
    return 0;
}
