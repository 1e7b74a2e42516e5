/* link_hints.c - explains a failed link: which source is not woven, which library is missing. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "command/process.h"
#include "text/text.h"

enum {
    MOST = 3,                  /* hints at functions of the program: the others follow from these */
    LARGEST = 64 * 1024 * 1024 /* bytes of an input that is searched */
};

static const char not_woven[] = "co4_this_source_was_not_woven"; /* see co4/mark.h */

typedef struct hints {
    char *const *argv;
    cw_names said;
    bool has_read;
    cw_buf inputs;  /* the objects, archives and woven sources of the command */
    cw_names woven; /* the names of woven forms in them */
} hints;

/* The library that has a function of co4; NULL: none has. */
static const char *library_of(const char *name)
{
    static const char *const libraries[] = { "co4_http", "co4_websocket", "co4_tls", "co4_nats" };
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
            return libraries[i];
    return strncmp(name, "co4_", 4) == 0 ? "co4" : NULL;
}

/* A program with a sanitizer asks for a symbol that the library for it alone has. Then the other
 * names of co4 are missing for the same reason, and are not said. */
static void hint_at_sanitizer(cw_names *said, const char *messages)
{
    static const char *const kinds[] = { "address", "thread" };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char symbol[80];
        snprintf(symbol, sizeof symbol, "co4_link_with_the_package_co4_%s_", kinds[i]);
        if (strstr(messages, symbol) == NULL)
            continue;
        cw_names_add(said, "co4", 3);
        fprintf(
            stderr,
            "co4weave: hint: -fsanitize=%s needs a library co4 of its own, which co4weave finds "
            "once it is installed: `cmake --build build --target co4_%s` in co4's folder, and "
            "install again\n",
            kinds[i], kinds[i]);
    }
}

/* Does the link name the library that has the core? */
static bool names_core(char *const argv[])
{
    for (; *argv != NULL; argv++) {
        const char *slash = strrchr(*argv, '/'), *base = slash != NULL ? slash + 1 : *argv;
        if (strcmp(*argv, "-lco4") == 0 || strncmp(base, "libco4.", 7) == 0)
            return true;
    }
    return false;
}

static bool is_of_word(char c)
{
    return (unsigned char)c < 0x80 && cw_is_word(c);
}

/* Collects the names of woven forms that the inputs have. A table of symbols has each between two
 * bytes of zero, and woven text as a word. */
static void read_inputs(hints *h)
{
    static const char mark[] = "__co4";
    h->has_read = true;
    for (char *const *word = h->argv; *word != NULL; word++) {
        cw_buf input = { 0 };
        const char *dot = strrchr(*word, '.');
        if (dot != NULL && cw_lists_name("o a i", dot + 1) &&
            cw_read_regular(*word, LARGEST, &input))
            cw_put(&h->inputs, input.data, input.length + 1);
        cw_buf_free(&input);
    }
    const char *text = h->inputs.data, *end = text + h->inputs.length;
    for (const char *at = text; at != NULL && (at = memmem(at, (size_t)(end - at), mark, 5));) {
        const char *first = at;
        while (first > text && is_of_word(first[-1]))
            first--;
        at += 5;
        if (!is_of_word(*at)) /* there is a NUL behind the text */
            cw_names_add(&h->woven, first, (size_t)(at - 5 - first));
    }
}

/* Is it undefined as a plain function, and pausable elsewhere? */
static bool lacks_mark(hints *h, const char *name, size_t length)
{
    if (!h->has_read)
        read_inputs(h);
    return cw_names_find(&h->woven, name, length) != NULL;
}

/* Says of a name what is missing. Returns whether it is a function of the program. */
static bool hint_at(hints *h, const char *name, size_t length)
{
    bool woven = length > 5 && strncmp(name + length - 5, "__co4", 5) == 0;
    size_t own = woven ? length - 5 : length;
    const char *library = library_of(name), *once = library != NULL ? library : name;
    size_t size = library != NULL ? strlen(library) : own;
    if (strncmp(name, not_woven, sizeof not_woven - 1) == 0)
        once = not_woven, size = sizeof not_woven - 1;
    if (cw_names_find(&h->said, once, size) != NULL)
        return false;
    if (library == NULL && !woven && !lacks_mark(h, name, length))
        return false;
    cw_names_add(&h->said, once, size);
    if (once == not_woven)
        fprintf(stderr,
                "co4weave: hint: the source that refers to '%.*s' was not woven: build it "
                "with co4weave, too\n",
                (int)length, name);
    else if (library == NULL && !woven)
        fprintf(stderr,
                "co4weave: hint: '%.*s' is pausable where it is defined: its declaration where it "
                "is called lacks the mark\n",
                (int)length, name);
    else if (library != NULL && strcmp(library, "co4") == 0 && names_core(h->argv))
        fprintf(stderr, "co4weave: hint: the library co4 is before what needs it, or is of another "
                        "version: name it last, as `pkg-config --libs co4` does\n");
    else if (library != NULL && strcmp(library, "co4") == 0)
        fprintf(stderr, "co4weave: hint: the library co4 of this version is not there: link it, as "
                        "`pkg-config --libs co4` does\n");
    else if (library != NULL)
        fprintf(stderr,
                "co4weave: hint: '%.*s' is in the library %s: link it before co4, as "
                "`pkg-config --libs %s` does\n",
                (int)own, name, library, library);
    else
        fprintf(stderr,
                "co4weave: hint: '%.*s' is pausable, and nothing has its woven form: build its "
                "source with co4weave, too\n",
                (int)own, name);
    return library == NULL;
}

void cw_hint_at_link(const char *messages, char *const argv[])
{
    static const char *const signs[] = { "undefined reference to ", "undefined symbol: " };
    hints h = { .argv = argv };
    int count = 0;
    hint_at_sanitizer(&h.said, messages);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        for (const char *at = messages; (at = strstr(at, signs[i])) != NULL && count < MOST;) {
            at += strlen(signs[i]);
            while (*at != '\0' && *at != '\n' && !is_of_word(*at)) /* a quote of any form */
                at++;
            size_t length = 0;
            while (is_of_word(at[length]))
                length++;
            count += length > 0 && hint_at(&h, at, length);
        }
    cw_names_free(&h.said);
    cw_names_free(&h.woven);
    cw_buf_free(&h.inputs);
}

int cw_run_link(char *const argv[])
{
    cw_buf said = { 0 };
    int status = cw_run(argv, NULL, &said);
    if (said.data != NULL)
        fputs(said.data, stderr);
    if (status != 0 && said.data != NULL)
        cw_hint_at_link(said.data, argv);
    cw_buf_free(&said);
    return status;
}
