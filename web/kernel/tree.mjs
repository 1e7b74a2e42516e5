// tree.mjs - a file system in memory: inodes, folders, links.
//
// Other file systems have the same interface. A file system has `root`, an inode of a folder,
// `isReadOnly`, `statfs()` and `sync()`. An inode has:
//
//   fs, ino, mode             the type in `mode` never changes
//   parent, name              of a folder: where it is, at once; parent is null when it is removed
//   stat(), change(values)    change: mode, uid, gid, atime, mtime (nanoseconds, bigint)
//   lookup(name)              an inode; of a folder, as all down to list()
//   make(name, mode, target)  an inode: file, folder, symbolic link with its target, device, FIFO
//   link(name, inode), unlink(name), rmdir(name)
//   rename(name, folder, other, exchange)  replaces what is there
//   list(cookie, most)        entries {cookie, name, inode} after a cookie (0: all)
//   readlink()                text, of a symbolic link
//   open(flags, caller)       optional: a Description of its own, for devices
//   use(), unuse()            a description begins and ends to use it
//   size, read(bytes, at), write(bytes, at), truncate(size), sync(), seekData(at, wantsData)
//
// Each operation returns its result or a negative error, or a promise of that. write() at -1
// appends. The caller (files.mjs) has checked names, types of folders, and read-only mounts.
import {
  EEXIST, EFBIG, EINVAL, EMLINK, ENOENT, ENOSPC, ENOTDIR, ENOTEMPTY, ENXIO, EISDIR,
} from './errno.mjs';
import { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG, S_ISGID } from './constants.mjs';
import { bytesOf } from './names.mjs';

const BLOCK = 65536, LINKS_MOST = 65000;
let lastDevice = 16;

/** @returns {bigint} nanoseconds since 1970 */
export const now = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));

/** The bytes of a file in blocks; those that were never written are zeros and take no memory. */
export class Content {
  /** @param {{ take(bytes: number): boolean }} quota */
  constructor(quota) {
    this.quota = quota;
    this.size = 0;
    this.allocated = 0;
    /** @type {Map<number, Uint8Array>} */
    this.blocks = new Map();
    /** @type {number[] | null} numbers of blocks in order, while none is added or removed */
    this.order = null;
  }

  read(bytes, at) {
    const count = Math.max(0, Math.min(bytes.length, this.size - at));
    for (let done = 0; done < count;) {
      const from = (at + done) % BLOCK, part = Math.min(count - done, BLOCK - from);
      const block = this.blocks.get(Math.floor((at + done) / BLOCK));
      const kept = block ? block.subarray(from, from + part) : new Uint8Array(0);
      bytes.set(kept, done);
      bytes.fill(0, done + kept.length, done + part);
      done += part;
    }
    return count;
  }

  // The block with room for `length` bytes; the first block of a file doubles.
  block(number, length) {
    const old = this.blocks.get(number);
    if (old && old.length >= length)
      return old;
    const doubled = Math.max(length, 2 * (old?.length ?? 0), 128);
    const size = number === 0 && length < BLOCK ? Math.min(BLOCK, doubled) : BLOCK;
    if (!this.quota.take(size - (old?.length ?? 0)))
      return null;
    const block = new Uint8Array(size);
    block.set(old ?? []);
    this.order = old ? this.order : null;
    this.allocated += size - (old?.length ?? 0);
    this.blocks.set(number, block);
    return block;
  }

  write(bytes, at) {
    let done = 0;
    while (done < bytes.length) {
      const from = (at + done) % BLOCK, part = Math.min(bytes.length - done, BLOCK - from);
      const block = this.block(Math.floor((at + done) / BLOCK), from + part);
      if (!block)
        break;
      block.set(bytes.subarray(done, done + part), from);
      done += part;
    }
    if (done)
      this.size = Math.max(this.size, at + done);
    return done || (bytes.length ? -ENOSPC : 0);
  }

  truncate(size) {
    if (size < this.size) {
      const last = Math.floor(size / BLOCK), block = this.blocks.get(last);
      block?.fill(0, size % BLOCK);
      for (const number of this.blocks.keys()) {
        if (number > last || (number === last && size % BLOCK === 0))
          this.drop(number);
      }
    }
    this.size = size;
    return 0;
  }

  drop(number) {
    const { length } = /** @type {Uint8Array} */ (this.blocks.get(number));
    this.blocks.delete(number);
    this.order = null;
    this.allocated -= length;
    this.quota.take(-length);
  }

  sync() {
    return 0;
  }

  seekData(at, wantsData) {
    if (at >= this.size)
      return -ENXIO;
    this.order ??= [...this.blocks.keys()].sort((a, b) => a - b);
    const first = Math.floor(at / BLOCK);
    let low = 0, high = this.order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.order[middle] < first)
        low = middle + 1;
      else
        high = middle;
    }
    if (wantsData)
      return low < this.order.length ? Math.max(at, this.order[low] * BLOCK) : -ENXIO;
    for (let block = first; this.order[low] === block; low++)
      block++, at = block * BLOCK;
    return Math.min(at, this.size);
  }

  free() {
    this.truncate(0);
  }
}

/** Entries in the order of their cookies, which stay as entries come and go. */
class Entries {
  constructor() {
    /** @type {Map<string, { cookie: number, name: string, inode: Inode | null }>} */
    this.byName = new Map();
    /** @type {{ cookie: number, name: string, inode: Inode | null }[]} */
    this.order = [];
    this.lastCookie = 2; // 1 and 2 are `.` and `..`
  }

  set(name, inode) {
    this.delete(name);
    const entry = { cookie: ++this.lastCookie, name, inode };
    this.byName.set(name, entry);
    this.order.push(entry);
  }

  delete(name) {
    const entry = this.byName.get(name);
    if (!entry)
      return;
    entry.inode = null;
    this.byName.delete(name);
    if (this.order.length > 2 * this.byName.size + 16)
      this.order = this.order.filter((one) => one.inode);
  }

  after(cookie, most) {
    let low = 0, high = this.order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.order[middle].cookie <= cookie)
        low = middle + 1;
      else
        high = middle;
    }
    const found = [];
    for (; low < this.order.length && found.length < most; low++) {
      if (this.order[low].inode)
        found.push(this.order[low]);
    }
    return found;
  }
}

export class Inode {
  /**
   * @param {TreeFileSystem} fs
   * @param {number} mode
   */
  constructor(fs, mode) {
    this.fs = fs;
    this.ino = ++fs.lastInode;
    this.mode = mode;
    this.nlink = 0;
    this.uid = 0;
    this.gid = 0;
    this.rdev = 0;
    this.users = 0;
    this.atime = this.mtime = this.ctime = now();
    this.target = '';
    this.name = '';
    /** @type {Inode | null} */
    this.parent = null;
    this.isUnnamed = false;
    this.isEnded = false;
    this.entries = this.isFolder ? new Entries() : null;
    this.content = (mode & S_IFMT) === S_IFREG ? fs.newContent(this) : null;
  }

  get isFolder() {
    return (this.mode & S_IFMT) === S_IFDIR;
  }

  get size() {
    if (this.entries)
      return 4096;
    return this.content ? this.content.size : bytesOf(this.target).length;
  }

  stat() {
    const { ino, mode, nlink, uid, gid, rdev, size, atime, mtime, ctime } = this;
    return {
      dev: this.fs.device, ino, mode, nlink, uid, gid, rdev, size, blksize: 4096,
      blocks: Math.ceil((this.content?.allocated ?? 0) / 512), atime, mtime, ctime,
    };
  }

  change(values) {
    const mode = values.mode ?? this.mode;
    Object.assign(this, values, { mode: (this.mode & S_IFMT) | (mode & 0o7777), ctime: now() });
    this.fs.changed([this]);
    return 0;
  }

  touch() {
    this.mtime = this.ctime = now();
  }

  lookup(name) {
    return this.entries?.byName.get(name)?.inode ?? -ENOENT;
  }

  make(name, mode, target = '', rdev = 0) {
    if (this.isGone)
      return -ENOENT;
    if (this.entries?.byName.has(name))
      return -EEXIST;
    if (!this.fs.takeInode())
      return -ENOSPC;
    const inode = new Inode(this.fs, mode);
    inode.target = target;
    inode.rdev = rdev;
    if (this.mode & S_ISGID) {
      inode.gid = this.gid;
      inode.mode |= inode.isFolder ? S_ISGID : 0;
    }
    this.attach(name, inode);
    this.touch();
    this.fs.changed([inode, this]);
    return inode;
  }

  // A folder that was removed takes no entries.
  get isGone() {
    return this.nlink === 0;
  }

  attach(name, inode) {
    this.entries.set(name, inode);
    this.fs.edited(this, name, inode);
    inode.nlink += inode.isFolder ? 2 : 1;
    if (inode.isFolder) {
      inode.parent = this;
      inode.name = name;
      this.nlink++;
    }
  }

  detach(name) {
    const inode = this.entries.byName.get(name).inode;
    this.entries.delete(name);
    this.fs.edited(this, name, null);
    inode.nlink -= inode.isFolder ? 2 : 1;
    if (inode.isFolder) {
      inode.parent = null;
      this.nlink--;
    }
    inode.ctime = now();
    return inode;
  }

  link(name, inode) {
    if (this.isGone || (inode.nlink === 0 && !inode.isUnnamed))
      return -ENOENT;
    if (this.entries.byName.has(name))
      return -EEXIST;
    if (inode.nlink >= LINKS_MOST)
      return -EMLINK;
    this.attach(name, inode);
    inode.isUnnamed = false;
    inode.ctime = now();
    this.touch();
    this.fs.changed([inode, this]);
    return 0;
  }

  unlink(name) {
    const inode = this.lookup(name);
    if (typeof inode === 'number')
      return inode;
    if (inode.isFolder)
      return -EISDIR;
    this.detach(name);
    this.touch();
    this.fs.changed([inode, this]);
    inode.endIfUnused();
    return 0;
  }

  rmdir(name) {
    const inode = this.lookup(name);
    if (typeof inode === 'number')
      return inode;
    if (!inode.isFolder)
      return -ENOTDIR;
    if (inode.entries.byName.size)
      return -ENOTEMPTY;
    this.detach(name);
    this.touch();
    this.fs.changed([inode, this]);
    inode.endIfUnused();
    return 0;
  }

  rename(name, folder, other, exchange) {
    const inode = this.lookup(name), there = folder.lookup(other);
    if (folder.isGone)
      return -ENOENT;
    if (exchange) {
      this.detach(name);
      folder.detach(other);
      this.attach(name, there);
      folder.attach(other, inode);
    } else {
      if (there.entries?.byName.size)
        return -ENOTEMPTY;
      if (typeof there !== 'number')
        folder.detach(other);
      this.detach(name);
      folder.attach(other, inode);
    }
    this.touch();
    folder.touch();
    this.fs.changed([inode, this, folder]);
    if (!exchange && typeof there !== 'number')
      there.endIfUnused();
    return 0;
  }

  list(cookie, most) {
    return this.entries.after(cookie, most);
  }

  readlink() {
    return (this.mode & S_IFMT) === S_IFLNK ? this.target : -EINVAL;
  }

  use() {
    this.users++;
    return 0;
  }

  unuse() {
    if (--this.users === 0 && this.nlink > 0)
      return this.content?.idle?.() ?? 0;
    return this.endIfUnused();
  }

  /** Before it is opened. */
  ready(flags) {
    return this.content?.ready?.() ?? 0;
  }

  endIfUnused() {
    if (this.nlink > 0 || this.users > 0 || this.isEnded)
      return 0;
    this.isEnded = true;
    this.content?.free();
    this.fs.inodes--;
    return 0;
  }

  read(bytes, at) {
    return this.content.read(bytes, at);
  }

  write(bytes, at) {
    const { fs, content } = this, from = at < 0 ? content.size : at;
    if (from >= fs.fileMost)
      return -EFBIG;
    const count = content.write(bytes.subarray(0, fs.fileMost - from), from);
    this.touch();
    return count;
  }

  truncate(size) {
    if (size > this.fs.fileMost)
      return -EFBIG;
    this.touch();
    return this.content.truncate(size);
  }

  sync(dataOnly) {
    return this.content ? this.content.sync(dataOnly) : 0;
  }

  seekData(at, wantsData) {
    return this.content.seekData(at, wantsData);
  }
}

export class TreeFileSystem {
  /** Whether an operation may return a promise. */
  get takesTime() {
    return false;
  }

  /**
   * @param {{ bytes?: number, inodes?: number, fileMost?: number, isReadOnly?: boolean }} [options]
   *     bounds: of memory for files (else ENOSPC), of inodes, and of a file's size (else EFBIG)
   */
  constructor(options = {}) {
    this.bytesMost = options.bytes ?? Infinity;
    this.inodesMost = options.inodes ?? Infinity;
    this.fileMost = options.fileMost ?? 2 ** 43;
    this.isReadOnly = options.isReadOnly ?? false;
    this.device = ++lastDevice;
    this.bytes = 0;
    this.inodes = 1;
    this.lastInode = 0;
    this.root = new Inode(this, S_IFDIR | 0o755);
    this.root.nlink = 2;
    this.root.parent = this.root;
  }

  /** @returns {any} where the bytes of a new file are; to be replaced by other file systems */
  newContent(inode) {
    return new Content(this);
  }

  /** A name in a folder means this inode now, or none; for file systems that keep it. */
  edited(folder, name, inode) {}

  /** One operation has changed these inodes, after its calls of edited(). */
  changed(inodes) {}

  take(bytes) {
    if (bytes > 0 && this.bytes + bytes > this.bytesMost)
      return false;
    this.bytes += bytes;
    return true;
  }

  takeInode() {
    if (this.inodes >= this.inodesMost)
      return false;
    this.inodes++;
    return true;
  }

  /** A file without a name, for O_TMPFILE. */
  unnamed(mode) {
    if (!this.takeInode())
      return -ENOSPC;
    const inode = new Inode(this, S_IFREG | (mode & 0o7777));
    inode.isUnnamed = true;
    return inode;
  }

  statfs() {
    const most = this.bytesMost === Infinity ? 2 ** 40 : this.bytesMost;
    const free = Math.floor((most - this.bytes) / 4096);
    const files = this.inodesMost === Infinity ? 2 ** 31 : this.inodesMost;
    return {
      type: 0x01021994, bsize: 4096, blocks: Math.floor(most / 4096), bfree: free, bavail: free,
      files, ffree: files - this.inodes, namelen: 255, flags: this.isReadOnly ? 1 : 0,
    };
  }

  sync() {
    return 0;
  }
}
