// opfs.mjs - the private file system of a browser (OPFS), in a worker: by sync access handles.
//
// The tree is in memory, as tree.mjs has it. Each change of it is a line of a journal, with a
// checksum, that is written before the call returns. The bytes of a file are in a file that is
// named by its inode's number. So modes, links and any name work, and a rename is one record. A
// line that was cut by the end of the page is no line: the change was not acknowledged. fsync()
// flushes the file and the journal. A journal that has grown is replaced by a new one, in another
// file; the one with the higher generation that has its end counts.
//
// The journal's handles are exclusive: a second tab gets EBUSY. What a call cannot return, as the
// times of a file that is written, is noted when the file is closed.
import { EBUSY, EIO, ENOSPC, ENXIO } from './errno.mjs';
import { FileError } from './files.mjs';
import { after } from './later.mjs';
import { Inode, TreeFileSystem } from './tree.mjs';

const JOURNALS = ['journal-0', 'journal-1'], GROWTH = 1 << 20;

/** @returns {number} the error of an exception of the browser */
export function errorOf(error) {
  switch (error?.name) {
  case 'QuotaExceededError':
    return -ENOSPC;
  case 'NoModificationAllowedError':
    return -EBUSY;
  default:
    return -EIO;
  }
}

function checksum(text) {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++)
    sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return (sum >>> 0).toString(36);
}

const lineOf = (record) => {
  const text = JSON.stringify(record);
  return `${checksum(text)} ${text}\n`;
};

// The records of a journal, up to the first line that is not whole.
function parse(text) {
  const records = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const at = line.indexOf(' '), record = line.slice(at + 1);
    if (at < 0 || checksum(record) !== line.slice(0, at))
      break;
    records.push(JSON.parse(record));
  }
  return records;
}

class OpfsContent {
  constructor(fs, inode) {
    this.fs = fs;
    this.inode = inode;
    this.size = 0;
    this.isDirty = false;
    /** @type {any} */
    this.handle = null;
    /** @type {Promise<number> | null} */
    this.opening = null;
  }

  get allocated() {
    return this.size;
  }

  /** @returns {any} 0 or an error: the handle is open */
  ready() {
    if (this.handle)
      return 0;
    this.opening ??= this.open().then(() => 0, errorOf).finally(() => {
      this.opening = null;
    });
    return this.opening;
  }

  async open() {
    const file = await this.fs.folder.getFileHandle(String(this.inode.ino), { create: true });
    this.handle = await file.createSyncAccessHandle();
    this.size = this.handle.getSize();
  }

  // Calls use(), with the handle open. An exception becomes an error.
  with(use) {
    return after(this.ready(), (result) => {
      if (result < 0)
        return result;
      try {
        return use(this.handle);
      } catch (error) {
        return errorOf(error);
      }
    });
  }

  read(bytes, at) {
    return this.with((handle) => handle.read(bytes, { at }));
  }

  write(bytes, at) {
    return this.with((handle) => {
      const marked = this.mark();
      if (marked < 0)
        return marked;
      const count = handle.write(bytes, { at });
      this.size = Math.max(this.size, at + count);
      return count || (bytes.length ? -ENOSPC : 0);
    });
  }

  truncate(size) {
    return this.with((handle) => {
      const marked = this.mark();
      if (marked < 0)
        return marked;
      handle.truncate(size);
      this.size = size;
      return 0;
    });
  }

  // The journal says that the size it has is old.
  mark() {
    if (this.isDirty)
      return 0;
    this.isDirty = true;
    return this.fs.append([this.inode]);
  }

  sync() {
    return this.with((handle) => {
      handle.flush();
      return this.fs.flush();
    });
  }

  seekData(at, wantsData) {
    return at >= this.size ? -ENXIO : wantsData ? at : this.size;
  }

  idle() {
    this.close();
    if (!this.isDirty)
      return 0;
    this.isDirty = false;
    return this.fs.append([this.inode]);
  }

  close() {
    this.handle?.close();
    this.handle = null;
  }

  // Without a name and without users. What is not removed now is when it is mounted next.
  free() {
    this.close();
    this.fs.folder.removeEntry(String(this.inode.ino)).catch(() => {});
  }
}

export class OpfsFileSystem extends TreeFileSystem {
  get takesTime() {
    return true;
  }

  /**
   * Opens the file system in a folder of OPFS, or makes one there. Throws a FileError: EBUSY if
   * another tab has it.
   * @param {any} folder a FileSystemDirectoryHandle
   * @returns {Promise<OpfsFileSystem>}
   */
  static async open(folder) {
    const fs = new OpfsFileSystem();
    fs.folder = folder;
    try {
      for (const name of JOURNALS) {
        const file = await folder.getFileHandle(name, { create: true });
        fs.journals.push(await file.createSyncAccessHandle());
      }
      await fs.load();
    } catch (error) {
      fs.journals.forEach((journal) => journal.close());
      throw error instanceof FileError ? error : new FileError(errorOf(error), 'opfs');
    }
    return fs;
  }

  constructor() {
    super();
    /** @type {any[]} */
    this.journals = [];
    /** @type {any} */
    this.folder = null;
    this.active = 0;
    this.generation = 0;
    this.end = 0;
    this.limit = GROWTH;
    /** @type {any[]} */
    this.edits = [];
    this.isLoading = false;
    /** a line could not be written */
    this.isStale = false;
  }

  newContent(inode) {
    return new OpfsContent(this, inode);
  }

  edited(folder, name, inode) {
    if (!this.isLoading)
      this.edits.push([folder.ino, name, inode?.ino ?? 0]);
  }

  // A failure is fsync()'s to report, if the journal cannot be written anew until then.
  changed(inodes) {
    if (!this.isLoading)
      this.append(inodes);
  }

  describe(inode) {
    const { ino, mode, uid, gid, rdev, target, content } = inode;
    const times = [inode.atime, inode.mtime, inode.ctime].map(String);
    return { ino, mode, uid, gid, rdev, target, size: content?.size ?? 0,
      dirty: content?.isDirty ?? false, times };
  }

  // One line: the operation is in the journal as a whole or not at all.
  append(inodes) {
    const edits = this.edits;
    this.edits = [];
    if (this.isStale)
      return this.renew();
    const result = this.put(lineOf({ inodes: inodes.map((one) => this.describe(one)), edits }));
    this.isStale = result < 0;
    if (result === 0 && this.end >= this.limit)
      this.compact();
    return result;
  }

  // A line is missing: the journal has to be written anew.
  renew() {
    this.isStale = !this.compact();
    return this.isStale ? -ENOSPC : 0;
  }

  put(line) {
    const bytes = new TextEncoder().encode(line), journal = this.journals[this.active];
    try {
      if (journal.write(bytes, { at: this.end }) < bytes.length) {
        journal.truncate(this.end);
        return -ENOSPC;
      }
      this.end += bytes.length;
      return 0;
    } catch (error) {
      return errorOf(error);
    }
  }

  flush() {
    try {
      if (this.isStale)
        return this.renew();
      this.journals[this.active].flush();
      return 0;
    } catch (error) {
      return errorOf(error);
    }
  }

  sync() {
    return this.flush();
  }

  // All of the tree into the other journal, which counts as soon as its end is there. Returns
  // whether that could be written.
  compact() {
    const old = { active: this.active, end: this.end };
    this.active = 1 - this.active;
    this.end = 0;
    try {
      const journal = this.journals[this.active];
      journal.truncate(0);
      const lines = [lineOf({ generation: this.generation + 1 })];
      for (const inode of this.reachable()) {
        const edits = [...inode.entries?.byName ?? []].map(([name, entry]) =>
          [inode.ino, name, entry.inode.ino]);
        lines.push(lineOf({ inodes: [this.describe(inode)], edits }));
      }
      lines.push(lineOf({ complete: true }));
      const result = this.put(lines.join(''));
      if (result < 0)
        throw new FileError(result, 'opfs');
      journal.flush();
      this.generation++;
      this.limit = 2 * this.end + GROWTH;
      this.journals[old.active].truncate(0);
      return true;
    } catch {
      Object.assign(this, old);
      this.limit = 2 * this.end; // later again
      return false;
    }
  }

  reachable() {
    const all = new Set([this.root]);
    for (const inode of all) {
      for (const entry of inode.entries?.byName.values() ?? [])
        all.add(entry.inode);
    }
    return all;
  }

  async load() {
    const texts = this.journals.map((journal) => {
      const bytes = new Uint8Array(journal.getSize());
      journal.read(bytes, { at: 0 });
      return parse(new TextDecoder().decode(bytes));
    });
    const whole = texts.map((records) => records.some((one) => one.complete) ?
      records[0].generation : 0);
    this.active = whole[1] > whole[0] ? 1 : 0;
    this.generation = whole[this.active];
    if (this.generation > 0)
      await this.build(texts[this.active]);
    // Each mount begins with a new journal: without the line that was cut, and those replaced.
    if (!this.compact())
      throw new FileError(-ENOSPC, 'opfs');
  }

  async build(records) {
    const described = new Map(), entries = new Map();
    for (const { inodes = [], edits = [] } of records) {
      inodes.forEach((one) => described.set(one.ino, one));
      for (const [folder, name, ino] of edits) {
        const names = entries.get(folder) ?? new Map();
        entries.set(folder, names);
        names.delete(name);
        if (ino)
          names.set(name, ino);
      }
    }
    this.isLoading = true;
    const made = new Map([[this.root.ino, this.root]]);
    for (const [ino, inode] of made) {
      this.restore(inode, described.get(ino));
      for (const [name, child] of entries.get(ino) ?? []) {
        if (!made.has(child))
          made.set(child, this.remake(described.get(child)));
        inode.attach(name, made.get(child));
      }
    }
    for (const [ino, inode] of made)
      this.restore(inode, described.get(ino));
    this.isLoading = false;
    this.inodes = made.size;
    for (const ino of described.keys())
      this.lastInode = Math.max(this.lastInode, ino);
    await this.measure(made, described);
    await this.removeOthers(made);
  }

  remake({ ino, mode }) {
    const inode = new Inode(this, mode);
    inode.ino = ino;
    return inode;
  }

  restore(inode, described) {
    if (!described)
      return;
    const { mode, uid, gid, rdev, target, size, times } = described;
    const [atime, mtime, ctime] = times.map(BigInt);
    Object.assign(inode, { mode, uid, gid, rdev, target, atime, mtime, ctime });
    if (inode.content)
      inode.content.size = size;
  }

  // Files that were open for writing have the size that they have.
  async measure(made, described) {
    for (const [ino, inode] of made) {
      if (inode.content && described.get(ino)?.dirty) {
        const file = await this.folder.getFileHandle(String(ino), { create: true });
        inode.content.size = (await file.getFile()).size;
      }
    }
  }

  // A number that is used again must not find the bytes of a file that has ended.
  async removeOthers(made) {
    const others = [];
    for await (const name of this.folder.keys()) {
      if (/^\d+$/.test(name) && !made.has(Number(name)))
        others.push(name);
    }
    for (const name of others)
      await this.folder.removeEntry(name).catch(() => {});
  }

  /** Ends the use: all handles are closed, and another tab can open it. */
  close() {
    this.flush();
    for (const inode of this.reachable())
      inode.content?.close();
    this.journals.forEach((journal) => journal.close());
  }
}

