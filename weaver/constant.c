/* constant.c - the value of an integer constant expression, as an initializer's designators have
 * them.
 *
 * Numbers, enumerators, and operators between them. What needs the target (sizeof, casts,
 * characters) is not known here: load_ask.c has clang answer that.
 *
 * Invariant: a value that is given is C's. Whatever might differ (overflow, a shift too far) is not
 * known. */
#include "weaver.h"

#include <stdlib.h>
#include <string.h>

static bool number(const cw_unit *unit, const cw_node *node, int64_t *value)
{
    char digits[64];
    size_t count = 0;
    const char *text = unit->text + node->begin, *end = unit->text + node->end;
    for (; text < end && count + 1 < sizeof digits; text++)
        if (*text != '\'') /* C23 separates digits by them */
            digits[count++] = *text;
    digits[count] = '\0';
    bool binary = *digits == '0' && (digits[1] == 'b' || digits[1] == 'B');
    char *rest;
    unsigned long long read = strtoull(digits + (binary ? 2 : 0), &rest, binary ? 2 : 0);
    *value = (int64_t)read;
    return rest > digits && *digits >= '0' && *digits <= '9' && read <= INT32_MAX &&
           rest[strspn(rest, "uUlL")] == '\0';
}

static bool unary(const char *op, int64_t *value)
{
    switch (*op) {
    case '-':
        *value = -*value;
        break;
    case '~':
        *value = ~*value;
        break;
    case '!':
        *value = !*value;
        break;
    case '+':
        break;
    default:
        return false;
    }
    return op[1] == '\0';
}

static bool binary(const char *op, int64_t a, int64_t b, int64_t *value)
{
    bool shift = strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0;
    if (shift && (a < 0 || b < 0 || b > 31))
        return false;
    if ((strcmp(op, "/") == 0 || strcmp(op, "%") == 0) && b == 0)
        return false;
    *value = strcmp(op, "+") == 0    ? a + b
             : strcmp(op, "-") == 0  ? a - b
             : strcmp(op, "*") == 0  ? a * b
             : strcmp(op, "/") == 0  ? a / b
             : strcmp(op, "%") == 0  ? a % b
             : strcmp(op, "<<") == 0 ? a << b
             : strcmp(op, ">>") == 0 ? a >> b
             : strcmp(op, "&") == 0  ? (a & b)
             : strcmp(op, "|") == 0  ? (a | b)
             : strcmp(op, "^") == 0  ? (a ^ b)
             : strcmp(op, "==") == 0 ? a == b
             : strcmp(op, "!=") == 0 ? a != b
             : strcmp(op, "<") == 0  ? a < b
             : strcmp(op, ">") == 0  ? a > b
             : strcmp(op, "<=") == 0 ? a <= b
             : strcmp(op, ">=") == 0 ? a >= b
             : strcmp(op, "&&") == 0 ? a != 0 && b != 0
             : strcmp(op, "||") == 0 ? a != 0 || b != 0
                                     : INT64_MAX;
    return true;
}

/* Each value fits in 31 bits and a sign, so that 64 hold what an operator makes of two. */
bool cw_constant(const cw_unit *unit, const cw_node *node, int64_t *value)
{
    int64_t other, third;
    bool known = false;
    switch (node->kind) {
    case CW_LITERAL:
        known = number(unit, node, value);
        break;
    case CW_REF:
        known = node->decl != NULL && node->decl->kind == CW_D_ENUMERATOR;
        if (known)
            *value = node->decl->number;
        break;
    case CW_PAREN:
    case CW_IMPLICIT:
        known = node->nkids == 1 && cw_constant(unit, node->kids[0], value);
        break;
    case CW_UNARY:
        known = cw_constant(unit, node->kids[0], value) && unary(node->op, value);
        break;
    case CW_BINARY:
    case CW_AND_OR:
        known = node->nkids == 2 && cw_constant(unit, node->kids[0], &other) &&
                cw_constant(unit, node->kids[1], &third) && binary(node->op, other, third, value);
        break;
    case CW_COND:
        known = node->nkids == 3 && cw_constant(unit, node->kids[0], &other) &&
                cw_constant(unit, node->kids[other != 0 ? 1 : 2], value);
        break;
    default:
        break;
    }
    return known && *value <= INT32_MAX && *value >= INT32_MIN;
}
