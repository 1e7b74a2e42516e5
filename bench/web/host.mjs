// host.mjs - what a module of bench/web gets from its host: WASI's standard input and output,
// emcc's longjmp, and nothing else. It runs in Node and in browsers.

const EBADF = 8, SUCCESS = 0, ESPIPE = 70, NO_CALL = -52;

/** The exit of a program. */
export class Exit extends Error {
  constructor(status) {
    super(`exit ${status}`);
    this.status = status;
  }
}

/**
 * A host for one instance: set `instance` after it is made.
 */
export class Host {
  /** @type {WebAssembly.Instance} */
  instance;
  output = '';
  /** Is called when something is written. */
  wrote = () => {};
  #args;
  #input;
  #second = 0; // result of emcc's functions that have two

  /**
   * @param {string[]} args
   * @param {(text: string) => string | Promise<string>} input gets what was written so far, and
   *   returns the next line; '' is the end
   */
  constructor(args = ['program'], input = () => '') {
    this.#args = args.map((arg) => new TextEncoder().encode(`${arg}\0`));
    this.#input = input;
  }

  get #view() {
    return new DataView(this.instance.exports.memory.buffer);
  }

  get bytes() {
    return new Uint8Array(this.instance.exports.memory.buffer);
  }

  #parts(at, count) {
    const view = this.#view;
    return Array.from({ length: count }, (_, i) =>
      [view.getUint32(at + 8 * i, true), view.getUint32(at + 8 * i + 4, true)]);
  }

  #sizes(list, count, size) {
    this.#view.setUint32(count, list.length, true);
    this.#view.setUint32(size, list.reduce((sum, one) => sum + one.length, 0), true);
    return SUCCESS;
  }

  #write(fd, at, count, done) {
    if (fd !== 1 && fd !== 2)
      return EBADF;
    let size = 0;
    for (const [start, length] of this.#parts(at, count)) {
      this.output += new TextDecoder().decode(this.bytes.slice(start, start + length));
      size += length;
    }
    this.#view.setUint32(done, size, true);
    this.wrote();
    return SUCCESS;
  }

  /** Waits for a line, puts it where the program wants it, and returns the code of WASI. */
  async read(fd, at, count, done) {
    const line = new TextEncoder().encode(await this.#input(this.output));
    let rest = line;
    for (const [start, length] of this.#parts(at, count)) {
      this.bytes.set(rest.subarray(0, length), start);
      rest = rest.subarray(length);
    }
    if (rest.length)
      throw new Error('a line is longer than the buffer');
    this.#view.setUint32(done, line.length, true);
    return SUCCESS;
  }

  get wasi() {
    return {
      args_sizes_get: (count, size) => this.#sizes(this.#args, count, size),
      args_get: (list, at) => {
        this.#args.forEach((arg, i) => {
          this.#view.setUint32(list + 4 * i, at, true);
          this.bytes.set(arg, at);
          at += arg.length;
        });
        return SUCCESS;
      },
      environ_sizes_get: (count, size) => this.#sizes([], count, size),
      environ_get: () => SUCCESS,
      clock_time_get: (id, precision, out) => {
        this.#view.setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
        return SUCCESS;
      },
      fd_write: (...words) => this.#write(...words),
      fd_read: () => EBADF, // a variant that waits has another
      fd_seek: () => ESPIPE,
      fd_fdstat_get: (fd, out) => {
        this.bytes.fill(0, out, out + 24);
        this.#view.setUint8(out, 2); // a character device: a terminal
        return SUCCESS;
      },
      proc_exit: (status) => { throw new Exit(status); },
    };
  }

  /** emcc's calls that may longjmp, which have a frame of JavaScript. */
  #invoke(at, ...args) {
    const { exports } = this.instance;
    const stack = exports.stackSave();
    try {
      return exports.__indirect_function_table.get(at)(...args);
    } catch (error) {
      exports.stackRestore(stack);
      if (error !== Infinity)
        throw error;
      exports.setThrew(1, 0);
    }
  }

  /**
   * The imports of a module: those of `own` first.
   * @param {WebAssembly.Module} module
   * @param {Record<string, Function>} own
   */
  imports(module, own = {}) {
    const known = { ...this.wasi, getTempRet0: () => this.#second,
      setTempRet0: (value) => { this.#second = value; },
      emscripten_notify_memory_growth: () => {},
      _emscripten_throw_longjmp: () => { throw Infinity; }, ...own };
    const all = {};
    for (const { module: space, name, kind } of WebAssembly.Module.imports(module)) {
      if (kind !== 'function')
        throw new Error(`an import of kind ${kind}: ${name}`);
      all[space] ??= {};
      all[space][name] = known[name] ??
        (name.startsWith('invoke_') ? (...words) => this.#invoke(...words) : () => NO_CALL);
    }
    return all;
  }
}
