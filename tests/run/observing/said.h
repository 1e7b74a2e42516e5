/* said.h - what a test's program writes to standard error. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int saved;
static FILE *said;

static void listen(void)
{
    fflush(stderr);
    saved = dup(2);
    said = tmpfile();
    dup2(fileno(said), 2);
}

/* Prints the number of lines that were written to standard error since listen(). Of a single one it
 * prints the text behind "co4: ", as far as the first `last`. */
static void tell(const char *when, const char *last)
{
    char text[2000] = "";
    dup2(saved, 2);
    close(saved);
    rewind(said);
    size_t n = fread(text, 1, sizeof text - 1, said), lines = 0;
    fclose(said);
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    printf("%s: %zu line%s", when, lines, lines == 1 ? ": " : "s");
    const char *begin = text + strlen("co4: "), *end = lines == 1 ? strstr(begin, last) : NULL;
    if (end)
        printf("%.*s", (int)(end + strlen(last) - begin), begin);
}
