/* casts.c - a function is cast to a typedef of its type; a function of the C library becomes one of
 * the same kind.
 * infer: +typedef pausable int (*get_func)(void *data);
 * infer: +static pausable int pausable_fgetc(FILE *a1) { return fgetc(a1); }
 * infer: +    return count((get_func)pausable_fgetc, file);
 * infer: +static pausable int from_text(struct text *t)
 * flags: -Wno-co4-blocking
 * expect: 5 and 3 */
#include <co4.h>
#include <stdio.h>

typedef int (*get_func)(void *data);

struct text {
    const char *at;
};

static int from_text(struct text *t)
{
    co4_yield();
    return *t->at != '\0' ? *t->at++ : EOF;
}

static int count(get_func get, void *data)
{
    int n = 0;
    while (get(data) != EOF)
        n++;
    return n;
}

static int count_file(FILE *file)
{
    return count((get_func)fgetc, file);
}

static int count_text(const char *text)
{
    struct text t = { text };
    return count((get_func)from_text, &t);
}

int main(void)
{
    FILE *file = tmpfile();
    if (file == NULL)
        return 1;
    fputs("hello", file);
    rewind(file);
    printf("%d and %d\n", count_file(file), count_text("abc"));
    fclose(file);
    return 0;
}
