/* weaver.h - the map of co4weave.
 *
 * A unit is one preprocessed translation unit. It passes through the list in weave.c; each pass is
 * one file, reads what the passes before it left and adds its own. Sections below are in pipeline
 * order; what the passes hand on stands in text.h (source and messages), tree.h (what load leaves)
 * and plan.h (what is made of functions), and emit.h has what only the writers of the woven text
 * share.
 *
 *   load    text -> tree of nodes, declarations, types (the only file that knows libclang)
 *   stress  --stress: marks what a program that knows no marks has
 *   pace    suspension points at loops, for automatic yields and stress
 *   mark    which functions, pointers and calls pause; colour mismatches; entry points
 *   check   refuse what is not woven
 *   pin     which locals must have one address for life
 *   split   take suspension points out of expressions, strictly left to right
 *   flow    control-flow graph of each pausable function
 *   live    which locals each point must save
 *   warn    what blocks threads, and what a task may not keep across a point
 *   frame   the frame struct of each pausable function
 *   budget  frames that are larger than they may be
 *   emit    edits of the text
 *
 * Memory: everything hangs on the unit's arena and lives as long as the unit. Positions are byte
 * offsets into the preprocessed text, begin inclusive, end exclusive. */
#ifndef CW_WEAVER_H
#define CW_WEAVER_H

#include "ast/plan.h"
#include "ast/tree.h"
#include "base/base.h"
#include "text/text.h"

/* ---- weave.c: the pipeline over one unit ---------------------------------------------------- */

/* How often a function's body is expanded. */
typedef enum cw_entry_mode {
    CW_ENTRIES_AUTO,  /* dual, but single for functions with very many points */
    CW_ENTRIES_DUAL,  /* two bodies: nothing of resuming is left in the direct one */
    CW_ENTRIES_SINGLE /* once, told at run time how it was entered: less code */
} cw_entry_mode;

/* What woven code says of itself to backtraces, dumps and debuggers. */
typedef enum cw_table_mode {
    CW_TABLES_FULL, /* functions, their suspension points and fields */
    CW_TABLES_NONE  /* functions */
} cw_table_mode;

typedef struct cw_options {
    const char *source; /* the file the user named; used when no line marker says better */
    const char *const
        *parse_args; /* extra arguments for libclang: target, -std, -f…; not -I or -D */
    size_t nparse_args;
    bool preprocessed; /* the files that the text came from are there, with their comments */
    const char *dump;  /* print the unit after this pass to `report_to`; NULL: none */
    bool force_pauses; /* --force-pauses */
    bool stress;       /* --stress=SEED */
    unsigned long long seed;
    bool auto_yields;      /* --auto-yields */
    bool regions;          /* the compiler reads OpenMP's or OpenACC's pragmas */
    cw_entry_mode entries; /* --entry= */
    cw_table_mode tables;  /* --tables= */
    bool report;           /* --report: print it to `report_to` */
    bool report_json;      /* --report=json */
    bool graph;            /* --graph: the same */
    bool color;            /* diagnostics in colour */
    bool json;             /* diagnostics as JSON, one object a line */
    const struct cw_warnings *warnings;
    struct cw_patch *infer; /* --infer: the marks that are missing; nothing is woven */
    bool quiet;             /* no diagnostics */
    FILE *report_to;
    FILE *messages; /* diagnostics */
} cw_options;

typedef enum cw_outcome {
    CW_WOVEN,     /* *woven is the woven unit, owned by the caller (free) */
    CW_NOTHING,   /* nothing pausable in use: compile the input as it is */
    CW_REFUSED,   /* the user's mistakes, all reported */
    CW_UNPARSABLE /* libclang met errors in user code; nothing was printed. Let the build's compiler
                     speak first; when it accepts the text, print *woven: libclang's messages */
} cw_outcome;

/* Weaves one preprocessed unit (`text`, `length` bytes). */
cw_outcome cw_weave(const cw_options *options, const char *text, size_t length, char **woven,
                    size_t *woven_length);

/* The names --dump takes, NULL-terminated, in pipeline order. */
extern const char *const cw_pass_names[];

/* ---- glance.c: is it worth a parse? ---------------------------------------------------------- */

/* False: nothing pausable can be in use. */
bool cw_glance(const cw_unit *unit);

/* Is there a name in [begin, end) that a marked declaration has, or an entry point? By the words of
 * the text as well. */
bool cw_mentions_marked(const cw_unit *unit, uint32_t begin, uint32_t end);

/* ---- load.c: libclang's tree -> ours --------------------------------------------------------- */

/* Fills in the unit's tree. False: unit->unparsable, libclang found errors in user code. */
bool cw_load(cw_unit *unit);

/* ---- c_library.c: names that compilers know ---- */

bool cw_is_c_library(const char *name);

/* ---- stress.c, pace.c ------------------------------------------------------------------------ */

bool cw_stress(cw_unit *unit);

/* Functions that cannot be woven, which --stress leaves plain; malloc'd, for it outlives the unit
 * that found out. */
typedef struct cw_plain_list {
    struct cw_plain {
        char *name, *why;
    } * items;
    size_t count;
} cw_plain_list;

/* After a failure: adds the functions whose fault it was, or all where that is not known. False:
 * there are no more. */
bool cw_stress_leave_plain(const cw_unit *unit, cw_plain_list *plain);
void cw_plain_list_free(cw_plain_list *plain);
bool cw_pace(cw_unit *unit);

/* ---- mark.c ---------------------------------------------------------------------------------- */

bool cw_mark(cw_unit *unit);
/* Does this expression denote a pausable function or a pointer to one? */
bool cw_is_coloured(const cw_node *node);
bool cw_decl_is_coloured(const cw_decl *decl);
/* Is this declaration of a function `type name;`, with the parameters in the typedef? Its type
 * alone does not tell: clang gives later declarations the typedef of earlier ones. */
bool cw_is_by_typedef(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one);
/* Through pointers and arrays, is this a function? */
bool cw_is_function_like(const cw_type *type);
/* The declaration that a function or pointer came from: its own, the pointer's, or the typedef with
 * the parameters. */
const cw_decl *cw_callee_decl(const cw_node *callee);
/* Before cw_mark: what stands where an entry point takes its call; NULL: the node is no entry
 * point. */
const cw_node *cw_entry_call(const cw_node *node);
/* The same for co4_blocking, whose call is an ordinary one. */
const cw_node *cw_blocking_call(const cw_node *node);
/* The same of a CW_REF: a mixed function has the colour of its use. */
bool cw_ref_is_coloured(const cw_node *ref);
/* How pausable code calls a pausable function. */
const char *cw_woven_name(cw_unit *unit, const cw_decl *function);
/* Is this a place where the function may pause? */
bool cw_is_point(const cw_node *node);
/* Without brackets and implicit conversions; as with strchr(), a caller that may change the one may
 * change the other. */
cw_node *cw_strip(const cw_node *node);
/* The function that a call names; NULL: it goes through a pointer, or is no call. */
const cw_decl *cw_function_called(const cw_node *call);

/* ---- initializer.c ---- */

/* Calls `found` with each value of an initializer: where it goes to, a member or `decl` itself or
 * its elements, and the type there. */
void cw_each_initialized(
    const cw_unit *unit, cw_node *initializer, cw_decl *decl, const cw_type *type,
    void (*found)(void *data, cw_node *value, cw_decl *decl, const cw_type *type), void *data);

/* ---- infer.c, patch.c ------------------------------------------------------------------------ */

/* Text that is missing in files, in the order it was found missing; all malloc'd. */
typedef struct cw_insertion {
    char *file;            /* its real name */
    uint32_t line, column; /* from 1; column 1: a line of its own when the text ends one */
    char *text;
} cw_insertion;

typedef struct cw_patch {
    cw_insertion *items;
    size_t count;
    cw_names kept;   /* declarations that stay plain (keep.c); the texts are malloc'd */
    bool collecting; /* which declarations stay plain; no marks yet */
} cw_patch;

/* False: it is there already. */
bool cw_patch_add(cw_patch *patch, const char *file, uint32_t line, uint32_t column,
                  const char *text);
/* A line that is to stand in the file once, at this line or before it. */
void cw_patch_define(cw_patch *patch, const char *file, uint32_t line, const char *text);
/* A declaration that stays plain: the real name of its file, and its line there. */
void cw_patch_keep(cw_patch *patch, const char *file, uint32_t line, const char *name);
bool cw_patch_keeps(const cw_patch *patch, const char *file, uint32_t line, const char *name);
/* A unified diff. Returns how many levels above the current folder the one is that its names are
 * relative to. */
size_t cw_patch_write(const cw_patch *patch, cw_buf *out);
void cw_patch_free(cw_patch *patch);

/* Takes the marks for written that options->infer has, finds what is missing then, adds it, and
 * takes it for written, too. */
void cw_infer(cw_unit *unit);
/* Takes out the directives that the preprocessor has left (-dI), and notes those that include
 * co4/mark.h. */
void cw_take_includes(cw_unit *unit);

/* ---- check.c --------------------------------------------------------------------------------- */

bool cw_check(cw_unit *unit);
/* made.c: refuses names that woven code makes from those of functions. */
void cw_check_made_names(cw_unit *unit);
/* attribute.c: drops or refuses what cannot be said of woven functions. */
void cw_read_attributes(cw_unit *unit);
/* Has one of its declarations this attribute, in whatever spelling? */
bool cw_has_attribute(const cw_unit *unit, const cw_decl *decl, const char *name);

/* ---- scope.c: locals with something to be done at the end of their life ---------------------- */

/* Fills func->owned. */
void cw_find_owned(cw_func *func);
bool cw_is_owned(const cw_func *func, const cw_decl *decl);
/* Does control at this offset find the local of an owned declaration alive? */
bool cw_is_alive(const cw_node *owned, uint32_t at);
bool cw_is_automatic(const cw_decl *decl);
/* Does a point lie in [begin, end)? After cw_mark. */
bool cw_holds_point(cw_func *func, uint32_t begin, uint32_t end);

/* ---- vla.c: types whose size is computed ----------------------------------------------------- */

/* Finds the declarations whose lengths have to be kept. */
void cw_find_lengths(cw_func *func);
/* Does an expression in the text step, assign or call? (check.c) */
bool cw_does_something(const cw_unit *unit, uint32_t begin, uint32_t end);
bool cw_type_is_vm(const cw_type *type);    /* variably modified, as the standard says */
bool cw_type_is_known(const cw_type *type); /* all lengths in it are kept */

/* ---- pin.c ----------------------------------------------------------------------------------- */

bool cw_pin(cw_unit *unit);

cw_local *cw_local_new(cw_func *func, const char *name, const cw_type *type);

/* ---- lvalue.c: which declarations an assignment may write ---- */

void cw_each_written(const cw_node *target, void (*found)(void *data, cw_decl *decl), void *data);

/* ---- split.c --------------------------------------------------------------------------------- */

bool cw_split(cw_unit *unit);

/* ---- flow.c ---------------------------------------------------------------------------------- */

bool cw_flow(cw_unit *unit);

/* ---- live.c ---------------------------------------------------------------------------------- */

bool cw_live(cw_unit *unit);
bool cw_is_live(const cw_point *point, const cw_local *local);
/* After locals have been pinned: no point saves them. */
void cw_forget_pinned(const cw_func *func);

/* ---- warn.c ---------------------------------------------------------------------------------- */

bool cw_warn(cw_unit *unit);

/* ---- stack.c --------------------------------------------------------------------------------- */

bool cw_stack(cw_unit *unit);
/* Does the call return a second time, as setjmp and vfork do? */
bool cw_is_setjmp(cw_unit *unit, const cw_node *call);
/* "va_start", "va_copy", "va_end", when the call is one; else NULL. */
const char *cw_va_function(const cw_node *call);

/* ---- frame.c --------------------------------------------------------------------------------- */

bool cw_frame(cw_unit *unit);

/* ---- late.c ---- */

bool cw_late(cw_unit *unit);
/* function.c: no copy for each way into it. */
bool cw_has_one_body(const cw_unit *unit, const cw_func *func);

/* ---- budget.c -------------------------------------------------------------------------------- */

bool cw_budget_check(cw_unit *unit);

/* ---- emit.c: statements ---------------------------------------------------------------------- */

bool cw_emit(cw_unit *unit);

/* ---- worst.c --------------------------------------------------------------------------------- */

typedef struct cw_worst {
    enum { CW_EXACT, CW_UNKNOWN, CW_UNBOUNDED } kind; /* the worse the later */
    uint64_t bytes;                                   /* CW_EXACT */
    const char *why;                                  /* else */
    const cw_func *next; /* where the worst case goes on; NULL: here it ends */
} cw_worst;

/* Bytes of frames that a task needs at most while it is in this function. After cw_frame. */
const cw_worst *cw_worst_case(cw_unit *unit, cw_func *func);
/* A pause that the weaver put there: it calls nothing of the user's. */
bool cw_point_is_ours(const cw_point *point);
/* The function that a point calls by name; NULL: through a pointer. */
const cw_decl *cw_point_callee(const cw_point *point);

/* ---- report.c, report_json.c, graph.c, dump.c, verify.c -------------------------------------- */

/* Offset of the name in a function's definition. */
uint32_t cw_definition_of(const cw_decl *decl);

void cw_report(cw_unit *unit, FILE *to);
/* When it takes its frame, in words. */
const char *cw_frame_taken(const cw_func *func);
void cw_report_json(cw_unit *unit, FILE *to);
void cw_graph(cw_unit *unit, FILE *to);
void cw_dump(cw_unit *unit, const char *pass, FILE *to);
void cw_verify(cw_unit *unit, const char *pass);

/* ---- the unit -------------------------------------------------------------------------------- */

struct cw_unit {
    const cw_options *options;
    cw_arena arena;
    const char *text;
    uint32_t length;
    const cw_plain_list *plain; /* stress: what to leave alone */
    uint32_t *lines;            /* offset at which each preprocessed line begins */
    size_t nlines;
    cw_marker *markers;
    size_t nmarkers;
    cw_mark_at *marks; /* the attributes that mark.h's words have become, in order */
    size_t nmarks;
    bool unparsable; /* libclang found errors in user code; the diagnostics say which */
    unsigned errors; /* diagnosed so far */
    cw_diagnostic **diagnostics;
    size_t ndiagnostics;
    cw_written_file **written; /* files as the user wrote them, once looked at */
    size_t nwritten;

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

    cw_func *writing;      /* whose body generated code stands in: type.c looks for hidden names */
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
