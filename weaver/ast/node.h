/* node.h - expressions and statements. */
#ifndef CW_AST_NODE_H
#define CW_AST_NODE_H

#include "base/types.h"

/* ORDER kind_names in report/dump.c */
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
    CW_SIZEOF,     /* and all others that do not evaluate their operands */
    CW_STMT_EXPR,  /* kid 0: the block */
    CW_GENERIC,    /* _Generic, __builtin_choose_expr: kid 0 decides, kid `chosen` is evaluated */
    CW_BUILTIN,    /* an operator that looks like a call: __atomic_fetch_add */
    CW_LABEL_ADDRESS,
    CW_ENTRY, /* an entry point, created by mark */
    CW_PAUSE, /* a suspension point that is not a call, created by loop_yields; has no text */
    CW_OTHER_EXPR,
    /* statements */
    CW_BLOCK,
    CW_DECL_STMT,  /* kids: CW_VAR, CW_OTHER_DECL */
    CW_VAR,        /* decl; kid 0: initializer, or NULL; then sizes, CW_OTHER_DECL */
    CW_OTHER_DECL, /* typedef, tag, prototype, assertion, parameter; kids: of its constants */
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
    CW_ATTRIBUTED, /* kid 0: a statement with attributes or a loop pragma before it */
    CW_OTHER_STMT
} cw_kind;

/* A switch over kinds has no `default`, so that the compiler names the places that a new kind
 * needs. These groups are for the kinds that mean nothing to it: `case CW_STATEMENTS:`. */
/* clang-format off */
#define CW_CONSTANTS \
    CW_LITERAL: case CW_STRING: case CW_SIZEOF: case CW_LABEL_ADDRESS
#define CW_INITIALIZERS \
    CW_INIT_LIST: case CW_DESIGNATED
/* Values that are neither in a place nor those of another expression. */
#define CW_RESULTS \
    CW_AND_OR: case CW_BUILTIN: case CW_ENTRY: case CW_PAUSE: case CW_OTHER_EXPR
#define CW_EXPRESSIONS \
    CW_REF: case CW_MEMBER: case CW_CALL: case CW_UNARY: case CW_BINARY: case CW_ASSIGN: \
    case CW_COMPOUND_ASSIGN: case CW_COMMA: case CW_COND: case CW_ELVIS: case CW_CAST: \
    case CW_IMPLICIT: case CW_PAREN: case CW_INDEX: case CW_COMPOUND_LITERAL: case CW_STMT_EXPR: \
    case CW_GENERIC: case CW_CONSTANTS: case CW_INITIALIZERS: case CW_RESULTS
#define CW_STATEMENTS \
    CW_BLOCK: case CW_DECL_STMT: case CW_VAR: case CW_OTHER_DECL: case CW_EXPR_STMT: case CW_IF: \
    case CW_WHILE: case CW_DO: case CW_FOR: case CW_SWITCH: case CW_CASE: case CW_DEFAULT: \
    case CW_LABEL: case CW_GOTO: case CW_INDIRECT_GOTO: case CW_BREAK: case CW_CONTINUE: \
    case CW_RETURN: case CW_ASM: case CW_NULL_STMT: case CW_ATTRIBUTED: case CW_OTHER_STMT
/* clang-format on */

typedef enum cw_entry_kind {
    CW_ENTRY_NONE,
    CW_ENTRY_RUN,
    CW_ENTRY_SPAWN,
    CW_ENTRY_SPAWN_ON, /* kid 0 is the runtime, the callee is kid 1 */
    CW_ENTRY_START,    /* CW_ENTRY_SPAWN, and the program keeps the handle */
    CW_ENTRY_START_ON, /* CW_ENTRY_SPAWN_ON, likewise */
    CW_ENTRY_TASK,
    CW_ENTRY_CALL, /* a call that a function of the library makes: co4_scope_run */
    CW_ENTRY_GENERATE,
    CW_ENTRY_BLOCK,   /* a call in its plain form, which blocks the thread: stays as it is */
    CW_ENTRY_BLOCKING /* of a CW_CALL: a point at which another thread calls a plain function */
} cw_entry_kind;

/* Of a comma that decisions.c has made, whose first operand is a CW_PAUSE; and of that. */
typedef enum cw_decides {
    CW_DECIDES_NOT,
    CW_DECIDES,     /* as any comma */
    CW_VALUE_FIRST, /* the value is that of the second operand, evaluated before the first one */
    CW_SPLIT        /* the second is `x++` or `x += y`: the first comes between read and write */
} cw_decides;

static inline bool cw_entry_has_runtime(cw_entry_kind kind)
{
    return kind == CW_ENTRY_SPAWN_ON || kind == CW_ENTRY_START_ON;
}

struct cw_node {
    cw_kind kind;
    uint32_t begin, end; /* statements: including their ';' */
    const cw_type *type; /* expressions */
    cw_decl *decl;
    char op[4];
    bool arrow;
    bool jumps;    /* CW_ASM: asm goto; the addresses of its labels are among the kids */
    bool for_type; /* the operand of a typeof, with its brackets */
    size_t chosen; /* CW_GENERIC: the kid that is evaluated; 0: not known */
    size_t index;  /* an index in a designator: its value plus 1; else, or if it is not known, 0 */
    cw_node **kids;
    size_t nkids;
    uint32_t last_kid_at; /* load: begin of the last kid that arrived in order */
    cw_node *parent;

    cw_decides decides;
    bool braced; /* loop_yields: a block without braces of its own */

    /* mark */
    bool woven;   /* a dual function's name, used in its pausable form */
    bool blocks;  /* a call in a co4_block() */
    bool catches; /* a call of a plain function that may end in a longjmp to a woven activation */
    bool by_address; /* auto: a call through a plain pointer, which may pause */
    bool is_point;   /* a call that may pause, or jump; or a setjmp to which a jump may come back */
    bool has_points; /* the node or one of its kids is a point … */
    bool has_calls;  /* … other than a CW_PAUSE */
    cw_entry_kind entry;
    /* entry points, CW_ENTRY_BLOCKING: the generated function that makes the call */
    const char *thunk;
    bool thunk_has_callee; /* it takes the callee as an argument */
    bool thunk_packs;      /* it takes the variable arguments as a co4_abi_args */

    bool addressed; /* escape, linearize: a value that is indexed: `f().array[i]` */
    /* storage of a value to which a pointer is live across a point: a compound literal or an
     * `f().array` */
    cw_local *storage;

    /* linearize */
    uint32_t order, order_end; /* its number in the function, and the last of a node in it */
    cw_local *temp;            /* written as this temporary */
    cw_step *plan;             /* of a full expression: the steps before it */
    cw_local *value; /* an expression statement: holds the value of the statement expression */
    bool unused; /* an expression statement: ends a statement expression whose value is not used */
    bool tail_only; /* comma: the first operand has been evaluated */
    bool done;      /* evaluated by the plan and without value: written as (void)0 */
};
/* Returns the expression without brackets and implicit conversions. As with strchr(), the result
 * may be modified only if the argument may. */
cw_node *cw_strip(const cw_node *node);
/* The node as the user wrote it, for messages. */
const char *cw_text_of(cw_unit *unit, const cw_node *node);
/* Is this kid of an evaluated node evaluated? */
bool cw_evaluates(const cw_node *node, size_t kid);
/* The expression statement that gives a statement expression its value; NULL if there is none. */
cw_node *cw_value_statement(const cw_node *stmt_expr);

/* ---- call.c: the function that a call names ---- */

/* The function that a call names. NULL if the call goes through a pointer, or if the node is not a
 * call. */
const cw_decl *cw_function_called(const cw_node *call);
/* The declaration that describes a function or pointer: its own, the pointer's, or the typedef with
 * the parameters. */
const cw_decl *cw_callee_decl(const cw_node *callee);
/* The type of the function that a call's first kid denotes, or to which it points. */
const cw_type *cw_callee_type(const cw_node *callee);
/* Returns "va_start", "va_copy" or "va_end" if the call is one, else NULL. */
const char *cw_va_function(const cw_node *call);

/* Is this expression the constant CO4_NOW? */
bool cw_is_deadline_now(cw_unit *unit, const cw_node *node);
/* Whether it is a call that never waits: of a `pausable_or_block` function with the deadline
 * CO4_NOW; or of fcntl with such a command, written as a number. */
bool cw_call_never_waits(cw_unit *unit, const cw_node *call);

/* Whether a call is setjmp or longjmp, of their families. */
/* Auto: the value of this call in woven code, which does not make it; NULL: it is made. The calls
 * of glibc's pthread_cleanup_push and pthread_cleanup_pop link the handler into a list of the
 * thread. That of a task is in the variable to which the argument points: abi.h. In the text, $b is
 * that variable, and $r and $a are the handler and its argument. */
const char *cw_value_without_call(const cw_unit *unit, const cw_node *call);

typedef enum cw_jump { CW_NO_JUMP, CW_SETJMP, CW_LONGJMP } cw_jump;
cw_jump cw_jump_of(const cw_node *call);
/* The type of the object to which the first argument of such a call points. */
const cw_type *cw_jump_buffer(const cw_node *call);

/* ---- what an assignment writes ---- */

void cw_each_written(const cw_node *target, void (*found)(void *data, cw_decl *decl), void *data);

/* ---- initializer.c: the values of an initializer ---- */

/* Calls `found` with each value of an initializer, with its destination and the type there. The
 * destination is a member, or `decl` itself or one of its elements. */
void cw_each_initialized(
    const cw_unit *unit, cw_node *initializer, cw_decl *decl, const cw_type *type,
    void (*found)(void *data, cw_node *value, cw_decl *decl, const cw_type *type), void *data);

#endif
