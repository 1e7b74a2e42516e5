// slow.mjs - a file system in memory whose every operation is a promise that settles later.
import { TreeFileSystem } from '../../web/kernel/tree.mjs';

const OPERATIONS = [
  'stat', 'change', 'lookup', 'make', 'link', 'unlink', 'rmdir', 'rename', 'list', 'readlink',
  'read', 'write', 'truncate', 'sync', 'seekData', 'ready',
];

/** Delays come from a seed, so that a failure comes again. */
export class SlowFileSystem extends TreeFileSystem {
  /**
   * @param {{ seed?: number, most?: number, bytes?: number,
   *     before?: (operation: string, values: any[]) => any }} [options] `most`: the longest delay, in
   *     milliseconds; `before`: called before each operation, whose promise takes the place of its
   *     result if it returns one
   */
  constructor(options = {}) {
    super(options);
    this.seed = options.seed ?? 1;
    this.most = options.most ?? 3;
    this.before = options.before ?? (() => undefined);
    this.calls = 0;
    this.outer = new Map(); // of inodes
    this.inner = new Map();
    this.root = this.slow(this.root);
  }

  get takesTime() {
    return true;
  }

  delay() {
    this.seed = (this.seed * 1103515245 + 12345) % 2147483648;
    const ms = (this.seed >> 8) % (this.most + 1);
    return new Promise((done) => (ms > 0 ? setTimeout(done, ms) : queueMicrotask(done)));
  }

  async call(inode, name, values) {
    this.calls++;
    const other = await this.before(name, values);
    await this.delay();
    if (other !== undefined)
      return other;
    const result = await inode[name](...values.map((value) => this.inner.get(value) ?? value));
    return Array.isArray(result) ?
      result.map((entry) => ({ ...entry, inode: this.slow(entry.inode) })) : this.slow(result);
  }

  // What others see of an inode: its operations take time, the rest is its own.
  slow(inode) {
    if (typeof inode !== 'object' || inode === null || !('ino' in inode) || !('fs' in inode))
      return inode;
    if (this.inner.has(inode) || this.outer.has(inode))
      return this.outer.get(inode) ?? inode;
    const outer = new Proxy(inode, {
      get: (_, name) => {
        const value = inode[name];
        if (OPERATIONS.includes(name) && typeof value === 'function')
          return (...values) => this.call(inode, name, values);
        return typeof value === 'function' ? value.bind(inode) : this.slow(value);
      },
      set: (_, name, value) => {
        inode[name] = value;
        return true;
      },
    });
    this.outer.set(inode, outer);
    this.inner.set(outer, inode);
    return outer;
  }
}
