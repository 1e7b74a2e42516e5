/* code.h - a code or a reason in one byte.
 *
 * A task stores the code of its end and the reason of its cancellation in one byte each. The codes
 * of the table and numbers from -64 to 126 fit. For others the byte is CO4__CODE_ELSEWHERE. Then
 * the task's extension has the reason (cancel.c), and its result is the code (result.h). */
#ifndef CO4_CODE_INTERNAL_H
#define CO4_CODE_INTERNAL_H

#include <limits.h>
#include <stdint.h>

#include "co4/error.h"

#define CO4__CODE_ELSEWHERE INT8_MAX
/* Not a code: what a task's byte for the reason is if its thread is cancelled (cancel.h). */
#define CO4__CODE_CUT INT8_MIN
/* Numbers below it are not codes: sources give them a meaning of their own (sync/source.h). */
#define CO4__CODE_LEAST (INT_MIN + 3)
#define CO4__CODE_TABLE (-64) /* bytes below encode the codes of the table */

_Static_assert(CO4_ERROR_BASE_ - CO4_ERROR_LAST_ < CO4__CODE_TABLE - INT8_MIN,
               "each code of the table has a byte");

static inline int8_t co4__code_pack(int code)
{
    if (code < CO4_ERROR_BASE_ && code > CO4_ERROR_LAST_)
        return (int8_t)(code - CO4_ERROR_BASE_ + CO4__CODE_TABLE);
    return code >= CO4__CODE_TABLE && code < CO4__CODE_ELSEWHERE ? (int8_t)code
                                                                 : CO4__CODE_ELSEWHERE;
}

/* `byte` is not CO4__CODE_ELSEWHERE. */
static inline int co4__code_unpack(int8_t byte)
{
    return byte < CO4__CODE_TABLE ? byte - CO4__CODE_TABLE + CO4_ERROR_BASE_ : byte;
}

#endif
