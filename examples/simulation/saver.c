/* saver.c - a counter in a file, each value of which is promised to survive a crash:
 * docs/simulation.md finds out that it does not. With -DMENDED it is right. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LAST = 10 };

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

/* Returns 0 without the file. */
static int read_number(const char *name)
{
    int number = 0;
    FILE *f = fopen(name, "r");
    if (f && fscanf(f, "%d", &number) != 1) {
        fprintf(stderr, "%s is torn\n", name);
        exit(EXIT_FAILURE);
    }
    if (f)
        fclose(f);
    return number;
}

static void save(int number)
{
    int fd = open("counter.new", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || dprintf(fd, "%d\n", number) < 0)
        fail("counter.new");
#ifdef MENDED
    if (fsync(fd) != 0)
        fail("counter.new");
#endif
    close(fd);
    if (rename("counter.new", "counter") != 0)
        fail("counter");
    int folder = open(".", O_RDONLY | O_DIRECTORY);
    if (folder < 0 || fsync(folder) != 0) /* the name is durable, too */
        fail(".");
    close(folder);
}

int main(void)
{
    int number = read_number("counter");
    printf("found %d\n", number);
    while (number < LAST) {
        save(++number);
        printf("saved %d\n", number);
    }
    return EXIT_SUCCESS;
}
