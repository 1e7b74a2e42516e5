/* passes.h - the passes between load and emit, and what they ask each other. */
#ifndef CW_PASSES_PASSES_H
#define CW_PASSES_PASSES_H

#include "ast/func.h"
#include "base/plan.h"
#include "text/source_map.h"

/* ---- the passes, in the order of driver/weave.c; each is in a file of its name ----
 *
 * false: there are errors of the user, which are reported. */

bool cw_unmarked(cw_unit *unit);    /* --stress, --auto: functions that pause without a mark */
bool cw_loop_yields(cw_unit *unit); /* suspension points at loops */
bool cw_decisions(cw_unit *unit);   /* --auto=test: where a seed decides what runs next */
bool cw_summarize(cw_unit *unit); /* summary.c, --auto: what the program has to know of the unit */
bool cw_infer(cw_unit *unit);     /* --infer: adds the missing marks to options->infer */
bool cw_mark(cw_unit *unit);      /* which functions, pointers and calls pause */
bool cw_check(cw_unit *unit);     /* refuses code that cannot be woven */
bool cw_escape(cw_unit *unit);    /* which locals must have one address for life */
bool cw_linearize(cw_unit *unit); /* moves suspension points out of expressions */
bool cw_cfg(cw_unit *unit);       /* control-flow graphs */
bool cw_liveness(cw_unit *unit);  /* which locals each point must save */
bool cw_stack_references(cw_unit *unit); /* objects on the C stack, which a pause releases */
bool cw_warn(cw_unit *unit);             /* code that harms other tasks */
bool cw_shared_state(cw_unit *unit);     /* --auto: state of the whole thread or program */
bool cw_frame(cw_unit *unit);            /* lays out the frame of each pausable function */
bool cw_entries(cw_unit *unit);          /* how many bodies it gets, and what its points share */
bool cw_frame_placement(cw_unit *unit);  /* where it takes its frame, if it has pinned locals */
bool cw_budget_check(cw_unit *unit);     /* budget.c: checks frames against their limits */

/* ---- unmarked.c ---- */

/* A function of the C library that waits, whose address the unit takes? Open arguments cannot be
 * passed on. */
bool cw_unmarked_is_root_by_address(const cw_unit *unit, cw_decl *decl);
/* Does it stay plain for it is weak? */
bool cw_unmarked_is_weak(const cw_func *func);
bool cw_unmarked_is_handler(const cw_func *func);
/* Why it cannot be in a program twice, woven and as its text is; NULL: it can. */
const char *cw_unmarked_why_once(const cw_func *func);

/* thread_locals.c: which variables of threads a task has for itself. */
void cw_find_locals_of_tasks(cw_unit *unit);

/* spins.c: has the function a loop that waits for another thread, without a call? */
bool cw_spins(const cw_unit *unit, const cw_node *body);
/* A loop that neither does that nor calls a function, nor reads what is volatile or atomic. */
bool cw_only_computes(const cw_unit *unit, const cw_node *loop);

/* decisions.c: what it has of these. */
enum { CW_DECIDES_ATOMIC = 1, CW_DECIDES_ACCESS = 2 };
unsigned cw_needs_decisions(cw_unit *unit, cw_node *body);

/* A task begins with a call of `decl`: it may pause, though a header of the system declares it. */
void cw_unmarked_begin(const cw_unit *unit, cw_decl *decl);

/* Functions that cannot be woven, and stay plain. It is malloc'd, because it outlives the unit that
 * found them. */
typedef struct cw_plain_list {
    struct cw_plain {
        char *name, *why;
    } * items;
    size_t count;
} cw_plain_list;

/* After a failure: adds the functions that caused it, or all functions if the cause is not known.
 * Returns false if no further functions are left. */
bool cw_unmarked_leave_plain(const cw_unit *unit, cw_plain_list *plain);
void cw_plain_list_free(cw_plain_list *plain);

/* ---- infer.c ---- */

/* Removes the directives that the preprocessor left (-dI), and records those that include
 * co4/mark.h. */
void cw_take_includes(cw_unit *unit);

/* ---- blocking.c ---- */

/* Sets `blocks_by` of plain functions. */
void cw_find_blocking(cw_unit *unit, const cw_plan *roots);
/* The text of an expression, without blanks. */
const char *cw_compact_text(cw_unit *unit, const cw_node *node);
/* Warns of calls that block, in a pausable function. */
void cw_warn_blocking(cw_unit *unit, const cw_plan *roots, const cw_func *func);

/* ---- liveness.c ---- */

/* Adds the local to those that the point saves. */
void cw_make_live(cw_unit *unit, cw_point *point, cw_local *local);
/* Called after more locals have been pinned: removes them from the points' lists. */
void cw_forget_pinned(const cw_func *func);

/* ---- stack_references.c ---- */

/* Does the call return a second time, as setjmp and vfork do? */
bool cw_is_setjmp(cw_unit *unit, const cw_node *call);

/* ---- mark_entry.c: entry points ---- */

/* Before cw_mark: the operand of an entry point, where a call is expected; NULL if the node is not
 * an entry point. */
const cw_node *cw_entry_call(const cw_node *node);
/* The same for co4_blocking, whose call is an ordinary one. */
const cw_node *cw_blocking_call(const cw_node *node);
/* The same for co4_block, whose call waits in its plain form. */
const cw_node *cw_block_call(const cw_node *node);

typedef struct cw_walk {
    cw_unit *unit;
    cw_func *func; /* NULL at file scope */
    bool unevaluated;
    const cw_func *noted; /* the last function reported as lacking a mark */
    cw_node **setjmps;    /* of this function, that jumps of woven code may come back to */
    size_t nsetjmps;
} cw_walk;

/* Turns a marker expression into CW_ENTRY, and one around a plain call into a call that is a
 * suspension point. */
void cw_recognise_entry(cw_walk *w, cw_node *node);

/* ---- attribute.c: attributes of functions ---- */

/* One attribute, without underscores around its name. */
typedef struct cw_attribute {
    const char *name;
    size_t length;
    uint32_t begin, end; /* with prefix and arguments */
} cw_attribute;

/* Finds the next attribute in [at, end), in either spelling. Returns false if there is none. */
bool cw_next_attribute(const cw_unit *unit, uint32_t at, uint32_t end, cw_attribute *a);

/* Drops or refuses attributes that would be false for woven functions. */
void cw_read_attributes(cw_unit *unit);

/* Does one of its declarations have an attribute of this list, in any spelling? */
bool cw_has_attribute(const cw_unit *unit, const cw_decl *decl, const char *list);
/* Does one of them have a storage class or a specifier of this list? `asm` stands for a name that
 * the assembler is given. */
bool cw_has_specifier(const cw_unit *unit, const cw_decl *decl, const char *list);

/* ---- c_library.c: names that compilers know ---- */

bool cw_is_c_library(const char *name);

/* ---- cleanup.c: locals whose life ends with an action ---- */

/* Fills func->cleanups. */
void cw_find_cleanups(cw_func *func);
bool cw_has_cleanup(const cw_func *func, const cw_decl *decl);
/* Is the local of such a declaration alive at this offset? */
bool cw_is_alive(const cw_node *var, uint32_t at);
bool cw_is_automatic(const cw_decl *decl);
/* Does [begin, end) contain a point? Valid after cw_mark. */
bool cw_holds_point(cw_func *func, uint32_t begin, uint32_t end);

/* ---- vla.c: types of computed size ---- */

/* Finds the declarations whose lengths must be saved. */
void cw_find_lengths(cw_func *func);

/* ---- moved_types.c: types that an expression with a suspension point defines ---- */

/* Refuses those that would hide other names in woven code. */
void cw_check_moved_types(cw_unit *unit, const cw_func *func);

/* ---- library_calls.c: calls of co4's own functions ---- */

/* Reports calls of functions that no header declares, and times that are none. */
void cw_check_library_calls(cw_unit *unit);
/* mistakes.c: uses of the library that compile and surely do something else. */
void cw_check_mistakes(cw_unit *unit);

/* ---- reserved_names.c: names that woven code derives from those of functions ---- */

/* Refuses the user's names that collide with them. */
void cw_check_reserved_names(cw_unit *unit);

/* ---- facts.c: forward data flow over a control-flow graph: a bit for each fact ---- */

typedef struct cw_facts {
    cw_unit *unit;
    const cw_func *func;
    size_t count;
    /* What an event does to the bits. `report`: the bits at its block's begin are final. */
    void (*apply)(struct cw_facts *facts, const cw_event *event, uint64_t *bits, bool report);
    void *data;
} cw_facts;

/* Finds the bits at the begin of each block, and then applies all events once more, to report. */
void cw_facts_spread(cw_facts *facts);

/* ---- flows.c: flows of functions and pointers to functions; calls ---- */

/* What it does not need may be NULL. */
typedef struct cw_flow_visitor {
    /* `source` flows to `decl`, which has `type`, or, if `decl` is NULL, to an object of that type.
     * Both are functions or pointers to functions. */
    void (*flows)(void *data, const cw_func *func, const cw_node *source, cw_decl *decl,
                  const cw_type *type);
    /* `func` calls `callee`; `func` is NULL at file scope. `callee` is NULL for co4_blocking(),
     * which pauses whichever function it calls. */
    void (*calls)(void *data, const cw_func *func, const cw_node *callee);
    /* An entry point takes a call of `callee`. */
    void (*enters)(void *data, const cw_node *callee);
    /* `source` flows to the index-th parameter of a function whose parameters are not loaded, as
     * those of libraries. */
    void (*leaves)(void *data, const cw_func *func, const cw_node *source, const cw_decl *callee,
                   size_t index);
    bool behind_casts; /* flows of functions that are cast to other types in between */
} cw_flow_visitor;

void cw_flows(cw_unit *unit, const cw_flow_visitor *visitor, void *data);
/* Calls `found` with each function, and with each pointer to a function and each typedef of one: at
 * file scope, parameters, members, locals. */
void cw_each_markable(cw_unit *unit, void (*found)(void *data, cw_decl *decl), void *data);
/* The typedef on the way from this type that contains the function type; NULL if there is none. */
cw_decl *cw_function_typedef(const cw_type *type);
/* The declaration, or the typedef of the type, whose mark applies to an expression; NULL if there
 * is none. */
cw_decl *cw_flow_source(const cw_node *node);
/* May a flow of this expression bring a function? A null pointer and a number bring none. */
bool cw_may_be_function(const cw_node *node);

/* ---- places.c: --infer: where marks are inserted ---- */

/* Offset of the mark for a declaration that begins at `begin`. */
uint32_t cw_mark_point(const cw_unit *unit, uint32_t begin);
/* Can a word be inserted where the user wrote the text at `at`? */
bool cw_is_open(cw_unit *unit, uint32_t at, uint32_t name_at, cw_site *site);
/* Can a mark be written before this declaration? */
bool cw_can_be_marked(cw_unit *unit, const cw_decl *decl);
/* The line for an #include in a file, for a mark on line `mark`. */
uint32_t cw_include_line(cw_unit *unit, const cw_source_file *file, uint32_t mark);

/* ---- keep.c: which declarations stay plain ---- */

/* Sets cw_decl.kept_plain where this unit, or an earlier one, requires it. While patch->collecting
 * is set, no marks are searched, and this unit's results are added. */
void cw_keep_plain(cw_unit *unit);

#endif
