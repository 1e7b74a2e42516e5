/* argv.c - lists of words for command lines, and compilers' response files.
 *
 * A list owns its words and always ends with NULL, so that `items` is an argv. */
#include "command/argv.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bug.h"

void cw_argv_add(cw_argv *words, const char *word)
{
    cw_argv_add2(words, word, "");
}

void cw_argv_add2(cw_argv *words, const char *prefix, const char *rest)
{
    size_t head = strlen(prefix), tail = strlen(rest);
    char *joined = cw_must(malloc(head + tail + 1));
    memcpy(joined, prefix, head);
    memcpy(joined + head, rest, tail + 1);
    CW_ADD(words->items, words->count, joined);
    CW_ADD(words->items, words->count, NULL);
    words->count--;
}

void cw_argv_add_all(cw_argv *words, const char *word, ...)
{
    va_list more;
    va_start(more, word);
    for (; word != NULL; word = va_arg(more, const char *))
        cw_argv_add(words, word);
    va_end(more);
}

void cw_argv_free(cw_argv *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (cw_argv){ 0 };
}

char *cw_named_after(const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/');
    cw_buf name = { 0 };
    cw_puts(&name, slash != NULL ? slash + 1 : path);
    char *dot = strrchr(name.data, '.');
    if (dot != NULL && dot != name.data)
        name.length = (size_t)(dot - name.data);
    cw_puts(&name, suffix);
    return name.data;
}

bool cw_starts(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

bool cw_ends(const char *word, const char *suffix)
{
    size_t length = strlen(word), tail = strlen(suffix);
    return length >= tail && strcmp(word + length - tail, suffix) == 0;
}

/* ---- response files ------------------------------------------------------------------------- */

/* Reads one word of a response file, and unquotes it in place: both quotes group, a backslash takes
 * the next character literally, everywhere. Returns where to look for the next word. */
static char *unquote_word(char *at, char *word)
{
    char quote = '\0';
    for (; *at != '\0' && (quote != '\0' || !isspace((unsigned char)*at)); at++) {
        if (*at == '\\' && at[1] != '\0')
            *word++ = *++at;
        else if (quote == '\0' && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (quote != '\0' && *at == quote)
            quote = '\0';
        else
            *word++ = *at;
    }
    if (*at != '\0')
        at++;
    *word = '\0';
    return at;
}

/* Response files may name response files. The limit ends one that names itself. */
enum { MOST_NESTED = 16 };

static void add_expanded(cw_argv *words, const char *word, int depth)
{
    cw_buf text = { 0 };
    int fd = word[0] == '@' && depth < MOST_NESTED ? open(word + 1, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) { /* no such file: compilers use the word itself */
        cw_argv_add(words, word);
        return;
    }
    cw_read_all(fd, &text);
    close(fd);
    for (char *at = text.data;;) {
        while (isspace((unsigned char)*at))
            at++;
        if (*at == '\0')
            break;
        char *start = at;
        at = unquote_word(at, start);
        add_expanded(words, start, depth + 1);
    }
    cw_buf_free(&text);
}

void cw_argv_add_expanded(cw_argv *words, const char *word)
{
    add_expanded(words, word, 0);
}
