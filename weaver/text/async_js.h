/* async_js.h - --auto: the functions of EM_ASYNC_JS(), of Emscripten. */
#ifndef CW_TEXT_ASYNC_JS_H
#define CW_TEXT_ASYNC_JS_H

#include "base/buf.h"

/* Puts around each call of such a function one that waits for its promise, co4__js_settle() of
 * share/co4/posix.roots. */
void cw_settle_async_js(cw_buf *text);

#endif
