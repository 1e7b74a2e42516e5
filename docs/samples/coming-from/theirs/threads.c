/* threads.c - squares.c with POSIX threads. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *square(void *arg)
{
    int *n = arg;
    usleep(*n * 1000);
    *n *= *n;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int numbers[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        numbers[i] = i + 1;
        pthread_create(&threads[i], NULL, square, &numbers[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        sum += numbers[i];
    }
    printf("%d\n", sum);
}
