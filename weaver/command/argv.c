/* argv.c - lists of words for command lines, and compilers' response files.
 *
 * A list owns its words and always ends with NULL, so that `items` is an argv. When memory runs out
 * here, the program ends: it has written nothing yet, so a message suffices. */
#include "command/argv.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
    if (memory == NULL) {
        fputs("co4weave: error: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void take(cw_argv *words, char *owned)
{
    if (words->count + 1 >= words->room) {
        words->room = words->room ? 2 * words->room : 16;
        words->items = must(realloc(words->items, words->room * sizeof *words->items));
    }
    words->items[words->count++] = owned;
    words->items[words->count] = NULL;
}

void cw_argv_add(cw_argv *words, const char *word)
{
    cw_argv_add2(words, word, "");
}

void cw_argv_add2(cw_argv *words, const char *prefix, const char *rest)
{
    size_t head = strlen(prefix), tail = strlen(rest);
    char *joined = must(malloc(head + tail + 1));
    memcpy(joined, prefix, head);
    memcpy(joined + head, rest, tail + 1);
    take(words, joined);
}

void cw_argv_free(cw_argv *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (cw_argv){ 0 };
}

char *cw_stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *stem = must(strdup(slash ? slash + 1 : path));
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem)
        *dot = '\0';
    return stem;
}

/* ---- response files ------------------------------------------------------------------------- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NULL;
    size_t length = 0, room = 4096, got;
    char *text = must(malloc(room));
    while ((got = fread(text + length, 1, room - length - 1, file)) > 0) {
        length += got;
        if (length + 1 == room)
            text = must(realloc(text, room *= 2));
    }
    fclose(file);
    text[length] = '\0';
    return text;
}

/* Reads one word of a response file, and unquotes it in place: both quotes group, a backslash takes
 * the next character literally, everywhere. Returns where to look for the next word. */
static char *unquote(char *at, char *word)
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
    char *text = word[0] == '@' && depth < MOST_NESTED ? read_text(word + 1) : NULL;
    if (text == NULL) { /* no such file: compilers use the word itself */
        cw_argv_add(words, word);
        return;
    }
    for (char *at = text;;) {
        while (isspace((unsigned char)*at))
            at++;
        if (*at == '\0')
            break;
        char *start = at;
        at = unquote(at, start);
        add_expanded(words, start, depth + 1);
    }
    free(text);
}

void cw_argv_add_expanded(cw_argv *words, const char *word)
{
    add_expanded(words, word, 0);
}
