// co4.mjs - starts programs of C in a page, a worker or Node: modules that `co4weave --auto emcc`
// has linked with `--js-library library.js -sMODULARIZE -sEXPORT_ES6 -sEXIT_RUNTIME=1`.
//
// Each program has a process of the kernel: descriptors, a folder, an environment. Programs of one
// kernel share files, and pipes and terminals that the page gives them.
import { Description } from './kernel/descriptors.mjs';
import { EAGAIN, errorName } from './kernel/errno.mjs';
import {
  O_RDWR, O_WRONLY, POLLOUT, S_IFIFO, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH,
} from './kernel/constants.mjs';
import { makePipe } from './kernel/pipe.mjs';
import { Kernel } from './kernel/process.mjs';
import { addressOf, bytesOfAddress } from './kernel/sockaddr.mjs';
import { Network, SocketCalls } from './kernel/sockets.mjs';
import { instantiates, prepareNode } from './modules.mjs';
import { tasksOf } from './tasks.mjs';

export { Kernel } from './kernel/process.mjs';
export { Network } from './kernel/sockets.mjs';
export { Terminal } from './kernel/terminal.mjs';

/** What a program writes, for a function of the page. */
class Output extends Description {
  /** @param {(bytes: Uint8Array) => void} take */
  constructor(take) {
    super(O_WRONLY);
    this.take = take;
  }

  write(bytes) {
    this.take(bytes.slice());
    return bytes.length;
  }

  poll() {
    return POLLOUT;
  }

  stat() {
    return {
      dev: 0, ino: 1, mode: S_IFIFO | 0o600, nlink: 1, uid: 0, gid: 0, rdev: 0, size: 0,
      blksize: 4096, blocks: 0, atime: 0n, mtime: 0n, ctime: 0n,
    };
  }
}

/** Lines of a program for the console. */
function byLines(log) {
  const decoder = new TextDecoder();
  let rest = '';
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      log(line);
  };
}

/** Standard input from the page: text or bytes, and an end. */
class Input {
  constructor() {
    [this.description, this.end] = makePipe();
    /** @type {Uint8Array[]} what the pipe has no room for yet, from `first` on */
    this.waiting = [];
    this.first = 0;
    this.closes = false;
    this.end.retain();
  }

  /** @param {string | Uint8Array} data */
  write(data) {
    this.waiting.push(typeof data === 'string' ? new TextEncoder().encode(data) : data);
    this.flush();
  }

  close() {
    this.closes = true;
    this.flush();
  }

  flush() {
    while (this.first < this.waiting.length) {
      const part = this.waiting[this.first];
      const n = part.length > 0 ? this.end.write(part) : 0;
      if (n === -EAGAIN) {
        this.end.watch(POLLOUT, () => this.flush());
        return;
      }
      if (n < 0)
        this.first = this.waiting.length; // the program has closed its end
      else if (n < part.length)
        this.waiting[this.first] = part.subarray(n);
      else
        this.first++;
    }
    this.waiting = [];
    this.first = 0;
    if (this.closes && this.end.references > 0)
      this.end.drop();
  }
}

const SIGCHLD = 17, SIGURG = 23;
/** What a program does not see unless it asks for it; there is no job control. */
const IGNORED = new Set([SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH]);

/** A program that runs. */
export class Program {
  constructor(process, input) {
    this.process = process;
    /** Standard input, unless it is a terminal's. */
    this.input = input;
    /** @type {any} what Emscripten makes */
    this.module = null;
    /** @type {Promise<number>} its exit status; a trap rejects it */
    this.exit = new Promise((resolve, reject) => {
      this.exits = resolve;
      this.fails = reject;
    });
    this.exit.catch(() => {}); // a page need not look at it
    /** Whether no C of it runs any more. */
    this.isOver = false;
    /** @type {number[]} signals that came before the program could take them */
    this.early = [];
  }

  /**
   * Calls an exported function, which may wait. Any number of calls wait at the same time.
   * @param {string} name
   * @param {(number | bigint | string | ArrayBuffer | ArrayBufferView)[]} [args]
   * @param {{ result?: 'text' | 'boolean', signal?: AbortSignal }} [options]
   * @returns {Promise<any>}
   */
  call(name, args, options) {
    return this.module.co4.call(name, args, options);
  }

  /**
   * Sends a signal: its handler runs, or the program ends with 128 and its number.
   * @param {number} signal
   */
  signal(signal) {
    const { co4 } = this.module;
    if (!co4)
      this.early.push(signal);
    if (!co4 || co4.isOver() || this.handles(signal) || IGNORED.has(signal))
      return;
    this.ended(128 + signal);
    co4.fail(new Error(`the program was ended by signal ${signal}`));
  }

  /** Whether the program has said what a signal does, which it has done then. */
  handles(signal) {
    const { co4 } = this.module;
    try {
      return co4.enter('co4__js_signal', [signal]) !== 0;
    } catch (error) {
      if (!co4.isOver())
        throw error;
      return true; // it has called exit(), or was a trap
    }
  }

  /** The first of the ends counts. What takes time of its last writes and closes ends before. */
  /**
   * Holds all tasks: none makes a step until resume(). Calls from outside make their first one.
   */
  pause() {
    this.module.co4.held = true;
  }

  /**
   * One step of a task that is ready, from one suspension point to the next one; holds the program.
   * The module needs what tasks() needs.
   * @returns {number} the task's `id` in tasks(), where it is no more if it has ended; 0: no task
   *     is ready
   */
  step() {
    const { co4, _co4__js_step: make } = this.module;
    if (!make)
      throw new Error('the module has no steps: link it with -Wl,-u,co4__js_tasks');
    this.pause();
    return co4.turn(make) ?? 0;
  }

  resume() {
    const { co4 } = this.module;
    co4.held = false;
    co4.run();
  }

  /**
   * All tasks: for each what it waits for, and the chain of calls that wait, innermost first, with
   * their locals. The module is linked with -Wl,-u,co4__js_tasks.
   * @returns {import('./tasks.mjs').Task[]}
   */
  tasks() {
    return this.isOver ? [] : tasksOf(this.module);
  }

  /** The first of the ends counts. */
  ended(status) {
    this.over(() => this.exits(status));
  }

  failed(why) {
    this.over(() => this.fails(why));
  }

  over(say) {
    this.isOver = true;
    const unfinished = [...this.module.co4?.unfinished ?? []];
    if (unfinished.length > 0) {
      Promise.all(unfinished).then(() => this.over(say));
      return;
    }
    const closed = this.process.end();
    if (closed instanceof Promise)
      closed.then(say, say);
    else
      say();
  }
}

function standardStreams(process, { terminal, output, error }) {
  const { table } = process;
  if (terminal) {
    process.terminal = terminal;
    terminal.group = process.group;
    terminal.onsignal = (signal, group) => process.kernel.signalGroup(group, signal);
    const both = terminal.open(O_RDWR);
    for (let fd = 0; fd < 3; fd++)
      table.add(both);
    return null;
  }
  const input = new Input();
  table.add(input.description);
  table.add(new Output(output ?? byLines(console.log)));
  table.add(new Output(error ?? byLines(console.error)));
  return input;
}

let shared = null;

/**
 * Starts a program.
 * @param {(module: object) => Promise<object>} create the default export of the module's script
 * @param {{ kernel?: Kernel, arguments?: string[], environment?: Record<string, string>,
 *     terminal?: import('./kernel/terminal.mjs').Terminal, output?: (bytes: Uint8Array) => void,
 *     error?: (bytes: Uint8Array) => void, module?: object,
 *     wasm?: URL | string | BufferSource | WebAssembly.Module, held?: boolean, numbered?: boolean,
 *     proxy?: import('./kernel/sockets.mjs').Proxy, network?: Network }} [options]
 *     `module`: settings of Emscripten's Module, such as locateFile; `wasm`: where the module is, its
 *     bytes, or itself: each address is compiled once for all programs; `proxy`: the address of a
 *     co4-proxy, for a Network of this program, or `network`: one that programs share;
 *     `held`: as after pause(), from the end of main()'s first step on; `numbered`: tasks() has
 *     numbers, at the price of two looks at the clock in each step
 * @returns {Promise<Program>} when the program runs: main() may wait, or have ended
 */
export async function load(create, options = {}) {
  const kernel = options.kernel ?? (shared ??= new Kernel());
  await kernel.files.makeFolders('/tmp'); // tmpfile() and the like have no other place
  const process = kernel.start({ environment: { HOME: '/', PATH: '/', ...options.environment } });
  const program = new Program(process, standardStreams(process, options));
  const network = options.network ?? new Network({ proxy: options.proxy });
  process.sockets = new SocketCalls(process.table, network);
  Object.assign(process, { nameOfError: errorName, addressOf, bytesOfAddress });
  process.onsignal = (signal) => program.signal(signal);
  const settings = {
    ...options.module,
    process,
    arguments: options.arguments ?? [],
    onRuntimeInitialized() {
      settings.co4.watch = (fd, events, generation) => process.table.watch(fd, events, () =>
        settings._co4__js_ready(fd, process.table.events(fd), generation));
      settings.co4.onfail = (why) => program.failed(why);
      settings.co4.held = options.held === true;
      if (options.numbered)
        settings._co4__js_number_tasks?.();
      program.early.splice(0).forEach((signal) => program.signal(signal));
      options.module?.onRuntimeInitialized?.call(this);
    },
    onExit: (status) => program.ended(status),
    onAbort: (why) => program.failed(new Error(why ? String(why) : 'the program has aborted')),
    quit: (status, thrown) => {
      if (thrown?.name === 'ExitStatus')
        program.ended(status);
      else
        program.failed(thrown); // main() has thrown before it waited
      throw thrown;
    },
  };
  program.module = settings;
  try {
    await prepareNode();
    let fails;
    const failed = new Promise((_, reject) => { fails = reject; });
    if (options.wasm !== undefined)
      Object.assign(settings, await instantiates(options.wasm, fails));
    await Promise.race([create(settings), failed]);
  } catch (error) {
    program.failed(error);
    throw error;
  }
  return program;
}
