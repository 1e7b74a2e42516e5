/* host.c - calls of JavaScript.
 *
 * Purpose: in a browser nothing may wait on the stack, since the page's events come only when all
 * of C has returned. So a pausable function that JavaScript calls is a task from its first step:
 * that step runs in the call, and if it does not pause, the call returns its result. If it pauses,
 * the call leaves by an exception, and the caller gets a promise. Any number of such calls are in
 * flight: each is its frames, and nothing on the stack. main() is such a call, too.
 *
 * Invariants: all of them are tasks of one runtime of one worker, as that of a co4_run: a program
 * does not have what only runtimes that it makes need. Its turns are made in co4__js_run(), which
 * JavaScript calls when something is ready or due. The task of a call that has paused keeps a
 * reference until JavaScript has its result.
 *
 * Plain code between JavaScript and a pausable function would be left out. If a task has called it,
 * the function begins a co4_run, as elsewhere, which can wait for tasks and times alone. If
 * JavaScript has, nothing here sees the plain code: Module.co4 compares the name of the function
 * that it has called with that of the one which has left. */
#ifdef __EMSCRIPTEN__
#define _POSIX_C_SOURCE 200809L
#include "sched/host.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <emscripten.h>

#include "base/alloc.h"
#include "base/hooks.h"
#include "base/text.h"
#include "core/fiber.h"
#include "core/runtime_id.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/timers.h"
#include "platform/before_wait.h"
#include "platform/clock.h"
#include "platform/js.h"
#include "platform/thread.h"
#include "sched/count.h"
#include "sched/idle.h"
#include "sched/look.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/schedule.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

/* ---- JavaScript, of Emscripten's own code around a module ----
 *
 * It uses what all of Emscripten's releases since 3.1 have, and asks before it uses more. Turns
 * come by messages, since timers of browsers have at least 4 ms; a turn lasts 10 ms at most, so a
 * page can draw in between. */

/* clang-format off */
/* Module.co4: what the page sees of the runtime. Each call that has paused is in `calls`, with
 * what its promise needs. */
EM_JS(void, co4__js_setup, (void), {
    if (Module.co4)
        return;
    var c = Module.co4 = { calls: new Map(), ended: new Map(), left: null };
    c.keepalive = function (on) {
        var f = on ? typeof runtimeKeepalivePush == 'function' && runtimeKeepalivePush
                   : typeof runtimeKeepalivePop == 'function' && runtimeKeepalivePop;
        if (f)
            f();
    };
    /* One turn; none while the page holds the program (web/co4.mjs). */
    c.run = function () {
        if (c.timer !== undefined)
            clearTimeout(c.timer);
        c.timer = c.due = undefined;
        if (!c.held)
            c.turn(_co4__js_run);
    };
    c.turn = function (make) {
        if (c.isOver())
            return;
        /* No C is below. What calls that have left may have kept of the stack is free, and what an
         * exception has left behind has ended. */
        if (typeof stackSave == 'function') {
            c.base = Math.max(c.base || 0, stackSave());
            stackRestore(c.base);
        }
        try {
            return make();
        } catch (e) {
            c.threw(e, -1);
            if (e != 'unwind' && !(e && e.name == 'ExitStatus'))
                throw e;
        }
    };
    c.isTrap = function (e) {
        return e instanceof WebAssembly.RuntimeError || (e && e.name == 'InternalError') ||
            (e instanceof RangeError && /call stack/i.test(e.message));
    };
    c.isOver = function () { return c.dead || (typeof ABORT != 'undefined' && ABORT); };
    /* An exception that is not the runtime's own has left C: what ran there has ended. */
    c.threw = function (e, depth) {
        if (c.isTrap(e)) {
            c.fail(e);
        } else if (typeof ABORT != 'undefined' && ABORT) {
            c.fail(new Error('the program has ended'));
        } else {
            c.thrown = e;
            _co4__js_threw(depth, e == 'unwind' || (e && e.name == 'ExitStatus') ? 1 : 0);
            c.thrown = undefined;
        }
    };
    /* A trap: no C runs any more, for nothing says what is still whole. */
    c.fail = function (why) {
        c.dead = why;
        c.calls.forEach(function (call) { call.reject(why); });
        c.calls.clear();
        if (c.onfail)
            c.onfail(why);
    };
    if (typeof MessageChannel != 'undefined' && typeof process != 'object') {
        var channel = new MessageChannel();
        channel.port1.onmessage = function () { if (c.due === 0) c.run(); };
        c.soon = function () { channel.port2.postMessage(0); };
    } else {
        c.soon = function () { setImmediate(function () { if (c.due === 0) c.run(); }); };
    }
    /* What a call has returned later, by the letter of its type. */
    c.result = function (kind, bytes) {
        var view = new DataView(bytes.buffer, bytes.byteOffset, 8);
        switch (kind) {
        case 'b': return view.getInt8(0);
        case 'B': return view.getUint8(0);
        case 'h': return view.getInt16(0, true);
        case 'H': return view.getUint16(0, true);
        case 'i': return view.getInt32(0, true);
        case 'I': return view.getInt32(0, true);
        case 'l':
        case 'L': return view.getBigInt64(0, true);
        case 'f': return view.getFloat32(0, true);
        case 'd': return view.getFloat64(0, true);
        }
    };
    c.settle = function (call, end) {
        if (end.code < 0 && c.thrown !== undefined) {
            call.reject(c.thrown);
        } else if (end.code < 0) {
            var error = new Error(end.code == -2007 ? call.name + '() was cancelled'
                                                    : call.name + '() failed with ' + end.code);
            error.name = end.code == -2007 ? 'AbortError' : 'Error';
            error.code = end.code;
            call.reject(error);
        } else {
            call.resolve(c.result(call.kind, end.bytes));
        }
    };
    /* Arguments for C: copies of text and bytes stay until the call ends. */
    c.convert = function (value, kept) {
        if (typeof value == 'string')
            value = new TextEncoder().encode(value + String.fromCharCode(0));
        else if (value instanceof ArrayBuffer)
            value = new Uint8Array(value);
        else if (ArrayBuffer.isView(value))
            value = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        else
            return value === undefined || value === null ? 0 : value;
        var at = _co4__js_alloc(value.length + 1);
        if (!at)
            throw new RangeError('out of memory');
        kept.push(at);
        HEAPU8.set(value, at);
        return at;
    };
    /* Calls an exported function. Returns its result, or a promise if it has paused. */
    c.enter = function (name, args) {
        var f = Module['_' + name];
        if (typeof f != 'function')
            throw new TypeError('the module exports no function ' + name);
        if (c.isOver())
            throw new Error('the program has ended: ' + (c.dead ? c.dead.message : 'by exit()'));
        var depth = _co4__js_depth();
        var at = typeof stackSave == 'function' ? stackSave() : 0;
        c.left = null;
        try {
            _co4__js_enter(1);
            return f.apply(null, args);
        } catch (e) {
            var left = c.left;
            c.left = null;
            if (e != 'unwind' || !left) {
                c.threw(e, depth);
                throw e;
            }
            if (at)
                stackRestore(at);
            if (left.name != name) {
                c.cancel(left.promise);
                throw new Error(name + '() calls ' + left.name + '(), which waits, and cannot ' +
                                'wait itself: the link says by --auto-report why it is plain');
            }
            return left.promise;
        } finally {
            if (!c.isOver())
                _co4__js_enter(0);
        }
    };
    /* Its task may have ended in this turn, and its memory be another's. */
    c.cancel = function (promise) {
        if (!c.isOver() && c.calls.get(promise.call) === promise.record)
            _co4__js_cancel(promise.call);
    };
    c.call = function (name, args, options) {
        var kept = [];
        var free = function () { kept.forEach(function (at) { _co4__js_free(at); }); };
        var want = options && options.result;
        var finish = function (value) {
            if (want == 'text')
                return value ? UTF8ToString(Number(value) >>> 0) : null;
            if (want == 'boolean')
                return value != 0;
            return value;
        };
        return new Promise(function (resolve, reject) {
            var signal = options && options.signal;
            if (signal && signal.aborted)
                throw signal.reason;
            var got;
            try {
                got = c.enter(name, (args || []).map(function (a) { return c.convert(a, kept); }));
            } catch (e) {
                free();
                throw e;
            }
            if (!(got instanceof Promise)) {
                got = finish(got);
                free();
                resolve(got);
                return;
            }
            var stop = function () { c.cancel(got); };
            if (signal)
                signal.addEventListener('abort', stop);
            var over = function () {
                if (signal)
                    signal.removeEventListener('abort', stop);
                if (!c.isOver())
                    free();
            };
            got.then(function (value) {
                value = finish(value);
                over();
                if (signal && signal.aborted)
                    reject(signal.reason);
                else
                    resolve(value);
            }, function (why) {
                over();
                reject(signal && signal.aborted ? signal.reason : why);
            });
        });
    };
});

EM_JS(void, co4__js_schedule, (double ms), {
    var c = Module.co4;
    var at = ms > 0 ? performance.now() + ms : 0;
    if (c.due !== undefined && c.due <= at)
        return;
    if (c.timer !== undefined)
        clearTimeout(c.timer);
    c.timer = undefined;
    c.due = at;
    if (at === 0)
        c.soon();
    else
        c.timer = setTimeout(c.run, Math.min(Math.ceil(ms), 0x7fffffff));
});

EM_JS(void, co4__js_left, (const co4_task *task, const char *name, int kind, int entered), {
    var c = Module.co4;
    var call = { name: UTF8ToString(name), kind: String.fromCharCode(kind) };
    var promise = new Promise(function (resolve, reject) {
        call.resolve = resolve;
        call.reject = reject;
    });
    promise.catch(function () {}); /* no one may wait for a callback that has paused */
    promise.call = task;
    promise.record = call;
    if (!entered && call.name != 'main' && call.kind != 'v' && !c.warned) {
        c.warned = true;
        err('co4: ' + call.name + '() waits, and its caller, which is plain or is JavaScript, ' +
            'goes on without its result: use Module.co4.call()');
    }
    c.left = { call: task, name: call.name, promise: promise };
    if (c.ended.has(task)) {
        c.settle(call, c.ended.get(task));
        c.ended.delete(task);
    } else {
        c.calls.set(task, call);
        c.keepalive(true);
    }
    throw 'unwind';
});

EM_JS(void, co4__js_ended, (const co4_task *task, int code, const void *result), {
    var c = Module.co4;
    var call = c.calls.get(task);
    var end = { code: code, bytes: HEAPU8.slice(result, result + 8) };
    if (!call) {
        c.ended.set(task, end);
        return;
    }
    c.calls.delete(task);
    c.keepalive(false);
    c.settle(call, end);
});

EM_JS(int, co4__js_is_idle, (void), {
    var c = Module.co4;
    return c.calls.size == 0 && !(c.awaited && c.awaited.size > 0) ? 1 : 0;
});

/* main() returns, and what it has begun goes on: the program is not to exit yet. */
EM_JS(void, co4__js_stay, (void), {
    Module.co4.exits = typeof noExitRuntime == 'undefined' || !noExitRuntime;
    if (typeof noExitRuntime != 'undefined')
        noExitRuntime = true;
});

EM_JS(void, co4__js_exit, (int status, int stays), {
    if (stays) {
        status = EXITSTATUS;
        if (Module.co4.exits)
            noExitRuntime = false;
    }
    try {
        if (typeof exitJS == 'function')
            exitJS(status, true);
        else
            exit(status, true);
    } finally {
        if (typeof ABORT != 'undefined' && ABORT)
            Module.co4.fail(new Error('the program has ended'));
    }
});
/* clang-format on */

/* ---- calls ---- */

#define TURN (10 * CO4_MS)

/* What a call of JavaScript interrupts, if C has called JavaScript: a step goes on behind it. */
struct outer {
    co4_task *task;
    struct co4__worker *worker;
    int budget;
    bool entered; /* by Module.co4 */
    bool is_main;
};

static struct {
    bool begun; /* the two below are there */
    co4_runtime rt;
    struct co4__worker worker;
    bool entered; /* JavaScript is about to call a function, by Module.co4 */
    struct outer *outer;
    size_t depth, room; /* calls whose first step is on the stack */
    const co4_task *main;
    bool main_ended, exited;
    bool stays; /* main() has returned to JavaScript, which knows its status */
    int status; /* of main, otherwise */
} host;

/* JavaScript may look for Module.co4 before any call. */
__attribute__((constructor(101))) static void set_up(void)
{
    co4__js_setup();
}

static void is_ready(void *data)
{
    (void)data;
    co4__js_schedule(0);
}

static bool begin_host(void)
{
    if (host.begun)
        return true;
    if (co4__runtime_init(&host.rt, &host.worker, 1, 1) != CO4_OK)
        return false;
    host.rt.options.on_ready = is_ready;
    host.begun = true;
    co4__run_begins_once(&host.rt);
    return true;
}

/* Whether the runtime has nothing to do that would go on without JavaScript. */
static bool is_over(int64_t next)
{
    return next == CO4_NEVER && !(co4__hooks.awaits_events && co4__hooks.awaits_events());
}

static void ask_for_turn(bool ready, int64_t next)
{
    if (ready)
        co4__js_schedule(0);
    else if (next != CO4_NEVER) {
        int64_t left = next - co4__clock();
        co4__js_schedule(left > 0 ? (double)left / CO4_MS : 0);
    }
}

/* The call that JavaScript has made is about to return. Within a turn, co4__js_run() does this. */
static void rest(void)
{
    if (!host.begun || host.depth > 0 || co4__local()->current)
        return;
    bool idle = co4__worker_idle_begin(&host.worker);
    int64_t next = co4__timers_earliest(&host.worker.timers);
    ask_for_turn(!idle || host.main_ended, next);
}

static bool make_place(void)
{
    if (host.depth < host.room)
        return true;
    size_t room = host.room > 0 ? 2 * host.room : 4;
    struct outer *more = co4__heap_grow(host.outer, room * sizeof *more);
    if (!more)
        return false;
    host.outer = more;
    host.room = room;
    return true;
}

co4_fiber *co4_abi_host_begin(const char *name)
{
    struct co4__local *here = co4__local();
    bool entered = host.entered;
    host.entered = false;
    if ((!entered && (here->current || here->run.innermost)) || !begin_host() || !make_place())
        return co4_abi_run_begin();
    struct co4__worker *w = &host.worker;
    co4_task *t = co4__task_create_bare(CO4__KIND_VALUE + CO4_ABI_RESULT_BYTES, 2);
    if (!t)
        return co4_abi_run_begin(); /* which fails, and says so */
    co4__worker_idle_end(w);
    co4__task_event(t, CO4__SCHEDULE);
    co4__runtime_calls(&host.rt, t, name);
    w->queue.ninner++; /* it runs */
    struct outer outer = { here->current, here->worker, here->budget, entered,
                           strcmp(name, "main") == 0 };
    host.outer[host.depth++] = outer;
    here->current = t;
    here->worker = w;
    here->budget = w->budget;
    co4__task_steps(t);
    if (outer.is_main)
        co4__js_schedule(0); /* also if an exception leaves it, such as that of a main loop */
    if (CO4__UNLIKELY(co4__steps_are_hooked(&host.rt)))
        co4__step_begins(w, t);
    return &t->fiber;
}

/* Ends the step of the call. */
static void finish(co4_task *t, int why)
{
    struct co4__local *here = co4__local();
    struct co4__worker *w = &host.worker;
    co4__before_wait(here);
    here->current = NULL;
    if (CO4__UNLIKELY(co4__steps_are_hooked(&host.rt)))
        co4__step_ends(w, t, why);
    co4__worker_finish_step(w, t, why);
    const struct outer *outer = &host.outer[--host.depth];
    here->current = outer->task;
    here->worker = outer->worker;
    here->budget = outer->budget;
}

CO4__COLD static void refuse_wide(const char *name)
{
    struct co4__text text;
    co4__text_begin(&text, co4_write_fd, (void *)2);
    co4__put(&text, "co4: ");
    co4__put(&text, name);
    co4__put(&text, "() waits, and returns a struct to JavaScript, which cannot get it later: let "
                    "it return a number, or store the struct by a pointer.\n");
    co4__text_end(&text);
    abort();
}

int co4_abi_host_drive(co4_fiber *co4, const char *name, int kind)
{
    co4_task *t = co4__task_of(co4);
    if (co4->kind == CO4__KIND_RUN)
        return co4_abi_run_drive(co4);
    if (kind == 's' || (co4->last && co4__is_wide(co4->last)))
        refuse_wide(name);
    struct outer outer = host.outer[host.depth - 1];
    int why = co4__fiber_finish_step(co4, NULL);
    if (outer.is_main && !host.main)
        host.main = t;
    atomic_fetch_or_explicit(&t->refs, CO4__FROM_HOST, memory_order_relaxed);
    finish(t, why);
    rest();
    co4__js_left(t, name, kind, outer.entered);
    abort();
}

void co4_abi_host_end(co4_fiber *co4)
{
    if (co4->kind == CO4__KIND_RUN) {
        co4_abi_run_end(co4);
        return;
    }
    bool is_main = host.outer[host.depth - 1].is_main;
    finish(co4__task_of(co4), 0);
    co4_task_release(co4__task_of(co4));
    if (is_main && co4__runtime_alive(&host.rt) > 0) {
        host.main_ended = host.stays = true;
        co4__js_stay();
    }
    rest();
}

void co4__host_call_ends(co4_task *t, int error)
{
    if (t == host.main) {
        host.main_ended = true;
        host.status = error == CO4_OK ? t->fiber.result.i : EXIT_FAILURE;
    }
    co4__js_ended(t, error, &t->fiber.result);
    co4__task_unref(t);
}

/* What the end of main() leaves goes on, as after a co4_run, and then the program exits. */
static void exit_if_over(int64_t next)
{
    if (!host.main_ended || host.exited || !is_over(next) || !co4__js_is_idle())
        return;
    host.exited = true;
    co4__js_exit(host.status, host.stays);
}

/* Makes steps until none is ready, or the turn is over. Returns when the next may be: 0, now. */
static int64_t make_turn(void)
{
    enum { LOOK = 16 }; /* the clock is JavaScript's, and costs as much as some steps */
    struct co4__worker *w = &host.worker;
    int64_t until = 0;
    for (unsigned n = 1;; n++) {
        co4_task *t = co4__queue_fetch(&w->queue);
        if (t)
            co4__worker_step(w, t);
        if (t && n % LOOK != 0)
            continue;
        co4__worker_timers(w);
        if (!t && !co4__queue_any(&w->queue))
            return co4__timers_earliest(&w->timers);
        int64_t now = co4__clock();
        if (until != 0 && now >= until)
            return 0;
        until = until != 0 ? until : now + TURN;
    }
}

EMSCRIPTEN_KEEPALIVE void co4__js_run(void)
{
    int64_t next = CO4_NEVER, other = CO4_NEVER;
    co4__js_threw(-1, true);
    if (co4__hooks.sleep_for_events)
        co4__hooks.sleep_for_events(0);
    if (host.begun) {
        co4__worker_idle_end(&host.worker);
        next = make_turn();
        if (!co4__worker_idle_begin(&host.worker))
            next = 0;
    }
    if (co4__hooks.turn_all &&
        co4__hooks.turn_all(&other) > 0) /* runtimes that the program makes */
        other = 0;
    next = other < next ? other : next;
    ask_for_turn(next == 0, next);
    exit_if_over(next);
}

const co4_task *co4__host_step(void)
{
    int64_t next = CO4_NEVER, other = CO4_NEVER;
    co4_task *t = NULL;
    co4__js_threw(-1, true);
    if (co4__hooks.sleep_for_events)
        co4__hooks.sleep_for_events(0);
    if (host.begun) {
        co4__worker_idle_end(&host.worker);
        co4__worker_timers(&host.worker);
        t = co4__queue_fetch(&host.worker.queue);
        if (t)
            co4__worker_step(&host.worker, t);
        next = co4__worker_idle_begin(&host.worker) ? co4__timers_earliest(&host.worker.timers) : 0;
    }
    if (!t && co4__hooks.turn_all)
        co4__hooks.turn_all(&other);
    exit_if_over(other < next ? other : next);
    return t;
}

/* A step has ended by an exception: the task's frames are lost. */
static void end_thrown(co4_task *t)
{
    struct co4__worker *w = &host.worker;
    t->fiber.leaf = t->fiber.last = NULL;
    t->fiber.pausing = CO4_ABI_RUNNING;
    if (co4__task_hooks.frames_are_lost)
        co4__task_hooks.frames_are_lost(t);
    co4__task_set_error(t, CO4_ESTATE);
    co4__task_end(w, t, CO4_ESTATE, NULL);
    co4__queue_done(&w->queue);
}

/* Ends the calls that are on the stack above a depth; with -1 also the step below them. `leaves`:
 * the program goes on without main(), as with a main loop of Emscripten. */
EMSCRIPTEN_KEEPALIVE void co4__js_threw(int depth, bool leaves)
{
    struct co4__local *here = co4__local();
    size_t kept = depth > 0 ? (size_t)depth : 0;
    if (host.depth <= kept && (depth >= 0 || !here->current))
        return;
    if (leaves && here->current == host.main)
        host.main = NULL;
    while (host.depth > kept) {
        co4_task *t = here->current;
        const struct outer *outer = &host.outer[--host.depth];
        here->current = NULL;
        end_thrown(t);
        co4_task_release(t);
        here->current = outer->task;
        here->worker = outer->worker;
        here->budget = outer->budget;
    }
    if (depth < 0 && here->current && here->worker == &host.worker) {
        co4_task *t = here->current;
        here->current = NULL;
        end_thrown(t);
    }
    if (depth < 0)
        here->worker = NULL;
    rest();
}

EMSCRIPTEN_KEEPALIVE int co4__js_depth(void)
{
    return (int)host.depth;
}

EMSCRIPTEN_KEEPALIVE void co4__js_enter(bool begins)
{
    host.entered = begins;
}

EMSCRIPTEN_KEEPALIVE void co4__js_cancel(co4_task *call)
{
    co4_task_cancel(call, 0);
    rest();
}

/* The handler runs now, apart from all tasks. */
EMSCRIPTEN_KEEPALIVE bool co4__js_signal(int signo)
{
    struct sigaction now;
    if (sigaction(signo, NULL, &now) != 0 || now.sa_handler == SIG_DFL)
        return false;
    if (now.sa_handler != SIG_IGN)
        raise(signo);
    rest();
    return true;
}

EMSCRIPTEN_KEEPALIVE void *co4__js_alloc(size_t bytes)
{
    return malloc(bytes);
}

EMSCRIPTEN_KEEPALIVE void co4__js_free(void *memory)
{
    free(memory);
}
#endif
