/* emscripten.c - calls of Emscripten that need Asyncify elsewhere, for programs without marks.
 *
 * They behave as with Asyncify, but that any number of them wait at the same time. EM_ASYNC_JS()
 * functions leave a promise in `Asyncify.pending`: co4weave puts a call of co4_posix_js_settle()
 * around each of their calls. */
#ifdef __EMSCRIPTEN__
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <emscripten.h>
#include <emscripten/fetch.h>

#include "co4/error.h"
#include "co4/future.h"
#include "co4/js.h"
#include "co4/posix_js.h"
#include "co4/time.h"

#ifndef CO4_PLAIN

/* ---- JavaScript ---- */

/* clang-format off */
EM_JS(co4_js, co4__js_wget, (const char *url), {
    return Module.co4.keep(fetch(UTF8ToString(url)).then(function (answer) {
        if (!answer.ok)
            throw new Error(answer.status + ' ' + answer.statusText);
        return answer.arrayBuffer();
    }));
});

EM_JS(co4_js, co4__js_store, (const char *db, const char *id, int what, const void *at, int n), {
    var name = UTF8ToString(db);
    var key = UTF8ToString(id);
    var value = what == 1 ? HEAPU8.slice(at, at + n) : undefined;
    var mode = what == 1 || what == 2 ? 'readwrite' : 'readonly';
    return Module.co4.keep(new Promise(function (done, failed) {
        var open = indexedDB.open(name, 22);
        open.onupgradeneeded = function () {
            if (!open.result.objectStoreNames.contains('FILE_DATA'))
                open.result.createObjectStore('FILE_DATA');
        };
        open.onerror = function (e) {
            failed(open.error);
            e.preventDefault();
        };
        open.onsuccess = function () {
            var base = open.result;
            var change = base.transaction(['FILE_DATA'], mode);
            var files = change.objectStore('FILE_DATA');
            var request = what == 0 ? files.get(key) : what == 1 ? files.put(value, key)
                        : what == 2 ? files.delete(key) : files.count(key);
            change.oncomplete = function () {
                base.close();
                if (what == 0 && request.result === undefined)
                    failed(new Error('no such file: ' + key));
                else
                    done(request.result);
            };
            change.onabort = change.onerror = function () {
                base.close();
                failed(change.error || request.error);
            };
        };
    }));
});

EM_JS(co4_js, co4__js_take_pending, (void), {
    var promise = globalThis.Asyncify && globalThis.Asyncify.pending;
    if (!promise)
        return 0;
    globalThis.Asyncify.pending = undefined;
    return Module.co4.keep(promise);
});

EM_JS(void, co4__js_begin_async, (void), {
    if (globalThis.Asyncify)
        return;
    globalThis.Asyncify = {
        pending: undefined,
        handleAsync: function (start) {
            if (this.pending)
                throw new Error('co4: code that cannot wait has called an EM_ASYNC_JS function');
            this.pending = Promise.resolve(start());
            return 0;
        },
        handleSleep: function (start) {
            return this.handleAsync(function () { return new Promise(start); });
        }
    };
});
/* clang-format on */

__attribute__((constructor)) static void begin(void)
{
    co4__js_begin_async();
}

static void drop_value(const co4_js *value)
{
    co4_js_drop(*value);
}

#define DROPPED __attribute__((cleanup(drop_value))) co4_js

/* ---- EM_ASYNC_JS() ---- */

/* A rejection that is not handled ends the program, as an exception of a call that does not wait
 * would. */
/* clang-format off */
EM_JS(void, co4__js_throw, (co4_js reason), {
    var value = Module.co4.value(reason);
    Module.co4.drop(reason);
    setTimeout(function () { throw value; });
});
/* clang-format on */

/* Returns what the promise was resolved with, or the number that the call has returned. */
static pausable double settled(double number)
{
    co4_js promise = co4__js_take_pending();
    DROPPED value = 0;
    if (promise == 0)
        return number;
    int err = co4_js_await(promise, &value);
    if (err == CO4_JS_EREJECTED) {
        co4__js_throw(value);
        value = 0;
    }
    return err == CO4_OK ? co4_js_number(value) : 0;
}

pausable int co4_posix_js_settle(int number)
{
    double n = settled(number);
    /* the low bits, as JavaScript's numbers come to C */
    return fabs(n) < 9223372036854775808.0 ? (int)(uint32_t)(int64_t)n : 0;
}

pausable double co4_posix_js_settle_double(double number)
{
    return settled(number);
}

/* ---- times ---- */

pausable void co4_posix_emscripten_sleep(unsigned ms)
{
    co4_sleep((int64_t)ms * CO4_MS);
}

/* ---- files of the network and of IndexedDB ---- */

/* The bytes of a promise, in memory that the caller frees. Returns whether there are any. */
static pausable bool take_bytes(co4_js promise, void **bytes, int *count)
{
    DROPPED value = 0;
    if (co4_js_await(promise, &value) != CO4_OK)
        return false;
    size_t size = co4_js_bytes(value, NULL, 0);
    void *memory = malloc(size + 1);
    if (!memory)
        return false;
    co4_js_bytes(value, memory, size);
    *bytes = memory;
    *count = (int)size;
    return true;
}

pausable void co4_posix_emscripten_wget_data(const char *url, void **bytes, int *count, int *error)
{
    *error = !take_bytes(co4__js_wget(url), bytes, count);
}

pausable void co4_posix_emscripten_idb_load(const char *db, const char *id, void **bytes,
                                            int *count, int *error)
{
    *error = !take_bytes(co4__js_store(db, id, 0, NULL, 0), bytes, count);
}

pausable void co4_posix_emscripten_idb_store(const char *db, const char *id, void *bytes, int count,
                                             int *error)
{
    *error = co4_js_await(co4__js_store(db, id, 1, bytes, count), NULL) != CO4_OK;
}

pausable void co4_posix_emscripten_idb_delete(const char *db, const char *id, int *error)
{
    *error = co4_js_await(co4__js_store(db, id, 2, NULL, 0), NULL) != CO4_OK;
}

pausable void co4_posix_emscripten_idb_exists(const char *db, const char *id, int *exists,
                                              int *error)
{
    DROPPED value = 0;
    *error = co4_js_await(co4__js_store(db, id, 3, NULL, 0), &value) != CO4_OK;
    *exists = *error ? 0 : co4_js_number(value) > 0;
}
#endif
#endif
