/* pull_bench.c - a document of pull.h from a file, again and again.
 *
 *     pull_bench DOCUMENT TIMES */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pull.h"

int main(int argc, char **argv)
{
    int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;
    unsigned long sum = 0;
    for (int i = 0; fd >= 0 && i < atoi(argv[2]); i++) {
        lseek(fd, 0, SEEK_SET);
        sum = sum * 31 + pull(fd);
    }
    printf("%lx\n", sum);
    return fd < 0;
}
