// variants.mjs - the ways in which C waits: for each, `make` builds an instance, and `call` calls
// an export of it.
//
// make(module, host, waits): `waits` are imports by name, which may return promises. call(made,
// name, ...args) returns the result, or a promise of it. Woven modules come with a script, whose
// export is in the place of `module`.

const STACK = 65536;

/** A program that does not wait: an import that waits is missing. */
const plain = {
  async make(module, host) {
    host.instance = await WebAssembly.instantiate(module, host.imports(module));
    return { exports: host.instance.exports };
  },
  call: ({ exports }, name, ...args) => exports[name](...args),
};

const NORMAL = 0, UNWINDING = 1, REWINDING = 2;
const SAVED = 1 << 16;

/** Binaryen's Asyncify, used as Emscripten does: one call waits at a time. */
const asyncify = {
  async make(module, host, waits) {
    const made = { pending: null, result: undefined, busy: false, failed: null };
    const own = Object.fromEntries(Object.entries(waits).map(([name, wait]) => [name, (...args) => {
      const { exports, data } = made;
      if (exports.asyncify_get_state() === REWINDING) {
        exports.asyncify_stop_rewind();
        return made.result;
      }
      made.pending = wait(...args);
      exports.asyncify_start_unwind(data);
      return 0;
    }]));
    host.instance = await WebAssembly.instantiate(module, host.imports(module, own));
    made.exports = host.instance.exports;
    made.data = made.exports.unwound?.() ?? asyncify.room(made.exports, host);
    return made;
  },
  /** Where the stack is saved: its bounds, then bytes. */
  room(exports, host) {
    const at = exports.malloc(SAVED + 8);
    const view = new DataView(host.bytes.buffer);
    view.setUint32(at, at + 8, true);
    view.setUint32(at + 4, at + 8 + SAVED, true);
    return at;
  },
  call(made, name, ...args) {
    if (made.busy)
      throw new Error('a call waits already');
    const result = made.exports[name](...args);
    return made.exports.asyncify_get_state() === NORMAL ? result : asyncify.goOn(made, name, args);
  },
  async goOn(made, name, args) {
    made.busy = true;
    try {
      for (let result; ;) {
        const { exports, data } = made;
        exports.asyncify_stop_unwind();
        // A host that answers at once costs no promise.
        made.result = made.pending instanceof Promise ? await made.pending : made.pending;
        exports.asyncify_start_rewind(data);
        result = exports[name](...args);
        if (exports.asyncify_get_state() !== UNWINDING)
          return result;
      }
    } finally {
      made.busy = false;
    }
  },
};

/** The engine's promise integration, around a plain build. */
const jspi = {
  async make(module, host, waits) {
    const own = Object.fromEntries(Object.entries(waits).map(([name, wait]) =>
      [name, new WebAssembly.Suspending(wait)]));
    host.instance = await WebAssembly.instantiate(module, host.imports(module, own));
    return { exports: host.instance.exports, promising: new Map() };
  },
  promising(made, name) {
    if (!made.promising.has(name))
      made.promising.set(name, WebAssembly.promising(made.exports[name]));
    return made.promising.get(name);
  },
  call: (made, name, ...args) => jspi.promising(made, name)(...args),
};

/** The same, with a stack in linear memory for each call. The module keeps its pointer in waits. */
const stacks = {
  async make(module, host, waits) {
    const made = await jspi.make(module, host, waits);
    return { ...made, first: made.exports.stackSave() };
  },
  async call(made, name, ...args) {
    const { exports, first } = made;
    exports.stackRestore(first);
    const stack = exports.stack_create(STACK);
    if (!stack)
      throw new Error('no memory for a stack');
    exports.stackRestore(stack);
    let pending;
    try {
      pending = jspi.promising(made, name)(...args);
    } finally {
      exports.stackRestore(first);
    }
    try {
      return await pending;
    } finally {
      exports.stackRestore(first);
      exports.stack_destroy(stack, STACK);
    }
  },
};

/** Woven: `waits` are functions that EM_ASYNC_JS() calls, or its library's. */
const woven = {
  scripted: true,
  async make(create, host, waits, wasmBinary) {
    const made = await create({ ...waits, wasmBinary });
    host.instance = { exports: { memory: { get buffer() { return made.HEAPU8.buffer; } } } };
    return made;
  },
  call: (made, name, ...args) => made.co4.enter(name, args),
};

export const variants = { plain, asyncify, jspi, stacks, woven };
