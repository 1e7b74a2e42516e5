/* string_building - character arrays, string functions and pointers into them across pauses.
 * needs: formats
 * expect: never odd or even|never ODD-or even|18 17 */
#include <co4.h>
#include <stdio.h>
#include <string.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable char *append(char *to, const char *text)
{
    while (*text != '\0') {
        *to++ = *text++;
        co4_yield();
    }
    *to = '\0';
    return to;
}

static pausable void work(void)
{
    char line[64] = "", *end = line;
    static const char *const words[] = { "never", "odd", "or", "even" };
    for (unsigned i = 0; i < 4; i++)
        end = append(append(end, i ? " " : ""), words[i]);
    char copy[sizeof line];
    memcpy(copy, line, sizeof line);
    *append(strchr(copy, 'o'), "ODD") = '-';
    printf("%s|%s|%zu %td\n", line, copy, strlen(line) + wait_for(1), end - line);
}

int main(void)
{
    co4_run(work());
    return 0;
}
