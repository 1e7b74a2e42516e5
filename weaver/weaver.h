/* weaver.h - the map of co4weave.
 *
 * A unit is one preprocessed translation unit. It passes through the list in weave.c; each pass is one
 * file, reads what the passes before it left and adds its own. Sections below are in pipeline order.
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
 * Memory: everything hangs on the unit's arena and lives as long as the unit. Positions are byte offsets into
 * the preprocessed text, begin inclusive, end exclusive. */
#ifndef CW_WEAVER_H
#define CW_WEAVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define CW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CW_PRINTF(text, first)
#endif

/* ---- weave.c: the pipeline over one unit ---------------------------------------------------- */

/* How often a function's body is expanded. */
typedef enum cw_entry_mode {
    CW_ENTRIES_AUTO, /* dual, but for functions with so many points that a second copy costs more than it gives */
    CW_ENTRIES_DUAL, /* in the direct and in the resume entry: nothing is left of resuming in the direct one */
    CW_ENTRIES_SINGLE /* once, told at run time how it was entered: less code */
} cw_entry_mode;

typedef struct cw_options {
    const char *source; /* the file the user named; used when no line marker says better */
    const char *const
        *parse_args; /* extra arguments for libclang: target, -std, -f…; not -I or -D */
    size_t nparse_args;
    const char *dump;  /* print the unit after this pass to `report_to`; NULL: none */
    bool force_pauses; /* --force-pauses */
    bool stress;       /* --stress=SEED */
    unsigned long long seed;
    bool auto_yields;      /* --auto-yields */
    cw_entry_mode entries; /* --entry= */
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
                     speak first; when it accepts the text, print *woven, which then holds libclang's messages */
} cw_outcome;

/* Weaves one preprocessed unit (`text`, `length` bytes). */
cw_outcome cw_weave(const cw_options *options, const char *text, size_t length, char **woven,
                    size_t *woven_length);

/* The names --dump takes, NULL-terminated, in pipeline order. */
extern const char *const cw_pass_names[];

typedef struct cw_unit cw_unit;
typedef struct cw_func cw_func;
typedef struct cw_node cw_node;
typedef struct cw_decl cw_decl;
typedef struct cw_type cw_type;
typedef struct cw_local cw_local;
typedef struct cw_point cw_point;
typedef struct cw_step cw_step;
typedef struct cw_block cw_block;

/* ---- arena.c: memory of a unit -------------------------------------------------------------- */

typedef struct cw_arena {
    struct cw_arena_chunk *chunks;
} cw_arena;

void *cw_alloc(cw_arena *arena, size_t bytes); /* zeroed, aligned for any object */
char *cw_strndup(cw_arena *arena, const char *text, size_t length);
char *cw_strdup(cw_arena *arena, const char *text);
char *cw_format(cw_arena *arena, const char *format, ...) CW_PRINTF(2, 3);
void cw_arena_free(cw_arena *arena);

/* Appends to a growing array of pointers in the arena; `count` is its length. */
#define CW_PUSH(arena, items, count, item)                                                         \
    ((items) = cw_grow((arena), (items), (count), sizeof *(items)), (items)[(count)++] = (item))
void *cw_grow(cw_arena *arena, void *items, size_t count, size_t item_bytes);

/* Our own mistake: says where, and aborts. */
_Noreturn void cw_bug(const char *where, const char *format, ...) CW_PRINTF(2, 3);

/* ---- text.c: strings that grow, source text, line markers ------------------------------------ */

typedef struct cw_buf {
    char *data; /* malloc'd, NUL-terminated once non-empty */
    size_t length, room;
} cw_buf;

void cw_put(cw_buf *buf, const char *text, size_t length);
void cw_puts(cw_buf *buf, const char *text);
void cw_printf(cw_buf *buf, const char *format, ...) CW_PRINTF(2, 3);
void cw_buf_free(cw_buf *buf);

/* Where a file was included. */
typedef struct cw_inclusion {
    const char *file;
    uint32_t line;
    bool system; /* the file is a system header */
    const struct cw_inclusion *from;
} cw_inclusion;

/* The user's place for an offset, from the line markers of the preprocessor. File names are as markers
 * write them, with backslashes before quotes. */
typedef struct cw_place {
    const char *file;
    uint32_t line;
    uint32_t column;          /* from 1, in the preprocessed line */
    bool system;              /* in a system header */
    bool quiet;               /* there, or from a macro of one: compilers do not warn */
    const cw_inclusion *from; /* of the file; NULL: the source itself */
    uint32_t line_at;         /* offset at which the preprocessed line begins */
} cw_place;

typedef struct cw_marker {
    size_t first; /* index in unit->lines of the line after the marker */
    uint32_t line;
    const char *file;
    bool system, quiet;
    const cw_inclusion *from;
} cw_marker;

/* gcc's preprocessor writes é as \U000000e9 in names, libclang does not: names become what libclang calls them. */
void cw_names_unescape(cw_unit *unit);
void cw_lines_scan(cw_unit *unit);
/* Index in unit->lines of the preprocessed line that `at` is in. */
size_t cw_line_of(const cw_unit *unit, uint32_t at);
cw_place cw_place_of(const cw_unit *unit, uint32_t at);

/* Where an attribute stands that `pausable` or one of its kin has become. */
typedef struct cw_mark_at {
    uint32_t begin, end;
} cw_mark_at;

/* Past white space, comments and directive lines. */
uint32_t cw_skip_blank(const cw_unit *unit, uint32_t at);
/* Offset past the string, character or comment that begins at `at`, or past one character. */
uint32_t cw_skip_unit(const cw_unit *unit, uint32_t at);
/* Offset past the bracket that matches the one at `at`. */
uint32_t cw_skip_group(const cw_unit *unit, uint32_t at);
bool cw_is_word(char c);

/* ---- written.c: from the preprocessed text back to what the user wrote ------------------------ */

typedef struct cw_written_file {
    const char *name, *real; /* the latter without links and dots */
    const char *text;        /* "" when it cannot be read */
    size_t length;
    size_t *lines; /* offset of each */
    size_t nlines;
} cw_written_file;

/* Where the user wrote what became the text at an offset. */
typedef struct cw_site {
    const char *file;
    uint32_t line, column; /* from 1; columns are bytes */
    uint32_t length;       /* of the token there */
    const char *source;    /* the written line */
    const char *macro; /* the place came out of this macro, whose name stands there; else NULL */
    cw_place place;
} cw_site;

cw_site cw_site_of(cw_unit *unit, uint32_t at);
/* The definition of the macro, where it holds the word at `at` if it does. False: not found. */
bool cw_site_of_macro(cw_unit *unit, const char *macro, uint32_t at, cw_site *site);
/* A marker's file name without its backslashes. */
const char *cw_file_name(cw_unit *unit, const char *quoted);
const cw_written_file *cw_written(cw_unit *unit, const char *name);
/* Without its line end; NULL: there is no such line. */
const char *cw_written_line(cw_unit *unit, const cw_written_file *file, uint32_t line);

/* ---- glance.c: is it worth a parse? ------------------------------------------------------------- */

/* False: nothing pausable can be in use. */
bool cw_glance(const cw_unit *unit);

/* ---- diag.c: what the user reads ---------------------------------------------------------------- */

typedef enum cw_severity { CW_ERROR, CW_WARNING, CW_NOTE } cw_severity;

typedef struct cw_diagnostic {
    cw_severity severity;
    uint32_t at;
    cw_site site;
    const char *message, *hint, *option; /* the latter two may be NULL */
    struct cw_diagnostic **notes;
    size_t nnotes;
} cw_diagnostic;

/* One diagnostic at [begin, end). `hint` may be NULL. A note belongs to the one before it. */
void cw_diag(cw_unit *unit, cw_severity severity, uint32_t begin, uint32_t end, const char *hint,
             const char *format, ...) CW_PRINTF(6, 7);

/* What each -Wco4-NAME controls. ORDER names in diag.c */
typedef enum cw_warning {
    CW_W_BLOCKING,
    CW_W_HELD_LOCK,
    CW_W_THREAD_LOCAL,
    CW_NWARNINGS
} cw_warning;

typedef struct cw_warnings {
    bool off[CW_NWARNINGS];
    bool error[CW_NWARNINGS];
} cw_warnings;

/* Takes one word of the compilers' manner: -Wco4-x, -Wno-co4-x, -Werror=co4-x, -Wno-error=co4-x, -Werror, -Wno-error,
 * -w. False: it names a warning that there is not. Other words change nothing. */
bool cw_warnings_read(cw_warnings *warnings, const char *word);
/* The names behind -Wco4-, NULL-terminated. */
extern const char *const cw_warning_names[];

/* A warning, or the error that it has been made. None in system headers, or when it is off. False: none was given. */
bool cw_diag_warn(cw_unit *unit, cw_warning which, uint32_t at, const char *hint,
                  const char *format, ...) CW_PRINTF(5, 6);
/* Appends what has been collected, and forgets it. */
void cw_diags_write(cw_unit *unit, cw_buf *out);

/* ---- json.c ------------------------------------------------------------------------------------- */

/* With its quotes; valid whatever bytes there are. */
void cw_json_string(cw_buf *out, const char *text);

/* ---- type.c: C types and how to write them --------------------------------------------------------- */

typedef enum cw_type_kind {
    CW_T_BUILTIN, /* void, arithmetic, complex, vectors: written as `name` */
    CW_T_POINTER,
    CW_T_ARRAY,
    CW_T_OPEN_ARRAY, /* int a[] */
    CW_T_VLA,
    CW_T_FUNCTION,
    CW_T_RECORD,
    CW_T_ENUM,
    CW_T_TYPEDEF,
    CW_T_ATOMIC,
    CW_T_OTHER /* not understood; may not be written */
} cw_type_kind;

/* A struct, union or enum. */
typedef struct cw_tag {
    const char *keyword; /* "struct", "union", "enum" */
    const char *name;    /* NULL: anonymous; cw_type_print gives it one and asks for an edit */
    uint32_t begin, end; /* of its definition; 0, 0 when there is none */
    bool local;          /* declared in a function */
    bool const_member;   /* has one: cannot be assigned */
    cw_decl **fields;    /* in order */
    size_t nfields;
} cw_tag;

struct cw_type {
    cw_type_kind kind;
    bool is_const, is_volatile, is_restrict;
    int64_t size, align; /* bytes; -1 unknown */
    const char *name;    /* builtin: spelling */
    cw_type *inner;      /* pointee, element, typedef's or atomic's underlying, function's result */
    int64_t count;       /* array: elements */
    cw_type *array;      /* variable-length array: itself, without typeof and the like around it */
    cw_local *length;    /* … what keeps its length across points; of `array` only, see vla.c */
    cw_type **params;
    size_t nparams;
    bool variadic, prototyped;
    cw_tag *tag;
    cw_decl *decl; /* typedef */
};

const cw_type *cw_type_bare(const cw_type *type);                 /* without typedefs */
const cw_type *cw_type_value(cw_unit *unit, const cw_type *type); /* arrays and functions decay */
const cw_type *cw_type_pointer_to(cw_unit *unit, const cw_type *type);
const cw_type *cw_type_unqualified(cw_unit *unit, const cw_type *type); /* not const */
bool cw_type_is_const(const cw_type *type);   /* itself, or in its typedef */
bool cw_type_is_va_list(const cw_type *type); /* or points to one */
bool cw_type_is_void(const cw_type *type);
bool cw_type_is_wide(const cw_type *type);     /* as a result: travels through the caller's frame */
bool cw_type_is_local(const cw_type *type);    /* needs names that only its function knows */
bool cw_type_is_coloured(const cw_type *type); /* through a marked typedef */
bool cw_type_is_assignable(const cw_type *type);
bool cw_type_has(const cw_type *type, cw_type_kind kind); /* itself or an element of it */

enum {
    CW_WRITE_FILE_SCOPE = 1,  /* local typedefs are looked through */
    CW_WRITE_UNQUALIFIED = 2, /* drop const of the object itself (and of array elements) */
    CW_WRITE_COLOURED = 4     /* the function type reached first takes a fiber */
};

/* Writes a declaration of `name` (may be "") with this type. */
const char *cw_type_write(cw_unit *unit, const cw_type *type, const char *name, unsigned how);

/* ---- load.c: libclang's tree -> ours ---------------------------------------------------------------- */

typedef enum cw_decl_kind {
    CW_D_FUNCTION,
    CW_D_VARIABLE,
    CW_D_PARAM,
    CW_D_FIELD,
    CW_D_TYPEDEF,
    CW_D_ENUMERATOR,
    CW_D_LABEL
} cw_decl_kind;

/* One declaration in the text of something that may be declared several times. */
typedef struct cw_redecl {
    uint32_t begin, end, name_at;
    const cw_type *type;
    bool marked, mixed;
    bool definition;
    cw_decl **params;
    size_t nparams;
} cw_redecl;

/* What a pausable_max() of a declaration says. */
typedef struct cw_budget {
    const char *text; /* what stands between its brackets */
    uint64_t bytes;   /* budget: the same, read */
    struct cw_budget *next;
} cw_budget;

/* A length in a variably modified type. */
typedef struct cw_length {
    cw_local *local;
    cw_node *size;
} cw_length;

struct cw_decl {
    cw_decl_kind kind;
    const char *name; /* "" when it has none */
    const cw_type *type;
    bool marked;       /* carries `pausable` or `pausable_or_plain` */
    cw_budget *budget; /* NULL: none; after budget.c the tightest */
    bool mixed;        /* a function that carries `pausable_or_plain`: it exists in both colours */
    bool stressed;     /* stress: mixed by --stress alone */
    bool bridged;      /* stress: defined elsewhere, perhaps woven; called by way of a bridge */
    bool is_static;    /* static storage duration, or static linkage of a function */
    bool is_extern;
    bool has_linkage; /* a variable that other files may know */
    bool local;       /* declared in a function */
    bool thread_local_;
    const char *cleanup; /* the handler that a cleanup attribute names */
    cw_node **sizes;     /* of a parameter: what stands in its brackets */
    size_t nsizes;
    cw_length *lengths; /* of its type, to be kept */
    size_t nlengths;
    bool kept_lengths; /* its type is one that woven code may not declare: see vla.c */
    bool aligned;      /* has an alignment of its own: */
    int64_t align;     /* that; 0: not known */
    bool address_taken;
    bool assigned;       /* flow: written somewhere */
    uint32_t address_at; /* where, for reports */
    uint32_t begin, end, name_at;
    uint32_t scope_begin, scope_end; /* of a local: the block it belongs to */
    cw_redecl *redecls;
    size_t nredecls;
    cw_decl **params; /* of a function or of the function type it declares */
    size_t nparams;
    cw_func *func; /* a function's definition; a local's function */
    const char *
        rename; /* frame: another name in woven code, because this one hides a local that a point saves */
    cw_local *as_local;
};

typedef enum cw_kind {
    /* expressions */
    CW_LITERAL,
    CW_STRING,
    CW_REF,             /* decl */
    CW_MEMBER,          /* kid 0; decl: the field; arrow */
    CW_CALL,            /* kid 0 callee, then arguments */
    CW_UNARY,           /* op */
    CW_BINARY,          /* op */
    CW_ASSIGN,          /* = */
    CW_COMPOUND_ASSIGN, /* op, without its '=' */
    CW_AND_OR,          /* op */
    CW_COMMA,
    CW_COND,
    CW_ELVIS, /* a ?: b */
    CW_CAST,
    CW_IMPLICIT,
    CW_PAREN,
    CW_INDEX,
    CW_COMPOUND_LITERAL, /* kid 0: initializer list */
    CW_INIT_LIST,
    CW_DESIGNATED, /* last kid: the value */
    CW_SIZEOF,     /* and whatever else does not evaluate its operands */
    CW_STMT_EXPR,  /* kid 0: the block */
    CW_GENERIC,    /* _Generic, __builtin_choose_expr: kid 0 decides, kid `chosen` is evaluated */
    CW_BUILTIN,    /* an operator that looks like a call: __atomic_fetch_add */
    CW_LABEL_ADDRESS,
    CW_ENTRY, /* an entry point, made by mark */
    CW_PAUSE, /* a suspension point that is no call, made by pace; has no text */
    CW_OTHER_EXPR,
    /* statements */
    CW_BLOCK,
    CW_DECL_STMT,  /* kids: CW_VAR, CW_OTHER_DECL */
    CW_VAR,        /* decl; kid 0: initializer, or NULL; then sizes */
    CW_OTHER_DECL, /* typedef, tag, prototype */
    CW_EXPR_STMT,  /* kid 0 */
    CW_IF,         /* condition, then, else or NULL */
    CW_WHILE,      /* condition, body */
    CW_DO,         /* body, condition */
    CW_FOR,        /* init, condition, step (each may be NULL), body */
    CW_SWITCH,     /* operand, body */
    CW_CASE,       /* labels…, last kid: statement or NULL */
    CW_DEFAULT,    /* statement */
    CW_LABEL,      /* decl; statement */
    CW_GOTO,       /* decl */
    CW_INDIRECT_GOTO,
    CW_BREAK,
    CW_CONTINUE,
    CW_RETURN, /* kid 0 or NULL */
    CW_ASM,
    CW_NULL_STMT,
    CW_ATTRIBUTED, /* kid 0: a statement with attributes or a loop pragma in front */
    CW_OTHER_STMT
} cw_kind;

typedef enum cw_entry_kind {
    CW_ENTRY_NONE,
    CW_ENTRY_RUN,
    CW_ENTRY_SPAWN,
    CW_ENTRY_SPAWN_ON, /* kid 0 is the runtime, the callee is kid 1 */
    CW_ENTRY_TASK,
    CW_ENTRY_GENERATE
} cw_entry_kind;

struct cw_node {
    cw_kind kind;
    uint32_t begin, end; /* statements: with their ';' */
    const cw_type *type; /* expressions */
    cw_decl *decl;
    char op[4];
    bool arrow;
    bool jumps;    /* CW_ASM: asm goto */
    size_t chosen; /* CW_GENERIC: its kid; 0: not known */
    cw_node **kids;
    size_t nkids;
    cw_node *parent;

    bool braced; /* pace: a block that has no braces of its own yet */

    /* mark */
    bool woven;      /* a mixed function's name, meant in its pausable form */
    bool is_point;   /* a call that may pause */
    bool has_points; /* this or something below is one */
    cw_entry_kind entry;
    const char *thunk;     /* entry points: the function that makes the call */
    bool thunk_has_callee; /* it takes the callee as an argument */

    /* pin: a compound literal whose address outlives a point */
    cw_local *storage;
    bool addressed; /* a value that is pointed into: `f().array[i]` */

    /* split */
    cw_local *temp;  /* written as this temporary */
    cw_step *plan;   /* of a full expression: what is done before it */
    cw_local *value; /* an expression statement: it gives the statement expression its value */
    bool tail_only;  /* comma: the first operand has been evaluated */
    bool done;       /* evaluated by the plan and worth nothing: written as (void)0 */
};

/* Is this kid of an evaluated node evaluated? */
bool cw_evaluates(const cw_node *node, size_t kid);
/* The expression statement that gives a statement expression its value; NULL: it has none. */
cw_node *cw_value_statement(const cw_node *stmt_expr);

/* Fills in the unit's tree. False: unit->unparsable, libclang found errors in user code. */
bool cw_load(cw_unit *unit);

/* ---- c_library.c: names that compilers know ---- */

bool cw_is_c_library(const char *name);

/* ---- stress.c, pace.c ---------------------------------------------------------------------------------- */

bool cw_stress(cw_unit *unit);

/* Functions that cannot be woven, which --stress leaves plain; malloc'd, for it outlives the unit that found out. */
typedef struct cw_plain_list {
    struct cw_plain {
        char *name, *why;
    } * items;
    size_t count;
} cw_plain_list;

/* After a failure: adds the functions whose fault it was. False: there is an error that is not of a stressed function. */
bool cw_stress_leave_plain(const cw_unit *unit, cw_plain_list *plain);
void cw_plain_list_free(cw_plain_list *plain);
bool cw_pace(cw_unit *unit);

/* ---- mark.c ------------------------------------------------------------------------------------------ */

bool cw_mark(cw_unit *unit);
/* Does this expression denote a pausable function or a pointer to one? */
bool cw_is_coloured(const cw_node *node);
bool cw_decl_is_coloured(const cw_decl *decl);
/* Is this declaration of a function `type name;`, with the parameters in the typedef? Its type alone does not tell: clang
 * gives later declarations the typedef of earlier ones. */
bool cw_is_by_typedef(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one);
/* Through pointers and arrays, is this a function? */
bool cw_is_function_like(const cw_type *type);
/* The declaration that a function or pointer came from: its own, the pointer's, or the typedef with the parameters. */
const cw_decl *cw_callee_decl(const cw_node *callee);
/* Index of the field that an item of a record's initializer list fills, when `next` is the one in order. */
size_t cw_field_filled(const cw_unit *unit, const cw_tag *tag, const cw_node *item, size_t next);
/* Before cw_mark: what stands where an entry point takes its call; NULL: the node is no entry point. */
const cw_node *cw_entry_call(const cw_node *node);
/* The same of a CW_REF: a mixed function has the colour of its use. */
bool cw_ref_is_coloured(const cw_node *ref);
/* How pausable code calls a pausable function. */
const char *cw_woven_name(cw_unit *unit, const cw_decl *function);
/* Is this a place where the function may pause? */
bool cw_is_point(const cw_node *node);

/* ---- infer.c, patch.c -------------------------------------------------------------------------------- */

/* Text that is missing in files, in the order it was found missing; all malloc'd. */
typedef struct cw_insertion {
    char *file;            /* its real name */
    uint32_t line, column; /* from 1; column 1: a line of its own when the text ends one */
    char *text;
} cw_insertion;

typedef struct cw_patch {
    cw_insertion *items;
    size_t count;
} cw_patch;

/* False: it is there already. */
bool cw_patch_add(cw_patch *patch, const char *file, uint32_t line, uint32_t column,
                  const char *text);
/* A unified diff with names relative to the current folder. */
void cw_patch_write(const cw_patch *patch, cw_buf *out);
void cw_patch_free(cw_patch *patch);

/* Takes the marks for written that options->infer has, finds what is missing then, adds it, and takes
 * it for written, too. */
void cw_infer(cw_unit *unit);

/* ---- check.c ------------------------------------------------------------------------------------------ */

bool cw_check(cw_unit *unit);
/* made.c: refuses names that woven code makes from those of functions. */
void cw_check_made_names(cw_unit *unit);
/* attribute.c: drops or refuses what cannot be said of woven functions. */
void cw_read_attributes(cw_unit *unit);

/* ---- scope.c: locals with something to be done at the end of their life ------------------------------- */

/* Fills func->owned. */
void cw_find_owned(cw_func *func);
bool cw_is_owned(const cw_func *func, const cw_decl *decl);
/* Does control at this offset find the local of an owned declaration alive? */
bool cw_is_alive(const cw_node *owned, uint32_t at);
bool cw_is_automatic(const cw_decl *decl);
/* Does a point lie in [begin, end)? */
bool cw_holds_point(const cw_node *node, uint32_t begin, uint32_t end);

/* ---- vla.c: types whose size is computed ---------------------------------------------------------------- */

/* Finds the declarations whose lengths have to be kept. */
void cw_find_lengths(cw_func *func);
bool cw_type_is_vm(const cw_type *type);    /* variably modified, as the standard says */
bool cw_type_is_known(const cw_type *type); /* all lengths in it are kept */

/* ---- pin.c -------------------------------------------------------------------------------------------- */

bool cw_pin(cw_unit *unit);

/* A variable of a pausable function: parameter, local, temporary, or the storage of a compound literal. */
struct cw_local {
    const char *name;  /* as written in the body; renamed when shadowing would hide it */
    const char *field; /* as written in the frame */
    const cw_type *type;
    cw_decl *decl; /* NULL: a temporary */
    bool coloured; /* (pointer to) pausable function by a mark on its declaration */
    bool is_param;
    bool is_temp;
    const cw_type *seen; /* NULL: type. What a use of it is cast to: see vla.c */
    bool pinned;
    const char *why_pinned;
    uint32_t why_at; /* position of the reason, 0: none */
    size_t index;    /* in func->locals */

    /* live, frame */
    bool saved;     /* live at some point */
    bool bytes;     /* field is raw storage: the type has no name at file scope */
    bool unqualify; /* const: to be declared without it */
    bool clear;     /* saved where it may have no value yet: to be declared with zero */
    uint32_t offset, size, align;
};

cw_local *cw_local_new(cw_func *func, const char *name, const cw_type *type);

/* ---- lvalue.c: which declarations an assignment may write ---- */

void cw_each_written(const cw_node *target, void (*found)(void *data, cw_decl *decl), void *data);

/* ---- split.c ----------------------------------------------------------------------------------------- */

typedef enum cw_step_kind {
    CW_STEP_EVAL,  /* temp = node */
    CW_STEP_TRUTH, /* temp = node != 0 */
    CW_STEP_VOID,  /* (void)node */
    CW_STEP_CALL,  /* [temp =] node, a suspension point */
    CW_STEP_BLOCK, /* node's block, a statement expression's */
    CW_STEP_IF     /* if (temp) or if (!temp) or if (node): then, otherwise */
} cw_step_kind;

struct cw_step {
    cw_step_kind kind;
    cw_node *node;
    cw_local *temp;
    cw_point *point;
    bool negate;
    cw_step *then, *otherwise;
    cw_step *next;
};

struct cw_point {
    uint32_t id; /* from 1, in the order of the text */
    cw_node *call;
    cw_step *step;
    cw_local *result; /* temporary, NULL when void */
    uint32_t at;
    const char *callee; /* for reports */
    bool wide;          /* result travels through the frame */
    bool unwanted; /* nobody reads the result; a wide one has its place in the frame all the same */
    uint64_t *live; /* bit set over func->locals */
};

bool cw_split(cw_unit *unit);

/* ---- flow.c ------------------------------------------------------------------------------------------ */

typedef enum cw_event_kind {
    CW_USE,
    CW_DEF,    /* of the whole local */
    CW_TOUCH,  /* a part of it is written */
    CW_FORGET, /* declared without a value: what it held is gone */
    CW_POINT,
    CW_CALLED /* a call that does not pause */
} cw_event_kind;

typedef struct cw_event {
    cw_event_kind kind;
    cw_local *local;
    cw_point *point;
    const cw_node *node; /* CW_CALLED: the call; CW_DEF: the value, if there is a node for it */
} cw_event;

struct cw_block {
    size_t id;
    cw_event *events;
    size_t nevents;
    cw_block **next; /* successors */
    size_t nnext;
    uint64_t *live_in, *live_out;
    uint64_t *may_in, *must_in; /* locals that some path, that every path has given a value */
};

bool cw_flow(cw_unit *unit);

/* ---- live.c ------------------------------------------------------------------------------------------ */

bool cw_live(cw_unit *unit);

static inline bool cw_bit(const uint64_t *bits, size_t i)
{
    return (bits[i / 64] >> (i % 64)) & 1;
}
static inline void cw_bit_set(uint64_t *bits, size_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void cw_bit_clear(uint64_t *bits, size_t i)
{
    bits[i / 64] &= ~((uint64_t)1 << (i % 64));
}
static inline size_t cw_words(size_t bits)
{
    return (bits + 63) / 64;
}

/* ---- warn.c ------------------------------------------------------------------------------------------ */

bool cw_warn(cw_unit *unit);

/* ---- stack.c ----------------------------------------------------------------------------------------- */

bool cw_stack(cw_unit *unit);
bool cw_is_setjmp(const cw_node *call);
/* "va_start", "va_copy", "va_end", when the call is one; else NULL. */
const char *cw_va_function(const cw_node *call);

/* ---- frame.c ----------------------------------------------------------------------------------------- */

bool cw_frame(cw_unit *unit);

/* ---- budget.c ---------------------------------------------------------------------------------------- */

bool cw_budget_check(cw_unit *unit);

/* ---- edit.c: changes of the text, as data ---------------------------------------------------------- */

typedef struct cw_edit {
    uint32_t begin, end;
    const char *text;
    size_t order;
} cw_edit;

typedef struct cw_edits {
    cw_edit *items;
    size_t count;
    bool sorted;
} cw_edits;

void cw_edit_add(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end, const char *text);
/* Appends the text of [begin, end) with these edits applied; an outer edit swallows those inside it. */
void cw_edit_apply(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end, cw_buf *out);
/* The same with the edits of both the unit's lists. */
void cw_edit_apply_both(cw_unit *unit, uint32_t begin, uint32_t end, cw_buf *out);

/* ---- render.c: expressions as woven code writes them -------------------------------------------------- */

/* Small edits: references, prototypes, marks, calls. */
void cw_render_edits(cw_unit *unit);
void cw_render(cw_unit *unit, const cw_node *node, cw_buf *out);
/* sizeof, of an array that is a block of its own, and its elements' alignment. */
void cw_put_block_size(cw_unit *unit, const cw_local *local, cw_buf *out);
/* The same, but not as the temporary that stands for it. */
void cw_render_itself(cw_unit *unit, const cw_node *node, cw_buf *out);
/* How the body names a local, and its field. */
const char *cw_local_ref(cw_unit *unit, const cw_local *local);
const char *cw_field_ref(cw_unit *unit, const cw_local *local);
/* "(T){ 0 }", or "0": a value for returns that nobody reads. "" for void. */
const char *cw_zero(cw_unit *unit, const cw_type *type);
/* What to initialize a scalar or struct with, to have it cleared. */
const char *cw_clear_value(const cw_type *type);
/* "to = from;", also for types that may not be assigned. */
void cw_put_assign(cw_unit *unit, const cw_type *type, const char *to, const char *from,
                   cw_buf *out);
/* A line marker that gives what follows the user's line of `at`. */
void cw_marker_to(cw_unit *unit, uint32_t at, cw_buf *out);
/* Around structs of woven code, which are laid out as the target has it. */
void cw_layout_begin(const cw_unit *unit, cw_buf *out);
void cw_layout_end(const cw_unit *unit, cw_buf *out);

/* ---- thunk.c: the functions behind co4_run and its kin ------------------------------------------------ */

void cw_thunks(cw_unit *unit);
/* The plain entry of a mixed function: what stands before it, and its body. */
void cw_thunk_plain_root(cw_unit *unit, const cw_func *func, cw_buf *out);
/* Declares and starts `co4_va`, the list of a variadic function's arguments. */
void cw_thunk_start_varargs(const cw_func *func, cw_buf *out);
void cw_thunk_plain_body(cw_unit *unit, const cw_func *func, cw_buf *out);

/* ---- function.c: what stands around a body: frame, entries, tables ------------------------------------- */

void cw_function_wrap(cw_unit *unit, cw_func *func);
/* Small edits inside the body of a mixed function, which loses its name to the plain entry. */
void cw_function_edits(cw_unit *unit, cw_func *func);

/* ---- emit.c: statements -------------------------------------------------------------------------------- */

bool cw_emit(cw_unit *unit);

/* ---- worst.c ----------------------------------------------------------------------------------------- */

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

/* ---- report.c, report_json.c, graph.c, dump.c, verify.c ----------------------------------------------- */

/* Offset of the name in a function's definition. */
uint32_t cw_definition_of(const cw_decl *decl);

void cw_report(cw_unit *unit, FILE *to);
void cw_report_json(cw_unit *unit, FILE *to);
void cw_graph(cw_unit *unit, FILE *to);
void cw_dump(cw_unit *unit, const char *pass, FILE *to);
void cw_verify(cw_unit *unit, const char *pass);

/* ---- the unit ---------------------------------------------------------------------------------------- */

/* Where a typedef of variable length is named. */
typedef struct cw_named_type {
    uint32_t at;
    cw_decl *decl;
} cw_named_type;

/* Where a local struct, union or enum is named. */
typedef struct cw_named_tag {
    uint32_t at;
    const char *name; /* in the text */
    cw_tag *tag;
} cw_named_tag;

/* A function with a body: pausable or not. */
struct cw_func {
    cw_unit *unit;
    cw_decl *decl;
    uint32_t begin, end; /* whole definition */
    uint32_t body_at;    /* its '{' */
    cw_node *body;
    bool pausable;
    const char *left_plain; /* stress: why it is not pausable */
    bool old_style;         /* K&R definition */
    bool variadic;
    bool apart; /* its attributes keep it from being inlined */
    bool
        single; /* takes label addresses, starts or ends a va_list, calls setjmp: one body, not two */
    bool named; /* mixed, and its body asks for its name */
    cw_decl **params;
    size_t nparams;
    cw_decl **declared; /* every name declared inside, for shadowing */
    size_t ndeclared;
    cw_local **locals;
    size_t nlocals;
    cw_node **owned; /* CW_VAR nodes: see scope.c */
    size_t nowned;
    cw_point **points;
    size_t npoints;
    size_t ntemps;
    size_t nlengths;
    cw_named_type *named_types;
    size_t nnamed_types;
    cw_named_tag *named_tags; /* when two have one name */
    size_t nnamed_tags;
    cw_block **blocks; /* 0 is the entry */
    size_t nblocks;
    cw_local **fields; /* of the frame, in order */
    size_t nfields;
    const char **aliases; /* typedefs to stand before it, for type names that it hides */
    size_t naliases;
    bool takes_frame; /* at entry: it has pinned locals */
    uint32_t frame_bytes;
    struct cw_worst *worst; /* NULL: not asked for yet */
};

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
    cw_node **entries; /* CW_ENTRY nodes, each once */
    size_t nentries;
    cw_node **bridges; /* calls of bridged functions */
    size_t nbridges;
    cw_tag **tags;
    size_t ntags;

    cw_func *writing;      /* whose body generated code stands in: type.c looks for hidden names */
    cw_edits small, large; /* edits of expressions; edits of statements and functions */
    size_t next_order;
    bool has_varargs;    /* emit: co4_abi_varargs is declared */
    uint32_t head_bytes; /* size of a co4_frame on the target */
    bool gnu;            /* the compiler takes __attribute__ */
    bool packs;          /* the text has a #pragma pack, which is not meant for frames */
    bool selects;        /* … a _Generic, which tells const from not const */
    cw_buf out;
};

#endif
