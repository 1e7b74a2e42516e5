/* attribute.c - attributes and specifiers of pausable functions, read from the text.
 *
 * A woven function is not quite the function that the user wrote: it has one parameter more, it returns when it pauses, and
 * what it returns then means nothing. Attributes that speak of parameters by number, that promise not to return, or that
 * allow calls to be merged, would be lies; they are hints, and are dropped. Those that hand the function to somebody who calls it
 * (constructor, alias) are refused. Attributes that change how it is compiled (target) keep its body out of line. */
#include "weaver.h"

#include <string.h>

static const char *const dropped[] = {
    "nonnull",
    "returns_nonnull",
    "alloc_size",
    "alloc_align",
    "assume_aligned",
    "access",
    "format",
    "format_arg",
    "sentinel",
    "noreturn",
    "pure",
    "const",
    "malloc",
    "leaf",
    "returns_twice",
    "simd",
    NULL,
};
static const char *const refused[] = { "constructor", "destructor", "alias", "ifunc",
                                       "weakref",     "interrupt",  "naked", NULL };
static const char *const compiled_apart[] = { "target",
                                              "target_clones",
                                              "optimize",
                                              "no_sanitize",
                                              "no_sanitize_address",
                                              "no_sanitize_thread",
                                              "no_sanitize_undefined",
                                              "no_instrument_function",
                                              NULL };
static const char *const inlined[] = { "inline",        "__inline",   "__inline__",
                                       "always_inline", "gnu_inline", NULL };

/* Is the word one of these, with or without underscores around it? */
static bool is_attribute(const char *word, size_t length, const char *const *list)
{
    bool dressed = length > 4 && memcmp(word, "__", 2) == 0 &&
                   memcmp(word + length - 2, "__", 2) == 0;
    return dressed ? cw_is_one_of(word + 2, length - 4, list) : cw_is_one_of(word, length, list);
}

static void read_attribute(cw_unit *unit, const cw_decl *decl, uint32_t at, uint32_t end)
{
    for (uint32_t next; at < end; at = next) {
        next = at;
        while (cw_is_word(unit->text[next]))
            next++;
        if (next == at) {
            next = unit->text[at] == '(' ? at + 1 : cw_skip_unit(unit, at);
            continue;
        }
        const char *word = unit->text + at;
        uint32_t word_end = next;
        uint32_t group = cw_skip_blank(unit, next);
        if (unit->text[group] == '(')
            next = cw_skip_group(unit, group);
        if (is_attribute(word, word_end - at, dropped))
            cw_edit_add(unit, &unit->small, at, next, "unused");
        else if (is_attribute(word, word_end - at, refused))
            cw_diag(unit, CW_ERROR, at, word_end,
                    "give the attribute to a plain function that enters it",
                    "'%s' is pausable and cannot have the attribute '%.*s': it would be called "
                    "without a fiber",
                    decl->name, (int)(word_end - at), word);
        else if (decl->func != NULL && is_attribute(word, word_end - at, compiled_apart))
            decl->func->apart = true;
        else if (decl->func != NULL && is_attribute(word, word_end - at, inlined))
            decl->func->strict = true;
    }
}

/* The attributes of one declaration, from its first specifier to its ';' or '{'. */
static void read_redecl(cw_unit *unit, const cw_decl *decl, const cw_redecl *redecl)
{
    uint32_t at = redecl->begin;
    while (at < unit->length && unit->text[at] != ';' && unit->text[at] != '{') {
        uint32_t end = cw_skip_word(unit, at);
        if (end == at) {
            uint32_t next = unit->text[at] == '(' ? cw_skip_group(unit, at)
                                                  : cw_skip_unit(unit, at);
            for (end = at; decl->func != NULL && cw_next_word(unit, &at, &end, next);)
                decl->func->strict |= end - at == 6 && memcmp(unit->text + at, "static", 6) == 0;
            at = next;
            continue;
        }
        size_t length = end - at;
        const char *word = unit->text + at;
        if (decl->func != NULL && cw_is_one_of(word, length, inlined))
            decl->func->strict = true;
        uint32_t group = cw_skip_blank(unit, end);
        if ((length == 13 && memcmp(word, "__attribute__", 13) == 0) ||
            (length == 11 && memcmp(word, "__attribute", 11) == 0)) {
            at = cw_skip_group(unit, group);
            read_attribute(unit, decl, group, at);
            continue;
        }
        if (length == 9 && memcmp(word, "_Noreturn", 9) == 0)
            cw_edit_add(unit, &unit->small, at, end, "");
        at = end;
    }
}

void cw_read_attributes(cw_unit *unit)
{
    for (size_t i = 0; i < unit->ndecls; i++) {
        const cw_decl *decl = unit->decls[i];
        if (decl->kind == CW_D_FUNCTION && cw_decl_is_coloured(decl))
            for (size_t j = 0; j < decl->nredecls; j++)
                read_redecl(unit, decl, &decl->redecls[j]);
    }
}
