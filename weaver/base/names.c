/* names.c - a set of names, each with a number.
 *
 * A hash table with open addressing. Its size is a power of two and at least twice the count. The
 * set keeps pointers: the text of a name belongs to the caller and must outlive the set. */
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/bug.h"

/* The slot of the name, or the free slot where it would be inserted. */
static size_t slot_of(const cw_names *names, const char *text, size_t length)
{
    size_t hash = 5381;
    for (size_t i = 0; i < length; i++)
        hash = hash * 33 ^ (unsigned char)text[i];
    size_t at = hash & (names->room - 1);
    while (names->items[at].text != NULL &&
           (names->items[at].length != length || memcmp(names->items[at].text, text, length) != 0))
        at = (at + 1) & (names->room - 1);
    return at;
}

static void grow(cw_names *names)
{
    cw_names larger = { .count = names->count, .room = names->room == 0 ? 64 : 2 * names->room };
    larger.items = cw_must(calloc(larger.room, sizeof *larger.items));
    for (size_t i = 0; i < names->room; i++) {
        const cw_name *name = &names->items[i];
        if (name->text != NULL)
            larger.items[slot_of(&larger, name->text, name->length)] = *name;
    }
    free(names->items);
    *names = larger;
}

cw_name *cw_names_find(const cw_names *names, const char *text, size_t length)
{
    if (names->count == 0)
        return NULL;
    cw_name *name = &names->items[slot_of(names, text, length)];
    return name->text != NULL ? name : NULL;
}

cw_name *cw_names_add(cw_names *names, const char *text, size_t length)
{
    if (names->count * 2 >= names->room)
        grow(names);
    cw_name *name = &names->items[slot_of(names, text, length)];
    if (name->text == NULL) {
        *name = (cw_name){ text, length, 0 };
        names->count++;
    }
    return name;
}

void cw_names_free(cw_names *names)
{
    free(names->items);
    *names = (cw_names){ 0 };
}

/* ---- lists of words ---- */

const char *cw_next_listed(const char *word, size_t *length)
{
    word += *length;
    word += *word == ' ';
    *length = strcspn(word, " ");
    return *length > 0 ? word : NULL;
}

bool cw_lists(const char *list, const char *word, size_t length)
{
    size_t n = 0;
    for (const char *at = list; (at = cw_next_listed(at, &n)) != NULL;)
        if (n == length && memcmp(at, word, n) == 0)
            return true;
    return false;
}

bool cw_lists_name(const char *list, const char *name)
{
    return cw_lists(list, name, strlen(name));
}

bool cw_lists_begin_of(const char *list, const char *word)
{
    size_t n = 0;
    for (const char *at = list; (at = cw_next_listed(at, &n)) != NULL;)
        if (strncmp(word, at, n) == 0)
            return true;
    return false;
}

bool cw_lists_end_of(const char *list, const char *word)
{
    size_t n = 0, length = strlen(word);
    for (const char *at = list; (at = cw_next_listed(at, &n)) != NULL;)
        if (n <= length && memcmp(word + length - n, at, n) == 0)
            return true;
    return false;
}
