/* unit.h - one preprocessed translation unit, and everything known about it.
 *
 * A unit goes through the list of passes in driver/weave.c. Each pass reads the results of the
 * passes before it, and adds its own. Later folders attach their data here by pointers that only
 * they follow. All memory belongs to the arena and lives as long as the unit. Positions are byte
 * offsets into the preprocessed text, begin inclusive, end exclusive. */
#ifndef CW_TEXT_UNIT_H
#define CW_TEXT_UNIT_H

#include "base/arena.h"
#include "base/options.h"
#include "text/edit.h"
#include "text/marks.h"
#include "text/text.h"

struct cw_unit {
    const cw_options *options;
    cw_arena arena;
    const char *text;
    uint32_t length;
    const struct cw_plain_list *plain; /* stress: the functions to leave plain */
    uint32_t *lines;                   /* offset at which each preprocessed line begins */
    size_t nlines;
    cw_marker *markers;
    size_t nmarkers;
    cw_mark_at *marks; /* the attributes to which mark.h's words expanded, in order */
    size_t nmarks;
    bool unparsable; /* libclang found errors in user code; the diagnostics say which */
    unsigned errors; /* reported so far */
    struct cw_diagnostic **diagnostics;
    size_t ndiagnostics;
    struct cw_source_file **source_files; /* the original files that have been read */
    size_t nsource_files;

    cw_decl **decls; /* file scope functions, variables, typedefs; marked fields */
    size_t ndecls;
    cw_func **funcs; /* definitions whose bodies are read */
    size_t nfuncs;
    cw_node **initializers; /* CW_VAR nodes at file scope */
    size_t ninitializers;
    cw_node **entries; /* CW_ENTRY nodes and those with CW_ENTRY_BLOCKING, each once */
    size_t nentries;
    cw_node **bridges; /* names of bridged functions in calls; calls by address */
    size_t nbridges;
    uint32_t *includes; /* infer: positions of the #include lines of co4/mark.h */
    size_t nincludes;
    cw_tag **tags; /* in the order of their positions */
    size_t ntags;

    /* the function that contains the generated code: ast/write.c looks for hidden names */
    cw_func *writing;
    cw_edits small, large; /* edits of expressions; edits of statements and functions */
    size_t next_order;
    /* variable arguments on the target (co4/varargs.h): the greatest alignment, size, and size of a
     * struct; 0: not known */
    uint32_t args_align, args_size, args_struct;
    bool args_homogeneous, args_single, args_right; /* exceptions */
    uint32_t head_bytes; /* size of a co4_frame on the target: two pointers */
    bool gnu;            /* the compiler supports __attribute__ */
    bool for_size;       /* it optimizes for size */
    bool for_time;       /* it optimizes for time */
    bool spares_tables;  /* it does so for a target where few read tables: abi.h */
    bool pretty;         /* the compiler's __PRETTY_FUNCTION__ is more than the name */
    bool zones;          /* frames have red zones, for an address sanitizer */
    bool packs;          /* the text has a #pragma pack, which must not apply to frames */
    bool selects;        /* the text has a _Generic, which distinguishes const from non-const */
    cw_buf out;
};

#endif
