// fake_opfs.mjs - the browser's private file system, in memory: exclusive handles, a quota, and
// failures when a test wants them.

const failure = (name) => Object.assign(new Error(name), { name });

class Handle {
  constructor(file, disk) {
    Object.assign(this, { file, disk, isOpen: true });
    file.isLocked = true;
  }

  check() {
    if (!this.isOpen || this.disk.areHandlesClosed)
      throw failure('InvalidStateError');
  }

  getSize() {
    this.check();
    return this.file.bytes.length;
  }

  read(bytes, { at }) {
    this.check();
    const part = this.file.bytes.subarray(at, at + bytes.length);
    bytes.set(part);
    return part.length;
  }

  resize(size) {
    if (size > this.file.bytes.length && this.disk.size + size - this.file.bytes.length >
        this.disk.quota)
      throw failure('QuotaExceededError');
    const bytes = new Uint8Array(size);
    bytes.set(this.file.bytes.subarray(0, size));
    this.file.bytes = bytes;
  }

  write(bytes, { at }) {
    this.check();
    this.disk.onchange();
    if (at + bytes.length > this.file.bytes.length)
      this.resize(at + bytes.length);
    this.file.bytes.set(bytes, at);
    return bytes.length;
  }

  truncate(size) {
    this.check();
    this.disk.onchange();
    this.resize(size);
  }

  flush() {
    this.check();
    this.disk.flushes++;
  }

  close() {
    this.isOpen = false;
    this.file.isLocked = false;
  }
}

/** A FileSystemDirectoryHandle without folders in it. */
export class FakeDisk {
  quota = Infinity;
  flushes = 0;
  areHandlesClosed = false;
  onchange = () => {}; // before each change
  files = new Map();

  get size() {
    return [...this.files.values()].reduce((sum, file) => sum + file.bytes.length, 0);
  }

  async getFileHandle(name, { create = false } = {}) {
    if (!this.files.has(name) && !create)
      throw failure('NotFoundError');
    const file = this.files.get(name) ?? { bytes: new Uint8Array(0), isLocked: false };
    this.files.set(name, file);
    return {
      createSyncAccessHandle: async () => {
        if (file.isLocked)
          throw failure('NoModificationAllowedError');
        return new Handle(file, this);
      },
      getFile: async () => ({ size: file.bytes.length }),
    };
  }

  async * keys() {
    yield* [...this.files.keys()];
  }

  async removeEntry(name) {
    if (!this.files.delete(name))
      throw failure('NotFoundError');
  }

  /** What another page finds after this one was killed. */
  copy() {
    const disk = new FakeDisk();
    for (const [name, { bytes }] of this.files)
      disk.files.set(name, { bytes: bytes.slice(), isLocked: false });
    return disk;
  }
}
