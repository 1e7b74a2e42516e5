// process.mjs - a process that ends with its test: guard.mjs runs it.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const guard = fileURLToPath(new URL('guard.mjs', import.meta.url));

/**
 * A command under a guard. `ended` is settled once it and all that it has started are gone.
 */
export class Process {
  /** All lines that it has printed. @type {string[]} */
  lines = [];
  /** @type {Promise<void>} */
  ended;
  /** Is called with each line that it prints. @type {(line: string) => void} */
  heard = () => {};
  #child;
  #waiting = [];
  #over = false;

  /**
   * @param {string[]} words the command and its arguments
   * @param {{ folder: string, seconds: number, env?: Record<string, string> }} how
   *   `folder` is removed at the end
   */
  constructor(words, { folder, seconds, env = {} }) {
    this.#child = spawn(process.execPath, [guard, String(seconds), folder, ...words], {
      detached: true, stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env },
    });
    this.#child.stdin.on('error', () => {}); // comes with the end
    for (const pipe of [this.#child.stdout, this.#child.stderr])
      this.#read(pipe);
    this.ended = new Promise((done) => this.#child.once('close', () => {
      this.#over = true;
      for (const { reject } of this.#waiting)
        reject(this.#lost());
      done();
    }));
  }

  #lost() {
    return new Error(`${this.#child.spawnargs[4]} has ended: ${this.lines.slice(-5).join('\n')}`);
  }

  #read(pipe) {
    let rest = '';
    pipe.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      lines.forEach((line) => this.#take(line));
    });
    pipe.on('end', () => rest && this.#take(rest));
  }

  #take(line) {
    this.lines.push(line);
    this.heard(line);
    this.#waiting = this.#waiting.filter(({ pattern, resolve }) => {
      const match = line.match(pattern);
      if (match)
        resolve(match);
      return !match;
    });
  }

  /**
   * Waits until it prints such a line.
   * @param {RegExp} pattern
   * @returns {Promise<RegExpMatchArray>}
   */
  says(pattern) {
    for (const line of this.lines)
      if (line.match(pattern))
        return Promise.resolve(line.match(pattern));
    if (this.#over)
      return Promise.reject(this.#lost());
    return new Promise((resolve, reject) => this.#waiting.push({ pattern, resolve, reject }));
  }

  /** The bytes of memory that it and all that it has started have now. */
  get resident() {
    return resident(this.#child.pid);
  }

  /** Ends it and all that it has started, at the latest by SIGKILL. */
  async end() {
    this.#child.stdin.end();
    await this.ended;
  }
}

/** The bytes of memory of a process that are resident, its share of what is shared. */
function residentOf(pid) {
  try {
    const [, kilobytes] = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').match(/^Pss: +(\d+)/m);
    return Number(kilobytes) * 1024;
  } catch {
    return 0; // it has ended since
  }
}

/**
 * The resident memory of the processes of a session, which those of a guard are.
 * @param {number} session
 */
function resident(session) {
  const isIn = (pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1).split(' ');
      return Number(stat[3]) === session;
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter(isIn)
    .reduce((sum, pid) => sum + residentOf(pid), 0);
}
