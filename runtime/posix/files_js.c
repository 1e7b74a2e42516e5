/* files_js.c - calls on files of JavaScript that take time: the way to web/library.js, which has
 * the promises. posix/files.h says how a call waits. */
#ifdef __EMSCRIPTEN__
#include <stddef.h>

#include <emscripten.h>

#include "platform/js.h"
#include "posix/files.h"

#include "co4/sync.h"

const struct co4__file_hooks *co4__file_hooks;

/* clang-format off */
EM_JS(void, co4__file_begin, (int id, int trusts), {
    if (typeof CO4 != 'undefined')
        CO4.begin(id, trusts);
});

EM_JS(int, co4__file_end, (void), { return typeof CO4 != 'undefined' ? CO4.end() : 0; });

EM_JS(void, co4__file_wait, (int id, struct co4_sem *done), { CO4.wait(id, done); });

EM_JS(void, co4__file_forget, (int id), { CO4.forget(id); });

EM_JS(void, co4__file_advance, (int id), { CO4.logs[id].values = []; });

EM_JS(int, co4__file_error, (int id), { return CO4.written(id); });

EM_JS(void, co4__file_opened, (int fd), {
    if (typeof CO4 != 'undefined')
        CO4.opened = fd;
});

EM_JS(int, co4__file_ahead, (int fd), { return CO4.readAhead(fd); });

EM_JS(void, co4__file_exits, (void), {
    if (typeof CO4 != 'undefined')
        CO4.exits();
});
/* clang-format on */

EMSCRIPTEN_KEEPALIVE void co4__file_done(co4_sem *done)
{
    (void)co4_sem_release(done); /* it has no permit yet */
}
#endif
