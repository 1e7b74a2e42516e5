// http.mjs - files of a server, read by ranges; a file system for them.
//
// Blocks are fetched as they are read, and the last used ones are kept. What is read in one turn of
// the page is asked for together: neighbours are one request, a block that is on its way is not
// asked for again. The first answer fixes the file: one with another ETag, time or size makes all
// reads fail with EIO until the file is opened anew, rather than mix two files. A request that
// fails is EIO, too; the next read tries again. A server without ranges is read as a whole, once.
import { EACCES, EFBIG, EINVAL, EIO, ENOENT, ENXIO, EROFS } from './errno.mjs';
import { S_IFDIR, S_IFREG } from './constants.mjs';
import { after } from './later.mjs';
import { Inode, TreeFileSystem } from './tree.mjs';

const BLOCK = 65536, BLOCKS_KEPT = 1024, RUN_MOST = 256, WHOLE_MOST = 1 << 28;

/** An answer that says why a file cannot be read. */
class Refused extends Error {
  constructor(number) {
    super(`errno ${number}`);
    this.number = number;
  }
}

function refusal(status) {
  if (status === 404 || status === 410)
    return new Refused(-ENOENT);
  return new Refused(status === 401 || status === 403 ? -EACCES : -EIO);
}

// `bytes 0-99/1234`, or `bytes */0` of an answer 416.
function parseRange(header) {
  const found = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(header ?? '');
  return found && { first: Number(found[1] ?? 0), last: Number(found[2] ?? -1),
    size: Number(found[3]) };
}

class HttpContent {
  constructor(url, options) {
    this.url = url;
    this.fetch = options.fetch ?? ((...args) => globalThis.fetch(...args));
    this.headers = options.headers ?? {};
    this.blockSize = options.blockSize ?? BLOCK;
    this.blocksKept = options.blocksKept ?? BLOCKS_KEPT;
    this.wholeMost = options.wholeMost ?? WHOLE_MOST;
    this.allocated = 0;
    this.forget();
  }

  forget() {
    this.size = -1;
    /** @type {string | null} */
    this.tag = null;
    this.isChanged = false;
    /** @type {Uint8Array | null} */
    this.whole = null;
    /** @type {Map<number, Uint8Array>} in the order of use */
    this.blocks = new Map();
    /** @type {Map<number, Promise<Uint8Array>>} */
    this.coming = new Map();
    /** @type {Map<number, any>} */
    this.wanted = new Map();
    /** @type {Promise<number> | null} */
    this.opening = null;
  }

  /** The size is known. @returns {any} 0 or an error */
  ready() {
    if (this.size >= 0)
      return 0;
    this.opening ??= this.open().then(() => 0, (error) => this.failed(error)).finally(() => {
      this.opening = null;
    });
    return this.opening;
  }

  failed(error) {
    return error instanceof Refused ? error.number : -EIO;
  }

  ask(first, last) {
    return this.fetch(this.url, { headers: { ...this.headers, Range: `bytes=${first}-${last}` } });
  }

  async open() {
    const answer = await this.ask(0, this.blockSize - 1);
    const range = parseRange(answer.headers.get('content-range'));
    this.tag = answer.headers.get('etag') ?? answer.headers.get('last-modified');
    if (answer.status === 416 && range?.size === 0) {
      await answer.body?.cancel();
      this.size = 0;
    } else if (answer.status === 206) {
      const size = range ? range.size : await this.askSize(); // hidden from another origin
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if ((range && range.first !== 0) || bytes.length !== Math.min(size, this.blockSize))
        throw new Refused(-EIO);
      this.size = size;
      this.keep(0, bytes);
    } else {
      await this.takeWhole(answer);
    }
  }

  async askSize() {
    const answer = await this.fetch(this.url, { method: 'HEAD', headers: this.headers });
    const length = answer.headers.get('content-length');
    if (!answer.ok || !/^\d+$/.test(length ?? ''))
      throw new Refused(-EIO);
    return Number(length);
  }

  async takeWhole(answer) {
    if (answer.status !== 200)
      throw refusal(answer.status);
    if (Number(answer.headers.get('content-length')) > this.wholeMost)
      throw new Refused(-EFBIG);
    const parts = [];
    let size = 0;
    for (const reader = answer.body?.getReader(); reader;) {
      const { done, value } = await reader.read();
      if (done)
        break;
      size += value.length;
      parts.push(value);
      if (size > this.wholeMost) {
        await reader.cancel();
        throw new Refused(-EFBIG);
      }
    }
    const whole = new Uint8Array(size);
    parts.reduce((at, part) => {
      whole.set(part, at);
      return at + part.length;
    }, 0);
    if (this.size >= 0 && size !== this.size)
      this.change();
    this.size = this.allocated = size;
    this.whole = whole;
  }

  change() {
    this.isChanged = true;
    this.blocks.clear();
    this.whole = null;
    throw new Refused(-EIO);
  }

  keep(number, bytes) {
    this.blocks.delete(number);
    this.blocks.set(number, bytes);
    if (this.blocks.size > this.blocksKept)
      this.blocks.delete(/** @type {number} */ (this.blocks.keys().next().value));
    this.allocated = this.blocks.size * this.blockSize;
  }

  // A block, or a promise of it.
  block(number) {
    const there = this.blocks.get(number);
    if (there) {
      this.keep(number, there);
      return there;
    }
    let coming = this.coming.get(number);
    if (!coming) {
      coming = new Promise((resolve, reject) => {
        if (this.wanted.size === 0)
          queueMicrotask(() => this.fetchWanted());
        this.wanted.set(number, { resolve, reject });
      });
      coming.catch(() => {});
      this.coming.set(number, coming);
    }
    return coming;
  }

  fetchWanted() {
    const numbers = [...this.wanted.keys()].sort((a, b) => a - b), { wanted } = this;
    this.wanted = new Map();
    for (let from = 0, to; from < numbers.length; from = to) {
      to = from + 1;
      while (numbers[to] === numbers[to - 1] + 1 && to - from < RUN_MOST)
        to++;
      this.fetchRun(numbers[from], to - from, wanted);
    }
  }

  async fetchRun(first, count, wanted) {
    const all = Array.from({ length: count }, (_, i) => first + i);
    try {
      const bytes = await this.fetchBytes(first * this.blockSize,
        Math.min((first + count) * this.blockSize, this.size));
      for (const number of all) {
        const from = (number - first) * this.blockSize;
        const block = bytes.slice(from, from + this.blockSize);
        this.keep(number, block);
        this.coming.delete(number);
        wanted.get(number).resolve(block);
      }
    } catch (error) {
      for (const number of all) {
        this.coming.delete(number);
        wanted.get(number).reject(error);
      }
    }
  }

  async fetchBytes(first, end) {
    const answer = await this.ask(first, end - 1);
    if (answer.status !== 200 && answer.status !== 206) {
      await answer.body?.cancel();
      if (answer.status === 416)
        this.change();
      throw new Refused(-EIO);
    }
    const range = parseRange(answer.headers.get('content-range'));
    const tag = answer.headers.get('etag') ?? answer.headers.get('last-modified');
    if (tag !== this.tag || (range && range.size !== this.size)) {
      await answer.body?.cancel();
      this.change();
    }
    if (answer.status === 200) {
      await this.takeWhole(answer);
      return /** @type {any} */ (this.whole).subarray(first, end);
    }
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if ((range && (range.first !== first || range.last !== end - 1)) ||
        bytes.length !== end - first)
      throw new Refused(-EIO);
    return bytes;
  }

  read(bytes, at) {
    if (this.isChanged)
      return -EIO;
    const count = Math.max(0, Math.min(bytes.length, this.size - at));
    if (this.whole) {
      bytes.set(this.whole.subarray(at, at + count));
      return count;
    }
    const first = Math.floor(at / this.blockSize), blocks = [];
    for (let number = first; number * this.blockSize < at + count; number++)
      blocks.push(this.block(number));
    const put = (all) => {
      all.forEach((block, i) => {
        const from = (first + i) * this.blockSize - at, skip = Math.max(0, -from);
        bytes.set(block.subarray(skip, count - from), from + skip);
      });
      return count;
    };
    return blocks.every((one) => one instanceof Uint8Array) ? put(blocks) :
      Promise.all(blocks).then(put).catch((error) => this.failed(error));
  }

  seekData(at, wantsData) {
    return at >= this.size ? -ENXIO : wantsData ? at : this.size;
  }

  write() {
    return -EROFS;
  }

  truncate() {
    return -EROFS;
  }

  sync() {
    return 0;
  }

  free() {}
}

class HttpInode extends Inode {
  get size() {
    return this.content ? Math.max(this.content.size, 0) : super.size;
  }

  ready() {
    if (!this.content)
      return 0;
    if (this.content.isChanged && this.users === 0)
      this.content.forget();
    return this.content.ready();
  }

  stat() {
    return after(this.ready(), (result) => result < 0 ? result : super.stat());
  }
}

/**
 * Files of servers. It is read-only.
 */
export class HttpFileSystem extends TreeFileSystem {
  /**
   * @param {Record<string, string>} files the address of each path: `{ 'data/a.db': '/a.db' }`
   * @param {{ fetch?: typeof globalThis.fetch, headers?: Record<string, string>,
   *     blockSize?: number, blocksKept?: number, wholeMost?: number }} [options] `wholeMost`
   *     bounds a file of a server without ranges (else EFBIG)
   */
  constructor(files, options = {}) {
    super({ isReadOnly: true });
    for (const [path, url] of Object.entries(files))
      this.addFile(path, url, options);
  }

  get takesTime() {
    return true;
  }

  addFile(path, url, options) {
    const parts = path.split('/').filter((part) => part !== '');
    const name = parts.pop();
    if (name === undefined || [name, ...parts].some((part) => part === '.' || part === '..'))
      throw new RangeError(`no path of a file: ${path}`);
    let folder = this.root;
    for (const part of parts) {
      const there = folder.lookup(part);
      folder = typeof there === 'number' ? folder.make(part, S_IFDIR | 0o555) : there;
    }
    const inode = new HttpInode(this, S_IFREG | 0o444);
    inode.content = new HttpContent(url, options);
    const result = folder.isFolder ? folder.link(name, Object.assign(inode, { isUnnamed: true })) :
      -EINVAL;
    if (result < 0)
      throw new RangeError(`the path is there twice: ${path}`);
  }
}
