/* reserved_names.c - the user's names that collide with names of woven code.
 *
 * If a program has a `struct f__frame` or an f__run() beside a pausable `f`, the compiler would
 * report errors in text that the user did not write. So this pass looks at each word of the text.
 * It also refuses members with such a name, although they would do no harm: no program needs
 * one. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

/* Suffixes for every pausable function; then those for functions that an entry point starts. */
static const char always[] =
    "co4 func frame resume unwind info sites fields live text args body name pretty";
static const char started[] =
    "run spawn kept task generate call start root call_func start_func blocking job job_func "
    "job_call job_resume prepare call_unwind";

static bool is_started(const cw_unit *unit, const cw_decl *function)
{
    for (size_t i = 0; i < unit->nentries; i++)
        for (size_t j = 0; j < unit->entries[i]->nkids; j++) {
            const cw_node *node = cw_strip(unit->entries[i]->kids[j]);
            if (node->kind == CW_REF && node->decl == function)
                return true;
        }
    return false;
}

static const cw_decl *function_named(const cw_unit *unit, const char *name, size_t length)
{
    for (size_t i = 0; i < unit->ndecls; i++)
        if (unit->decls[i]->kind == CW_D_FUNCTION && strlen(unit->decls[i]->name) == length &&
            memcmp(unit->decls[i]->name, name, length) == 0)
            return cw_decl_is_pausable(unit->decls[i]) || is_started(unit, unit->decls[i])
                       ? unit->decls[i]
                       : NULL;
    return NULL;
}

/* The function with whose name the word begins; NULL if there is none. */
static const cw_decl *maker(const cw_unit *unit, const char *word, size_t length)
{
    for (size_t at = 1; at + 2 < length; at++) {
        const char *rest = word + at + 2;
        size_t left = length - at - 2;
        if (word[at] != '_' || word[at + 1] != '_')
            continue;
        bool own = cw_lists(always, rest, left) || (left > 5 && memcmp(rest, "live_", 5) == 0);
        if (!own && !cw_lists(started, rest, left))
            continue;
        const cw_decl *function = function_named(unit, word, at);
        if (function != NULL && (own ? function->func != NULL : is_started(unit, function)))
            return function;
    }
    return NULL;
}

void cw_check_reserved_names(cw_unit *unit)
{
    const char **known = NULL;
    size_t nknown = 0;
    for (uint32_t at, end = 0; cw_next_word(unit, &at, &end, unit->length);) {
        const cw_decl *function = maker(unit, unit->text + at, end - at);
        const cw_func *around = cw_func_at(unit, at);
        bool seen = function == NULL || (around != NULL && around->pausable &&
                                         at > around->body_at); /* check.c looks at bodies */
        const char *word = function != NULL ? cw_strndup(&unit->arena, unit->text + at, end - at)
                                            : NULL;
        for (size_t i = 0; !seen && i < nknown; i++)
            seen = strcmp(known[i], word) == 0;
        if (!seen) {
            CW_PUSH(&unit->arena, known, nknown, word);
            cw_diag(unit, CW_ERROR, at, "choose another name",
                    "'%s' is a name that woven code gives to a part of '%s'", word, function->name);
        }
    }
}
