/* file_names - a function may come from a file of any name: with quotes, backslashes, or the end of
 * a comment. A star is shown as a plus.
 * modes: woven forced
 * expect: #0 inner () at it's /+ in +/ a "grammar".y:71 in co4_sleep()
 * expect: #1 outer () at back\slash//.y:81 in inner()
 * expect: 4 */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <string.h>

static char text[4000];
static size_t length;

static int keep(void *data, const char *piece, size_t n)
{
    (void)data;
    if (length + n < sizeof text)
        memcpy(text + length, piece, n);
    length += n;
    return CO4_OK;
}

static void show(const char *number, const char *line)
{
    printf("%.2s ", number);
    for (; *line != '\n'; line++)
        putchar(*line == '*' ? '+' : *line);
    putchar('\n');
}

static pausable int inner(int n);
static pausable int outer(int n);

static pausable int observe(void)
{
    co4_scope_spawn(co4_scope_here(), outer(2));
    co4_sleep(CO4_SEC / 1000);
    co4_dump(NULL, keep, NULL);
    for (char *p = text; (p = strchr(p, '#')) != NULL; p += strcspn(p, "\n")) {
        const char *from = p + 2;
        while (*from == ' ')
            from++;
        if (strncmp(from, "inner", 5) == 0 || strncmp(from, "outer", 5) == 0)
            show(p, from);
    }
    return 4;
}

int main(void)
{
    co4_test_begin(&(co4_test_options){ .start = CO4_SEC });
    co4_watch(1);
    printf("%d\n", co4_run(co4_scope_run(0, observe())));
    co4_watch(0);
    co4_test_end(NULL);
    return 0;
}
/* clang-format off */
#line 70 "it's /* in */ a \"grammar\".y"
static pausable int inner(int n) {
    co4_sleep(CO4_SEC);
    return n;
}
#line 80 "back\\slash//.y"
static pausable int outer(int n) {
    int twice = inner(n) + inner(n);
    return twice;
}
