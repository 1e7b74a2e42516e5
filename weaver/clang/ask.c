/* ask.c - facts that libclang's interface does not provide, from a second parse.
 *
 * Purpose: which operand does a _Generic evaluate? What is the alignment of `_Alignas(4 *
 * sizeof(long))`? The text is parsed once more, with a question before each such place, as the
 * length of an array:
 *
 *     _Generic(x, int: f(x), default: 0)
 *     (((char (*)[_Generic(x, int: 1, default: 2)])0), _Generic(x, int: f(x), default: 0))
 *
 *     extern char (*co4_ask_1)[_Alignof(struct { _Alignas(64) char c; })];     before the function
 *
 * Only units whose pausable functions contain such places pay for the second parse. Without an
 * answer, `chosen` and `align` stay 0, and check.c refuses the constructs that need them.
 *
 * Rejected: clang_Cursor_Evaluate(), which evaluates constant expressions (expr.c). It does not say
 * which operand gave the value, nor does it evaluate attributes. */
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "text/unit.h"
#include "clang/loader.h"

struct load_question {
    uint32_t at;      /* where the question is inserted */
    uint32_t close;   /* where a ')' follows; 0: none */
    const char *text; /* the question */
    /* offset in `text` of the expression or declaration whose type answers the question */
    uint32_t subject;
    uint32_t asked; /* offset in the second text */
    cw_node *node;  /* the _Generic, or */
    cw_decl *decl;  /* the declaration with the alignment */
};

static struct load_question *add(loader *l, uint32_t at, const char *text, uint32_t subject)
{
    struct load_question question = { .at = at, .text = text, .subject = subject };
    CW_PUSH(&l->unit->arena, l->questions, l->nquestions, question);
    return &l->questions[l->nquestions - 1];
}

void load_ask_choice(loader *l, cw_node *node)
{
    cw_unit *unit = l->unit;
    cw_buf buf = { 0 };
    cw_puts(&buf, "(((char (*)[");
    if (unit->text[node->begin + 1] == 'G') { /* _Generic */
        uint32_t at = node->begin;
        for (size_t i = 1; i < node->nkids; i++) {
            cw_put(&buf, unit->text + at, node->kids[i]->begin - at);
            cw_printf(&buf, "%zu", i);
            at = node->kids[i]->end;
        }
        cw_put(&buf, unit->text + at, node->end - at);
    } else {
        cw_put(&buf, unit->text + node->kids[0]->begin, node->kids[0]->end - node->kids[0]->begin);
        cw_puts(&buf, " ? 1 : 2");
    }
    cw_puts(&buf, "])0), ");
    struct load_question *question = add(l, node->begin, cw_take(&unit->arena, &buf), 2);
    question->close = node->end;
    question->node = node;
}

void load_ask_alignment(loader *l, cw_decl *decl, const char *attribute)
{
    static const char before[] = "extern char (*";
    const char *text = cw_format(&l->unit->arena,
                                 "%sco4_ask_%zu)[_Alignof(struct { %s char c; })];", before,
                                 l->nquestions, attribute);
    add(l, l->func->begin, text, sizeof before - 1)->decl = decl;
}

/* ---- the second text ---- */

typedef struct mark {
    uint32_t at;
    struct load_question *opens; /* NULL: a question ends here */
} mark;

static int marks_by_place(const void *left, const void *right)
{
    /* where one question ends, no other begins: an operator is between them */
    const mark *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

static void put_text(loader *l, cw_buf *out)
{
    const cw_unit *unit = l->unit;
    size_t count = 0;
    mark *marks = cw_alloc(&l->unit->arena, 2 * l->nquestions * sizeof *marks);
    for (size_t i = 0; i < l->nquestions; i++) {
        marks[count++] = (mark){ l->questions[i].at, &l->questions[i] };
        if (l->questions[i].close != 0)
            marks[count++] = (mark){ l->questions[i].close, NULL };
    }
    qsort(marks, count, sizeof *marks, marks_by_place);
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        cw_put(out, unit->text + at, marks[i].at - at);
        at = marks[i].at;
        if (marks[i].opens == NULL) {
            cw_puts(out, ")");
            continue;
        }
        marks[i].opens->asked = (uint32_t)out->length + marks[i].opens->subject;
        cw_puts(out, marks[i].opens->text);
    }
    cw_put(out, unit->text + at, unit->length - at);
}

/* Did clang understand the question? Before the function, names that are local to it are
 * unknown. */
static bool is_understood(CXTranslationUnit tu, const struct load_question *question)
{
    uint32_t begin = question->asked - question->subject;
    bool understood = true;
    for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
        uint32_t at = load_offset(clang_getDiagnosticLocation(diagnostic));
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error && at >= begin &&
            at < begin + strlen(question->text))
            understood = false;
        clang_disposeDiagnostic(diagnostic);
    }
    return understood;
}

static long long answer(CXTranslationUnit tu, const struct load_question *question)
{
    if (!is_understood(tu, question))
        return 0;
    CXFile file = clang_getFile(tu, "co4weave-unit.c");
    CXCursor cursor = clang_getCursor(tu, clang_getLocationForOffset(tu, file, question->asked));
    CXType type = clang_getPointeeType(clang_getCursorType(cursor));
    return type.kind == CXType_ConstantArray ? clang_getArraySize(type) : 0;
}

void load_answers(loader *l, CXIndex index)
{
    if (l->nquestions == 0)
        return;
    cw_buf text = { 0 };
    put_text(l, &text);
    CXTranslationUnit tu = load_parse(l->unit, index, text.data, text.length);
    cw_buf_free(&text);
    if (tu == NULL)
        return;
    for (size_t i = 0; i < l->nquestions; i++) {
        const struct load_question *question = &l->questions[i];
        long long said = answer(tu, question);
        if (question->node != NULL)
            question->node->chosen = said < (long long)question->node->nkids ? (size_t)said : 0;
        else if (said == 0 || question->decl->align == 0 || said > question->decl->align)
            question->decl->align = said;
    }
    clang_disposeTranslationUnit(tu);
}
