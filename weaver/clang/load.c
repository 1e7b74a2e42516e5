/* load.c - converts libclang's tree to ours. Only the files of this folder know libclang.
 *
 * In:  the preprocessed text.
 * Out: declarations at file scope, bodies of functions as trees of cw_node, types. Nothing is
 *      decided here, except what libclang 14 does not provide and the text does: operators, absent
 *      parts of a `for`, the ';' of a statement, elided operands of `?:`.
 *
 * The text is parsed as C for the target of the build's compiler, with its markers and without
 * macros. Headers preprocessed by gcc use a few forms that clang lacks. Definitions remove these,
 * which moves nothing in user code. Errors that remain inside system headers are ignored: functions
 * there are not woven.
 *
 * Bodies in system headers are skipped, and declarations there are read only if they contain a
 * mark. Visitors only queue cursors; the functions that call them decide. No CXString or cursor
 * outlives cw_load.
 *
 * This file reads file scope. parse.c has the parse, unread.c its errors; decl.c, expr.c and stmt.c
 * read the rest; ask.c asks clang what libclang does not provide. */
#include "clang/load.h"

#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/type.h"
#include "text/unit.h"
#include "clang/loader.h"

/* Are the parameters bare names, declared between the brackets and the body, or nowhere? libclang
 * does not say. */
static bool is_old_style(const cw_unit *unit, const cw_func *func, uint32_t name_at)
{
    uint32_t at = 0;
    if (func->nparams > 0 && func->params[0]->begin == func->params[0]->name_at &&
        !func->params[0]->unnamed)
        return true;
    for (size_t i = 0; i < func->decl->nredecls; i++)
        if (func->decl->redecls[i].name_at == name_at)
            at = cw_parameter_list(unit, func->decl, &func->decl->redecls[i]);
    for (at = cw_skip_group(unit, at); at < func->body_at; at = cw_skip_unit(unit, at))
        if (unit->text[at] == ';')
            return true;
    return false;
}

/* Loads the expressions in a parameter's brackets. */
static void load_sizes(loader *l, CXCursor cursor, cw_decl *param)
{
    load_cursors kids = load_children(cursor);
    cw_node *list = cw_alloc(&l->unit->arena, sizeof *list);
    for (size_t i = 0; i < kids.count; i++)
        if (load_is_expr(kids.items[i]))
            load_add_kid(l, list, load_expr(l, kids.items[i], NULL));
    free(kids.items);
    load_sort_kids(list);
    param->sizes = list->kids;
    param->nsizes = list->nkids;
}

static int by_name(const void *left, const void *right)
{
    const cw_tag *a = *(cw_tag *const *)left, *b = *(cw_tag *const *)right;
    int order = strcmp(a->said, b->said);
    return order != 0 ? order : (a->begin > b->begin) - (a->begin < b->begin);
}

static int by_place(const void *left, const void *right)
{
    const cw_named_tag *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

static int tags_by_place(const void *left, const void *right)
{
    const cw_tag *a = *(cw_tag *const *)left, *b = *(cw_tag *const *)right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

static enum CXChildVisitResult note_tag_name(CXCursor cursor, CXCursor parent, CXClientData data)
{
    loader *l = data;
    if (load_is_seen_twice(cursor, parent))
        return CXChildVisit_Continue;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor referenced = kind == CXCursor_TypeRef ? clang_getCursorReferenced(cursor) : cursor;
    enum CXCursorKind what = clang_getCursorKind(referenced);
    if (what == CXCursor_StructDecl || what == CXCursor_UnionDecl || what == CXCursor_EnumDecl) {
        cw_named_tag named = { load_offset(clang_getCursorLocation(cursor)),
                               load_known_tag(l, clang_getCanonicalCursor(referenced)) };
        if (named.tag != NULL && named.tag->said != NULL &&
            strncmp(l->unit->text + named.at, named.tag->said, strlen(named.tag->said)) == 0)
            CW_PUSH(&l->unit->arena, l->func->named_tags, l->func->nnamed_tags, named);
    }
    return CXChildVisit_Recurse;
}

/* Collects the function's own types, those read since there were `before`. If two have the same
 * name, it also collects where each is named: frame.c may have to rename one. */
static void load_tag_names(loader *l, size_t before, CXCursor function)
{
    cw_func *func = l->func;
    for (size_t i = before; i < l->ntags; i++) {
        cw_tag *tag = l->tags[i].tag;
        if (tag->local && tag->said != NULL && tag->begin >= func->begin && tag->begin < func->end)
            CW_PUSH(&l->unit->arena, func->tags, func->ntags, tag);
    }
    bool namesakes = false;
    if (func->ntags > 1)
        qsort(func->tags, func->ntags, sizeof(cw_tag *), by_name);
    for (size_t i = 1; i < func->ntags; i++)
        namesakes |= strcmp(func->tags[i - 1]->said, func->tags[i]->said) == 0;
    if (!namesakes)
        return;
    clang_visitChildren(function, note_tag_name, l);
    qsort(func->named_tags, func->nnamed_tags, sizeof *func->named_tags, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < func->nnamed_tags; i++)
        if (kept == 0 || func->named_tags[kept - 1].at != func->named_tags[i].at)
            func->named_tags[kept++] = func->named_tags[i];
    func->nnamed_tags = kept;
}

/* Moves the marks of old-style parameters to these parameters; libclang attaches them to the
 * function. Each mark applies to the names up to the next ';'. */
static void mark_old_parameters(const cw_unit *unit, cw_func *func, uint32_t name_at)
{
    for (size_t i = 0; i < unit->nmarks; i++) {
        uint32_t at = unit->marks[i].end;
        if (at < name_at || at > func->body_at)
            continue;
        while (at < func->body_at && unit->text[at] != ';')
            at = cw_skip_unit(unit, at);
        for (size_t j = 0; at < func->body_at && j < func->nparams; j++)
            if (func->params[j]->name_at > unit->marks[i].end && func->params[j]->name_at < at)
                func->params[j]->marked = func->params[j]->redecls[0].marked = true;
    }
}

/* Adds the parameters to the function's type: libclang leaves them out for a definition in the old
 * style. Other files may call it without a prototype, or with one of the promoted types. */
static void complete_type(loader *l, cw_func *func)
{
    cw_type *type = cw_alloc(&l->unit->arena, sizeof *type);
    *type = *func->decl->type;
    if (type->prototyped)
        return;
    type->prototyped = true;
    type->params = NULL;
    type->nparams = 0;
    for (size_t i = 0; i < func->nparams; i++) {
        cw_type *param = cw_alloc(&l->unit->arena, sizeof *param);
        *param = *cw_type_promoted(l->unit, func->params[i]->type);
        CW_PUSH(&l->unit->arena, type->params, type->nparams, param);
    }
    func->decl->type = type;
}

static void load_function(loader *l, CXCursor cursor, uint32_t begin, uint32_t end,
                          const char *unread)
{
    cw_unit *unit = l->unit;
    cw_func *func = cw_alloc(&unit->arena, sizeof *func);
    func->unit = unit;
    func->begin = cw_with_marks(unit, begin);
    func->end = end;
    cw_decl *decl = load_decl(l, cursor);
    func->decl = decl;
    decl->type = cw_type_bare(load_declared_type(l, cursor));
    decl->func = func;
    func->variadic = decl->type->variadic;
    l->func = func;
    size_t before = l->ntags;
    int count = clang_Cursor_getNumArguments(cursor);
    load_cursors kids = load_children(cursor);
    for (size_t i = 0; i < kids.count; i++)
        if (clang_getCursorKind(kids.items[i]) == CXCursor_CompoundStmt)
            load_extent(kids.items[i], &func->body_at, &end);
    l->scope_begin = func->body_at;
    l->scope_end = func->end;
    for (int i = 0; i < count; i++) {
        cw_decl *param = load_decl(l, clang_Cursor_getArgument(cursor, (unsigned)i));
        param->func = func;
        param->local = true;
        param->scope_begin = func->body_at;
        if (cw_type_is_vm(param->type))
            load_sizes(l, clang_Cursor_getArgument(cursor, (unsigned)i), param);
        param->scope_end = func->end;
        param->unnamed = *param->name == '\0';
        if (param->unnamed) /* each entry declares it, and passes it on */
            param->name = cw_format(&unit->arena, "co4_unnamed_%d", i + 1);
        CW_PUSH(&unit->arena, func->params, func->nparams, param);
    }
    /* they were read before their function was known */
    for (size_t i = 0; i < func->nparams; i++) {
        bool known = false;
        for (size_t j = 0; j < func->ndeclared; j++)
            known |= func->declared[j] == func->params[i];
        if (!known)
            CW_PUSH(&unit->arena, func->declared, func->ndeclared, func->params[i]);
    }
    uint32_t name_at = load_offset(clang_getCursorLocation(cursor));
    func->old_style = count > 0 && is_old_style(unit, func, name_at);
    if (func->old_style) {
        mark_old_parameters(unit, func, name_at);
        complete_type(l, func);
    }
    func->left_plain = unread;
    func->unread = unread != NULL;
    for (size_t i = 0; i < kids.count && unread == NULL; i++)
        if (clang_getCursorKind(kids.items[i]) == CXCursor_CompoundStmt)
            func->body = load_stmt(l, kids.items[i], NULL);
    load_asm_labels(l, l->label_nodes, l->nlabel_nodes);
    l->nlabel_nodes = 0;
    if (func->body == NULL) {
        func->body = cw_alloc(&unit->arena, sizeof *func->body);
        *func->body = (cw_node){ .kind = CW_BLOCK, .begin = func->body_at, .end = end };
    }
    free(kids.items);
    load_tag_names(l, before, cursor);
    CW_PUSH(&unit->arena, unit->funcs, unit->nfuncs, func);
    l->func = NULL;
    cw_names_free(&l->labels);
    l->scope_begin = l->scope_end = 0;
}

static void load_top_constants(loader *l, CXCursor cursor, bool system)
{
    cw_node *node = system ? NULL : load_node(l, CW_OTHER_DECL, cursor, NULL);
    if (node != NULL)
        load_constants(l, cursor, node);
    if (node != NULL && node->nkids > 0)
        CW_PUSH(&l->unit->arena, l->unit->initializers, l->unit->ninitializers, node);
}

/* `unread` is the reason why the function's body is not read; NULL: it is read. */
static void load_top(loader *l, CXCursor cursor, const char *unread)
{
    cw_unit *unit = l->unit;
    uint32_t begin, end;
    load_extent(cursor, &begin, &end);
    uint32_t marked_begin = cw_with_marks(unit, begin);
    bool marked = cw_has_mark(unit, marked_begin, end);
    bool system = cw_place_of(unit, begin).system;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
        if (load_is_definition(unit, cursor) && (marked || !system))
            load_function(l, cursor, begin, end, unread);
        else if (marked || !system)
            load_decl(l, cursor);
        break;
    case CXCursor_VarDecl:
        if (marked || !system) {
            cw_node *node = load_var(l, cursor, NULL);
            CW_PUSH(&unit->arena, unit->initializers, unit->ninitializers, node);
        }
        break;
    case CXCursor_TypedefDecl:
        if (marked)
            load_decl(l, cursor);
        break;
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
        load_tag_members(l, cursor);
        load_top_constants(l, cursor, system);
        break;
    case CXCursor_EnumDecl:
    case CXCursor_StaticAssert:
        load_top_constants(l, cursor, system);
        break;
    default:
        break;
    }
}

static void find_include(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    uint32_t *at = data;
    (void)file;
    if (depth > 0 && *at == UINT32_MAX)
        *at = load_offset(stack[depth - 1]);
}

/* Checks that the text includes nothing: preprocessed text has no #include, except after a comment.
 * Its positions would be those of another file. */
static bool includes_nothing(loader *l)
{
    uint32_t at = UINT32_MAX;
    clang_getInclusions(l->tu, find_include, &at);
    if (at != UINT32_MAX)
        load_error(l, at, "an #include is left in text that has been preprocessed");
    return at == UINT32_MAX;
}

bool cw_load(cw_unit *unit)
{
    loader l = { .unit = unit, .read_stmt = load_stmt };
    const char *why = "";
    if (!load_libclang_open(&why)) {
        why = cw_format(&unit->arena, "libclang cannot be loaded: %s", why);
        load_error(&l, 0, why);
        return false;
    }
    CXIndex index = clang_createIndex(0, 0);
    l.tu = load_parse(unit, index, unit->text, unit->length);
    bool ok = l.tu != NULL;
    load_cursors tops = { 0 };
    load_unread unread = { 0 };
    if (ok) {
        tops = load_children(clang_getTranslationUnitCursor(l.tu));
        if (includes_nothing(&l))
            unread = load_errors(&l, &tops);
    } else {
        load_error(&l, 0, "libclang cannot parse this source");
    }
    ok = !unit->unparsable && !unread.refused;
    if (ok) {
        CXTargetInfo target = clang_getTranslationUnitTargetInfo(l.tu);
        unit->head_bytes = 2 * (uint32_t)clang_TargetInfo_getPointerWidth(target) / 8;
        clang_TargetInfo_dispose(target);
        for (size_t i = 0; i < tops.count; i++) {
            const char *why_not = NULL;
            if (load_is_read(&unread, i, &why_not))
                load_top(&l, tops.items[i], why_not);
        }
        if (unit->ntags > 1)
            qsort(unit->tags, unit->ntags, sizeof *unit->tags, tags_by_place);
        load_answers(&l, index);
    }
    free(tops.items);
    free(l.decls);
    free(l.types);
    free(l.tags);
    cw_names_free(&l.tag_names);
    cw_names_free(&l.typedef_names);
    if (l.tu != NULL)
        clang_disposeTranslationUnit(l.tu);
    clang_disposeIndex(index);
    return ok;
}
