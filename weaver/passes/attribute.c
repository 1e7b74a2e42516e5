/* attribute.c - attributes, specifiers and assembler names of pausable functions, read from the
 * text.
 *
 * Purpose: a woven function differs from the function that the user wrote. It has one more
 * parameter. It returns when it pauses, and its result then has no meaning. So each attribute
 * belongs to one of four groups:
 *
 *   kept     true of both: section, cold, deprecated, calling conventions, types
 *   dropped  a promise or a hint that would be false: parameters by number, no return, calls
 *            that may be merged
 *   refused  code that is not woven would call it, or its declarations would be another function's
 *   unknown  refused: its effect on woven functions is not known
 *
 * Attributes in [[]] are treated the same, by their other names. Of pointers and types only false
 * attributes are dropped. An assembler name gets the suffix of woven names, so that unwoven callers
 * do not link. Attributes that change code generation (target) keep the body from being inlined. */
#include <string.h>

#include "ast/decl.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

static const char kept[] =
    "unused used retain cold hot warn_unused_result deprecated unavailable error warning section "
    "visibility dllexport dllimport weak weak_import externally_visible no_reorder noinline "
    "always_inline gnu_inline flatten artificial noclone noipa no_icf disable_tail_calls nothrow "
    "aligned annotate availability no_caller_saved_registers target target_clones optimize optnone "
    "minsize no_builtin patchable_function_entry no_sanitize no_sanitize_address "
    "no_sanitize_thread no_sanitize_undefined no_sanitize_memory no_address_safety_analysis "
    "no_sanitize_coverage disable_sanitizer_instrumentation no_instrument_function "
    "no_profile_instrument_function no_profile no_split_stack no_stack_limit no_stack_protector "
    "stack_protect stack_protector_ignore zero_call_used_regs nocf_check cf_check tainted_args "
    "speculative_load_hardening no_speculative_load_hardening hardbool indirect_return "
    "indirect_branch function_return unsafe_buffer_usage long_call short_call near far mips16 "
    "nomips16 regparm cdecl stdcall fastcall thiscall vectorcall ms_abi sysv_abi pcs "
    "aarch64_vector_pcs force_align_arg_pointer mode vector_size ext_vector_type may_alias "
    "address_space transparent_union packed designated_init noderef scalar_storage_order ms_struct "
    "gcc_struct enum_extensibility";
static const char dropped[] =
    "nonnull returns_nonnull alloc_size alloc_align assume_aligned access format format_arg "
    "sentinel noreturn _Noreturn pure const malloc ownership_returns ownership_takes "
    "ownership_holds leaf returns_twice simd nocallback noescape null_terminated_string_arg fd_arg "
    "fd_arg_read fd_arg_write diagnose_if diagnose_as_builtin enable_if pass_object_size restrict "
    "reproducible unsequenced strub analyzer_noreturn expected_throw convergent noconvergent "
    "acquire_capability release_capability try_acquire_capability requires_capability "
    "assert_capability guarded_by lifetimebound callback callable_when nodebug nodirect "
    "noduplicate no_thread_safety_analysis";
static const char refused[] =
    "constructor destructor alias ifunc weakref copy symver interrupt interrupt_handler "
    "exception_handler signal kernel naked musttail overloadable preserve_most preserve_all "
    "preserve_none regcall cmse_nonsecure_entry";
static const char compiled_apart[] =
    "target target_clones optimize optnone no_sanitize no_sanitize_address no_sanitize_thread "
    "no_sanitize_undefined no_sanitize_memory no_instrument_function";
static const char inlined[] = "inline __inline __inline__ always_inline gnu_inline";

static bool is_attribute(const cw_attribute *a, const char *list)
{
    return cw_lists(list, a->name, a->length);
}

bool cw_next_attribute(const cw_unit *unit, uint32_t at, uint32_t end, cw_attribute *a)
{
    uint32_t word_end = at;
    if (!cw_next_word(unit, &at, &word_end, end))
        return false;
    a->begin = at;
    uint32_t next = cw_skip_blank(unit, word_end);
    if (unit->text[next] == ':' && unit->text[next + 1] == ':') {
        at = cw_skip_blank(unit, next + 2);
        word_end = cw_skip_word(unit, at);
        next = cw_skip_blank(unit, word_end);
    }
    a->end = word_end;
    if (unit->text[next] == '(')
        a->end = cw_skip_group(unit, next);
    a->name = unit->text + at;
    a->length = word_end - at;
    if (a->length > 4 && memcmp(a->name, "__", 2) == 0 &&
        memcmp(a->name + a->length - 2, "__", 2) == 0) {
        a->name += 2;
        a->length -= 4;
    }
    return true;
}

/* Is one of the attributes in [at, end) in this list? */
static bool has_one_of(const cw_unit *unit, uint32_t at, uint32_t end, const char *list)
{
    at = cw_skip_word(unit, at); /* __attribute__ */
    for (cw_attribute a; cw_next_attribute(unit, at, end, &a); at = a.end)
        if (is_attribute(&a, list))
            return true;
    return false;
}

/* ---- the parts of a declaration ---- */

typedef enum part {
    PART_WORD,   /* of the specifiers or the declarator */
    PART_GNU,    /* __attribute__((…)) */
    PART_SQUARE, /* [[…]] */
    PART_ASM,    /* asm("…") */
    PART_GROUP   /* any other brackets: parameters, sizes */
} part;

static bool is_word(const cw_unit *unit, uint32_t at, uint32_t end, const char *list)
{
    return cw_lists(list, unit->text + at, end - at);
}

/* Finds the part at `at`, and its end. Descends into brackets around the name. Returns false where
 * the declaration ends. */
static bool next_part(const cw_unit *unit, const cw_redecl *redecl, uint32_t *at, uint32_t *end,
                      part *what)
{
    static const char gnu[] = "__attribute__ __attribute";
    static const char assembler[] = "asm __asm __asm__";
    for (;; *at = *end) {
        *at = cw_skip_blank(unit, *at);
        char c = unit->text[*at];
        if (*at >= unit->length || strchr(";{=", c) != NULL)
            return false;
        *end = cw_skip_word(unit, *at);
        if (*end > *at) {
            uint32_t open = cw_skip_blank(unit, *end);
            *what = PART_WORD;
            if (unit->text[open] == '(' && is_word(unit, *at, *end, gnu))
                *what = PART_GNU;
            else if (unit->text[open] == '(' && is_word(unit, *at, *end, assembler))
                *what = PART_ASM;
            if (*what != PART_WORD)
                *end = cw_skip_group(unit, open);
            return true;
        }
        *end = *at + 1;
        if (c == '[' && unit->text[cw_skip_blank(unit, *at + 1)] == '[') {
            *end = cw_skip_group(unit, *at);
            *what = PART_SQUARE;
            return true;
        }
        if (c == '(' || c == '[') {
            *end = cw_skip_group(unit, *at);
            *what = PART_GROUP;
            if (redecl->name_at < *at || redecl->name_at >= *end)
                return true;
            *end = *at + 1;
        } else if (c == '"' || c == '\'') {
            *end = cw_skip_unit(unit, *at);
        }
    }
}

/* Does one of its declarations have an attribute, or else another word, of this list? */
static bool is_declared_with(const cw_unit *unit, const cw_decl *decl, const char *list,
                             bool attributes)
{
    for (size_t i = 0; i < decl->nredecls; i++) {
        uint32_t at = decl->redecls[i].begin, end;
        part what;
        if (at == 0) /* a builtin that only the compiler knows is nowhere in the text */
            continue;
        for (; next_part(unit, &decl->redecls[i], &at, &end, &what); at = end) {
            bool has = what == PART_GNU || what == PART_SQUARE;
            if (has == attributes && (has ? has_one_of(unit, at, end, list)
                                          : is_word(unit, at, cw_skip_word(unit, at), list)))
                return true;
        }
    }
    return false;
}

bool cw_has_attribute(const cw_unit *unit, const cw_decl *decl, const char *list)
{
    return is_declared_with(unit, decl, list, true);
}

bool cw_has_specifier(const cw_unit *unit, const cw_decl *decl, const char *list)
{
    return is_declared_with(unit, decl, list, false);
}

/* ---- what happens to each attribute ---- */

static void refuse(cw_unit *unit, const cw_decl *decl, const cw_attribute *a, const char *why)
{
    cw_diag(unit, CW_ERROR, a->begin, "give the attribute to a plain function that enters it",
            "'%s' is pausable and cannot have the attribute '%.*s': %s", decl->name, (int)a->length,
            a->name, why);
}

/* Returns true if the attribute stays. */
static bool stays(cw_unit *unit, const cw_decl *decl, const cw_attribute *a)
{
    if (is_attribute(a, dropped))
        return false;
    if (decl->kind != CW_D_FUNCTION)
        return true;
    if (decl->bridged) /* they are of the plain form, which the bridge calls as it is declared */
        return true;
    if (is_attribute(a, refused))
        refuse(unit, decl, a, "it would be called without a fiber");
    else if (!is_attribute(a, kept))
        refuse(unit, decl, a, "co4weave does not know it");
    else if (decl->func != NULL && is_attribute(a, compiled_apart))
        decl->func->apart = true;
    else if (decl->func != NULL && is_attribute(a, inlined))
        decl->func->strict = true;
    return true;
}

static void read_gnu(cw_unit *unit, const cw_decl *decl, uint32_t at, uint32_t end)
{
    at = cw_skip_word(unit, at);
    for (cw_attribute a; cw_next_attribute(unit, at, end, &a); at = a.end)
        if (!stays(unit, decl, &a))
            cw_edit_add(unit, &unit->small, a.begin, a.end, "unused");
}

/* Maps a standard attribute to the name that compilers use in their own lists. */
static cw_attribute as_gnu(cw_attribute a)
{
    static const char *const names[][2] = {
        { "nodiscard", "warn_unused_result" },
        { "maybe_unused", "unused" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (a.length == strlen(names[i][0]) && memcmp(a.name, names[i][0], a.length) == 0) {
            a.name = names[i][1];
            a.length = strlen(a.name);
        }
    return a;
}

static void read_square(cw_unit *unit, const cw_decl *decl, uint32_t at, uint32_t end)
{
    for (cw_attribute a; cw_next_attribute(unit, at, end, &a); at = a.end) {
        cw_attribute gnu = as_gnu(a);
        if (!stays(unit, decl, &gnu))
            cw_edit_add(unit, &unit->small, a.begin, a.end, "");
    }
}

static void read_assembler_name(cw_unit *unit, const cw_decl *decl, uint32_t at, uint32_t end)
{
    if (decl->kind == CW_D_VARIABLE && !decl->has_linkage)
        return;
    if (decl->instead != NULL) /* --auto: its pausing form is another function */
        return;
    if (decl->dual)
        cw_diag(unit, CW_ERROR, at, "leave the compiler its name",
                "'%s' is pausable_or_plain and has two symbols, which cannot share the assembler "
                "name given to it",
                decl->name);
    else
        cw_edit_add(unit, &unit->small, end - 1, end, " \"__co4\")");
}

/* Reads a declaration from its first specifier to its ';' or '{'. */
static void read_redecl(cw_unit *unit, const cw_decl *decl, const cw_redecl *redecl)
{
    uint32_t at = redecl->begin, end;
    part what;
    for (; next_part(unit, redecl, &at, &end, &what); at = end) {
        bool is_function = decl->kind == CW_D_FUNCTION;
        if (what == PART_GNU)
            read_gnu(unit, decl, at, end);
        else if (what == PART_SQUARE)
            read_square(unit, decl, at, end);
        else if (what == PART_ASM)
            read_assembler_name(unit, decl, at, end);
        else if (what == PART_WORD && decl->func != NULL && is_word(unit, at, end, inlined))
            decl->func->strict = true;
        else if (what == PART_WORD && is_function && is_word(unit, at, end, "_Noreturn"))
            cw_edit_add(unit, &unit->small, at, end, "");
        else if (what == PART_GROUP && decl->func != NULL)
            for (uint32_t word = at, next = at; cw_next_word(unit, &word, &next, end);)
                /* a resume cannot keep the promise of a parameter `[static 2]` */
                decl->func->strict |= is_word(unit, word, next, "static");
    }
}

void cw_read_attributes(cw_unit *unit)
{
    for (size_t i = 0; i < unit->ndecls; i++) {
        const cw_decl *decl = unit->decls[i];
        if (cw_decl_is_pausable(decl))
            for (size_t j = 0; j < decl->nredecls; j++)
                read_redecl(unit, decl, &decl->redecls[j]);
    }
}
