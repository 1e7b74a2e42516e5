/* tls_plain.c - a session with each target, one after the other.
 *
 *     tls_plain AUTHORITY TARGET...      prints what came of each */
#include <stdio.h>

#include "tls_session.h"

int main(int argc, char **argv)
{
    char told[1024];
    if (argc < 2 || !tls_begin(argv[1]))
        return 2;
    for (int i = 2; i < argc; i++) {
        tls_session(argv[i], i - 2, told, sizeof told);
        printf("%s\n", told);
    }
    tls_end();
    return 0;
}
