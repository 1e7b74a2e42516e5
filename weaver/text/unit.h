/* unit.h - one preprocessed translation unit, and all that is known of it.
 *
 * A unit passes through the list in driver/weave.c. Each pass reads what the passes before it left,
 * and adds its own. Folders behind this one hang their part here by pointers, which only they
 * follow. All memory is the arena's and lives as long as the unit. Positions are byte offsets into
 * the preprocessed text, begin inclusive, end exclusive. */
#ifndef CW_TEXT_UNIT_H
#define CW_TEXT_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/options.h"
#include "base/types.h"
#include "text/edit.h"
#include "text/marks.h"
#include "text/text.h"

struct cw_unit {
    const cw_options *options;
    cw_arena arena;
    const char *text;
    uint32_t length;
    const struct cw_plain_list *plain; /* stress: what to leave alone */
    uint32_t *lines;                   /* offset at which each preprocessed line begins */
    size_t nlines;
    cw_marker *markers;
    size_t nmarkers;
    cw_mark_at *marks; /* the attributes that mark.h's words have become, in order */
    size_t nmarks;
    bool unparsable; /* libclang found errors in user code; the diagnostics say which */
    unsigned errors; /* diagnosed so far */
    struct cw_diagnostic **diagnostics;
    size_t ndiagnostics;
    struct cw_source_file **source_files; /* files as the user wrote them, once looked at */
    size_t nsource_files;

    cw_decl **decls; /* file scope functions, variables, typedefs; marked fields */
    size_t ndecls;
    cw_func **funcs; /* definitions whose bodies we read */
    size_t nfuncs;
    cw_node **initializers; /* CW_VAR nodes at file scope */
    size_t ninitializers;
    cw_node **entries; /* CW_ENTRY nodes and those with CW_ENTRY_BLOCKING, each once */
    size_t nentries;
    cw_node **bridges; /* calls of bridged functions */
    size_t nbridges;
    uint32_t *includes; /* infer: where the text had an #include of co4/mark.h */
    size_t nincludes;
    cw_tag **tags; /* by place */
    size_t ntags;

    cw_func *writing; /* whose body generated code stands in: ast/write.c looks for hidden names */
    cw_edits small, large; /* edits of expressions; edits of statements and functions */
    size_t next_order;
    bool has_varargs;    /* emit: co4_abi_varargs is declared */
    uint32_t head_bytes; /* size of a co4_frame on the target: two pointers */
    bool gnu;            /* the compiler takes __attribute__ */
    bool pretty;         /* the compiler's __PRETTY_FUNCTION__ is more than the name */
    bool zones;          /* frames have red zones: an address sanitizer looks on */
    bool packs;          /* the text has a #pragma pack, which is not meant for frames */
    bool selects;        /* … a _Generic, which tells const from not const */
    cw_buf out;
};

#endif
