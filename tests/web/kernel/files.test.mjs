// files.test.mjs - files in memory: random sequences beside node:fs on this system, and by hand
// what that cannot ask.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import * as C from '../../../web/kernel/constants.mjs';
import * as E from '../../../web/kernel/errno.mjs';
import { bytesOf, textOf } from '../../../web/kernel/names.mjs';
import { Kernel } from '../../../web/kernel/process.mjs';
import { TreeFileSystem } from '../../../web/kernel/tree.mjs';
import { bytes, hex, Random, text } from './common.mjs';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'kernel-'));
after(() => fs.rmSync(scratch, { recursive: true, force: true }));
const AT = C.AT_FDCWD;

/** What a call of node:fs returns, or its negative error. */
function answer(call) {
  try {
    return call() ?? 0;
  } catch (error) {
    if (typeof error.errno !== 'number')
      throw error;
    return error.errno;
  }
}

const brief = (stat) => typeof stat === 'number' ? stat : {
  mode: stat.mode, nlink: stat.nlink, size: (stat.mode & C.S_IFMT) === C.S_IFDIR ? 0 : stat.size,
};

/** The calls that are compared, on a folder of this system. Paths are relative to it. */
class There {
  fds = [];

  constructor(folder) {
    this.at = (name) => name === '' ? '' : `${folder}/${name}`;
  }

  open(name, flags, mode) {
    return answer(() => {
      this.fds.push(fs.openSync(this.at(name), flags, mode));
      return this.fds.length - 1;
    });
  }

  close(i) {
    return answer(() => fs.closeSync(this.take(i)));
  }

  take(i) {
    const fd = this.fds[i] ?? 9999;
    this.fds[i] = undefined;
    return fd;
  }

  write(i, content, position) {
    return answer(() => fs.writeSync(this.fds[i] ?? 9999, content, 0, content.length, position));
  }

  read(i, length, position) {
    const buffer = new Uint8Array(length);
    return answer(() => {
      const count = fs.readSync(this.fds[i] ?? 9999, buffer, 0, length, position);
      return hex(buffer.subarray(0, count));
    });
  }

  ftruncate(i, size) {
    return answer(() => fs.ftruncateSync(this.fds[i] ?? 9999, size));
  }

  fstat(i) {
    return brief(answer(() => fs.fstatSync(this.fds[i] ?? 9999)));
  }

  stat(name) {
    return brief(answer(() => fs.statSync(this.at(name))));
  }

  lstat(name) {
    return brief(answer(() => fs.lstatSync(this.at(name))));
  }

  mkdir(name, mode) {
    return answer(() => fs.mkdirSync(this.at(name), mode));
  }

  rmdir(name) {
    return answer(() => fs.rmdirSync(this.at(name)));
  }

  unlink(name) {
    return answer(() => fs.unlinkSync(this.at(name)));
  }

  rename(name, other) {
    return answer(() => fs.renameSync(this.at(name), this.at(other)));
  }

  link(name, other) {
    return answer(() => fs.linkSync(this.at(name), this.at(other)));
  }

  symlink(target, name) {
    return answer(() => fs.symlinkSync(target, this.at(name)));
  }

  readlink(name) {
    return answer(() => fs.readlinkSync(this.at(name)));
  }

  truncate(name, size) {
    return answer(() => {
      const fd = fs.openSync(this.at(name), C.O_WRONLY);
      try {
        return fs.ftruncateSync(fd, size);
      } finally {
        fs.closeSync(fd);
      }
    });
  }

  chmod(name, mode) {
    return answer(() => fs.chmodSync(this.at(name), mode));
  }

  access(name, mode) {
    return answer(() => fs.accessSync(this.at(name), mode));
  }

  list(name) {
    return answer(() => fs.readdirSync(this.at(name)).sort());
  }
}

class Here {
  fds = [];

  constructor() {
    this.process = new Kernel().start();
    this.process.umask(process.umask());
    this.process.files.makeFolders(DEEP);
    this.process.chdir(DEEP);
  }

  open(name, flags, mode) {
    const fd = this.process.open(name, flags, mode);
    return fd < 0 ? fd : this.fds.push(fd) - 1;
  }

  close(i) {
    const fd = this.fds[i] ?? 9999;
    this.fds[i] = undefined;
    return this.process.table.close(fd);
  }

  write(i, content, position) {
    const { table } = this.process, fd = this.fds[i] ?? 9999;
    return position === null ? table.write(fd, content) : table.pwrite(fd, content, position);
  }

  read(i, length, position) {
    const { table } = this.process, fd = this.fds[i] ?? 9999, buffer = new Uint8Array(length);
    const count = position === null ? table.read(fd, buffer) : table.pread(fd, buffer, position);
    return count < 0 ? count : hex(buffer.subarray(0, count));
  }

  ftruncate(i, size) {
    return this.process.table.ftruncate(this.fds[i] ?? 9999, size);
  }

  fstat(i) {
    return brief(this.process.table.fstat(this.fds[i] ?? 9999));
  }

  stat(name) {
    return brief(this.process.stat(name));
  }

  lstat(name) {
    return brief(this.process.lstat(name));
  }

  mkdir(name, mode) {
    return this.process.mkdirat(AT, name, mode);
  }

  rmdir(name) {
    return this.process.unlinkat(AT, name, C.AT_REMOVEDIR);
  }

  unlink(name) {
    return this.process.unlinkat(AT, name);
  }

  rename(name, other) {
    return this.process.renameat2(AT, name, AT, other);
  }

  link(name, other) {
    return this.process.linkat(AT, name, AT, other);
  }

  symlink(target, name) {
    return this.process.symlinkat(target, AT, name);
  }

  readlink(name) {
    return this.process.readlinkat(AT, name);
  }

  truncate(name, size) {
    const fd = this.process.open(name, C.O_WRONLY);
    if (fd < 0)
      return fd;
    const result = this.process.table.ftruncate(fd, size);
    this.process.table.close(fd);
    return result;
  }

  chmod(name, mode) {
    return this.process.fchmodat(AT, name, mode);
  }

  access(name, mode) {
    return this.process.faccessat(AT, name, mode);
  }

  list(name) {
    const fd = this.process.open(name, C.O_RDONLY | C.O_DIRECTORY);
    if (fd < 0)
      return fd;
    const entries = this.process.getdents(fd);
    this.process.table.close(fd);
    return typeof entries === 'number' ? entries :
      entries.map((one) => one.name).filter((name) => name !== '.' && name !== '..').sort();
  }
}

// Links lead above the folder, but not as far as what is not the same.
const DEEP = '1/2/3/4/5/6/7/8';
const NAMES = ['a', 'b', 'ü', 'd', 'l', 'x'.repeat(255), 'y'.repeat(256)];

function randomPath(random) {
  const parts = Array.from({ length: random.pick([1, 1, 2, 3]) }, () =>
    random.below(12) ? random.pick(NAMES.slice(0, 5)) : random.pick(['.', '..', ...NAMES]));
  // Nothing above the folder is visited.
  const name = parts.join('/');
  const isInside = parts.every((part, i) => part !== '..' || i > 0) &&
    parts.filter((part) => part === '..').length < 2;
  return (isInside ? name : 'a') + (random.below(8) ? '' : '/');
}

function randomCall(random) {
  const name = () => randomPath(random), fd = () => random.below(12);
  const { O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY, O_NOFOLLOW } = C;
  const flags = () => random.below(3) | [O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY,
    O_NOFOLLOW].reduce((sum, flag) => sum | (random.below(4) ? 0 : flag), 0);
  return random.pick([
    () => ['open', name(), flags() & ~O_EXCL, 0o640],
    () => ['open', name(), flags() | O_CREAT, 0o777],
    () => ['open', name(), O_CREAT | 2, 0o666], () => ['close', fd()],
    () => ['write', fd(), new Uint8Array(1 + random.below(200)).fill(random.below(256)), null],
    () => ['write', fd(), new Uint8Array(1 + random.below(99)).fill(7), random.below(100000)],
    () => ['read', fd(), 1 + random.below(300), null],
    () => ['read', fd(), 1 + random.below(300), random.below(70000)],
    () => ['ftruncate', fd(), random.below(300)], () => ['fstat', fd()],
    () => ['stat', name()], () => ['lstat', name()], () => ['mkdir', name(), 0o755],
    () => ['mkdir', name(), 0o1777], () => ['rmdir', name()], () => ['unlink', name()],
    () => ['rename', name(), name()], () => ['link', name(), name()],
    () => ['rename', name(), name()], () => ['link', name(), name()],
    () => ['symlink', random.pick(['a', 'b/', '../d', '.', 'l', 'none', 'l/x']), name()],
    () => ['readlink', name()], () => ['truncate', name(), random.below(100)],
    () => ['chmod', name(), random.below(0o10000)], () => ['access', name(), random.below(8)],
    () => ['list', name()],
  ])();
}

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0;

test('random sequences answer as Linux does', { skip: !isRootOnLinux && 'not root' }, () => {
  const counts = {};
  for (let seed = 0; seed < 150; seed++) {
    const folder = path.join(scratch, `s${seed}`, DEEP), random = new Random(seed), done = [];
    fs.mkdirSync(folder, { recursive: true });
    const there = new There(folder), here = new Here();
    for (let i = 0; i < 400; i++) {
      const [name, ...args] = randomCall(random);
      done.push(JSON.stringify([name, ...args.map((one) => one?.length > 50 ? 'long' : one)]));
      const expected = there[name](...args);
      assert.deepEqual(here[name](...args), expected,
        `seed ${seed}, call ${i}\n${done.slice(-14).join('\n')}`);
      counts[name] = (counts[name] ?? 0) + (typeof expected === 'number' && expected < 0 ? 0 : 1);
    }
    there.fds.forEach((fd) => fd === undefined || fs.closeSync(fd));
  }
  for (const [name, count] of Object.entries(counts))
    assert.ok(count > 20, `${name} never works`);
});

function started(options) {
  const kernel = new Kernel(), process = kernel.start(options);
  return { kernel, files: kernel.files, process, table: process.table };
}

test('a file that is open lives on without a name', () => {
  const { process, table, files } = started();
  files.write('/f', 'abc');
  const fd = process.open('/f', C.O_RDWR);
  process.unlinkat(AT, '/f');
  assert.equal(table.fstat(fd).nlink, 0);
  const buffer = new Uint8Array(3);
  assert.equal(table.read(fd, buffer), 3);
  assert.equal(text(buffer), 'abc');
  assert.equal(process.linkat(fd, '', AT, '/g', C.AT_EMPTY_PATH), -E.ENOENT);
  const used = files.root.mount.fs.bytes;
  assert.equal(table.close(fd), 0);
  assert.ok(files.root.mount.fs.bytes < used);
  assert.equal(files.root.mount.fs.inodes, 3); // with /dev and /proc
});

test('O_TMPFILE gets a name later, or never', () => {
  const { process, table, files } = started();
  assert.equal(process.open('/', C.O_TMPFILE), -E.EINVAL);
  const fd = process.open('/', C.O_TMPFILE | C.O_RDWR, 0o600);
  table.write(fd, bytes('x'));
  assert.deepEqual(files.list('/'), ['dev', 'proc']);
  assert.equal(process.linkat(fd, '', AT, '/t', C.AT_EMPTY_PATH), 0);
  assert.equal(text(files.read('/t')), 'x');
  process.unlinkat(AT, '/t');
  assert.equal(process.linkat(fd, '', AT, '/t', C.AT_EMPTY_PATH), -E.ENOENT);
  const other = process.open('/', C.O_TMPFILE | C.O_RDWR | C.O_EXCL);
  assert.equal(process.linkat(other, '', AT, '/u', C.AT_EMPTY_PATH), -E.ENOENT);
});

test('cookies stay as entries come and go', () => {
  const { process, table } = started();
  process.mkdirat(AT, '/d');
  for (let i = 0; i < 1000; i++)
    table.close(process.creat(`/d/${i}`, 0o600));
  const fd = process.open('/d', C.O_RDONLY), seen = new Map();
  let cookie = 0;
  for (let round = 0; ; round++) {
    const part = process.getdents(fd, 7);
    if (part.length === 0)
      break;
    part.forEach((one) => seen.set(one.name, (seen.get(one.name) ?? 0) + 1));
    cookie = round === 50 ? part[3].cookie : cookie;
    process.unlinkat(AT, `/d/${round * 34 % 1000}`); // before or behind the position
    if (round < 100)
      table.close(process.creat(`/d/new${round}`, 0o600));
    assert.ok(round < 1000);
  }
  for (let i = 1; i < 1000; i += 2)
    assert.equal(seen.get(String(i)), 1);
  assert.ok([...seen.values()].every((count) => count === 1));
  assert.equal(table.lseek(fd, cookie, C.SEEK_SET), cookie);
  assert.ok(process.getdents(fd, 1)[0].cookie > cookie);
  table.lseek(fd, 0, C.SEEK_SET);
  assert.deepEqual(process.getdents(fd, 2).map((one) => one.name), ['.', '..']);
});

test('mounts: what is below, above, between and read-only', () => {
  const { process, files, table } = started();
  const disk = new TreeFileSystem(), fixed = new TreeFileSystem();
  files.write('/data/hidden', 'h');
  files.mount('/data', disk);
  files.mount('/data/fixed', fixed);
  files.write('/data/fixed/f', 'f');
  files.unmount('/data/fixed');
  files.mount('/data/fixed', fixed, { isReadOnly: true });
  assert.deepEqual(files.list('/data'), ['fixed']);
  assert.equal(process.chdir('/data/fixed/'), 0);
  assert.equal(process.getcwd(), '/data/fixed');
  assert.equal(process.stat('../..').ino, process.stat('/').ino);
  assert.equal(process.open('f', C.O_RDWR), -E.EROFS);
  assert.equal(process.open('g', C.O_WRONLY | C.O_CREAT), -E.EROFS);
  assert.equal(process.unlinkat(AT, 'f'), -E.EROFS);
  assert.equal(process.faccessat(AT, 'f', C.W_OK), -E.EROFS);
  assert.equal(process.utimensat(AT, 'f', null), -E.EROFS);
  assert.equal(process.truncate('f', 0), -E.EROFS);
  assert.ok(process.open('f', C.O_RDONLY) >= 0);
  files.write('/f', '1');
  assert.equal(process.renameat2(AT, '/f', AT, '/data/f'), -E.EXDEV);
  assert.equal(process.linkat(AT, '/f', AT, '/data/f'), -E.EXDEV);
  assert.equal(process.renameat2(AT, '/data', AT, '/other'), -E.EBUSY);
  assert.equal(process.unlinkat(AT, '/data', C.AT_REMOVEDIR), -E.EBUSY);
  assert.throws(() => files.remove('/data'), { code: 'EBUSY' });
  files.unmount('/data/fixed');
  files.unmount('/data');
  assert.equal(text(files.read('/data/hidden')), 'h');
  assert.throws(() => files.unmount('/data'), { code: 'EINVAL' });
  table.closeAll();
});

test('bounds: a full disk, a large file, too many inodes', () => {
  const { process, files, table } = started();
  files.mount('/s', new TreeFileSystem({ bytes: 190000, inodes: 3, fileMost: 150000 }));
  const fd = process.open('/s/f', C.O_RDWR | C.O_CREAT);
  assert.equal(table.write(fd, new Uint8Array(300000)), 150000 - 150000 % 65536);
  assert.equal(table.pwrite(fd, new Uint8Array(9), 150000), -E.EFBIG);
  assert.equal(table.ftruncate(fd, 150001), -E.EFBIG);
  assert.equal(table.pwrite(fd, new Uint8Array(9), 140000), -E.ENOSPC);
  assert.equal(process.stat('/s/f').size, 131072);
  assert.equal(table.ftruncate(fd, 0), 0);
  assert.equal(table.pwrite(fd, new Uint8Array(9), 140000), 9);
  assert.equal(process.mkdirat(AT, '/s/d'), 0);
  assert.equal(process.mkdirat(AT, '/s/e'), -E.ENOSPC);
  assert.equal(process.statfs('/s').ffree, 0);
});

test('sparse files: holes are zeros and take no memory', () => {
  const { process, table } = started(), far = 2 ** 42;
  const fd = process.open('/f', C.O_RDWR | C.O_CREAT), buffer = new Uint8Array(4).fill(9);
  assert.equal(table.pwrite(fd, bytes('end'), far), 3);
  assert.equal(table.pread(fd, buffer, far - 1), 4);
  assert.deepEqual([...buffer], [0, ...bytes('end')]);
  assert.ok(table.fstat(fd).blocks <= 128);
  assert.equal(table.lseek(fd, 0, C.SEEK_DATA), far);
  assert.equal(table.lseek(fd, far, C.SEEK_HOLE), far + 3);
  assert.equal(table.lseek(fd, 5, C.SEEK_HOLE), 5);
  assert.equal(table.lseek(fd, far + 3, C.SEEK_DATA), -E.ENXIO);
  assert.equal(table.ftruncate(fd, 10), 0);
  assert.equal(table.ftruncate(fd, far + 3), 0);
  assert.equal(table.pread(fd, buffer, far - 1), 4);
  assert.deepEqual([...buffer], [0, 0, 0, 0]);
});

test('links: as many as Linux follows, and no more', () => {
  const { process, files } = started();
  files.write('/f', 'x');
  process.symlinkat('/f', AT, '/l0');
  for (let i = 1; i < 45; i++)
    process.symlinkat(`l${i - 1}`, AT, `/l${i}`);
  assert.equal(process.stat('/l39').size, 1);
  assert.equal(process.stat('/l40'), -E.ELOOP);
  assert.equal(process.open('/l40', C.O_RDWR | C.O_CREAT), -E.ELOOP);
  assert.equal(process.symlinkat('', AT, '/e'), -E.ENOENT);
  assert.equal(process.symlinkat('x'.repeat(4096), AT, '/e'), -E.ENAMETOOLONG);
  assert.equal(process.stat('/' + 'a/'.repeat(3000)), -E.ENAMETOOLONG);
  assert.equal(process.open('/l3', C.O_RDONLY | C.O_NOFOLLOW), -E.ELOOP);
  const fd = process.open('/l3', C.O_PATH | C.O_NOFOLLOW);
  assert.equal(process.table.fstat(fd).mode & C.S_IFMT, C.S_IFLNK);
  assert.equal(process.table.read(fd, new Uint8Array(1)), -E.EBADF);
});

test('exchange and no replacement', () => {
  const { process, files } = started();
  files.write('/a/f', '1');
  files.write('/b', '2');
  assert.equal(process.renameat2(AT, '/b', AT, '/a', C.RENAME_NOREPLACE), -E.EEXIST);
  assert.equal(process.renameat2(AT, '/b', AT, '/c', C.RENAME_EXCHANGE), -E.ENOENT);
  assert.equal(process.renameat2(AT, '/b', AT, '/a/f', C.RENAME_EXCHANGE), 0);
  assert.equal(text(files.read('/b')), '1');
  assert.equal(process.renameat2(AT, '/a', AT, '/b', C.RENAME_EXCHANGE), 0);
  assert.equal(text(files.read('/b/f')), '2');
  assert.equal(process.renameat2(AT, '/b', AT, '/b/f', C.RENAME_EXCHANGE), -E.EINVAL);
  assert.equal(process.renameat2(AT, '/b', AT, '/a', 3), -E.EINVAL);
});

test('times: given, now, omitted', () => {
  const { process } = started(), fd = process.creat('/f', 0o600);
  const time = { seconds: -5, nanoseconds: 999999999 };
  assert.equal(process.utimensat(AT, '/f', time, { seconds: 2 ** 33, nanoseconds: 1 }), 0);
  assert.equal(process.stat('/f').atime, -4000000001n);
  assert.equal(process.stat('/f').mtime, 2n ** 33n * 1000000000n + 1n);
  const omit = { seconds: 0, nanoseconds: C.UTIME_OMIT };
  assert.equal(process.utimensat(fd, null, omit, { seconds: 0, nanoseconds: C.UTIME_NOW }), 0);
  assert.equal(process.stat('/f').atime, -4000000001n);
  assert.ok(Math.abs(Number(process.stat('/f').mtime) / 1e6 - Date.now()) < 60000);
  assert.equal(process.utimensat(AT, '/f', { seconds: 0, nanoseconds: 1e9 }), -E.EINVAL);
  assert.equal(process.utimensat(AT, '/g', omit, omit), -E.ENOENT);
});

test('folders of their own, relative calls, and a folder that was removed', () => {
  const { kernel, files, process } = started();
  files.write('/d/e/f', 'x');
  const other = kernel.start({ parent: process });
  assert.equal(process.chdir('/d'), 0);
  assert.equal(other.getcwd(), '/');
  const fd = process.open('e', C.O_RDONLY | C.O_DIRECTORY);
  assert.equal(process.fstatat(fd, 'f').size, 1);
  assert.equal(process.fstatat(fd, '', C.AT_EMPTY_PATH).ino, process.stat('/d/e').ino);
  assert.equal(process.fstatat(fd, ''), -E.ENOENT);
  assert.equal(process.openat(99, 'f', 0), -E.EBADF);
  assert.equal(process.openat(process.openat(fd, 'f', 0), 'f', 0), -E.ENOTDIR);
  assert.equal(process.fchdir(fd), 0);
  assert.equal(process.getcwd(), '/d/e');
  files.remove('/d');
  assert.equal(process.getcwd(), -E.ENOENT);
  assert.equal(process.creat('g', 0o600), -E.ENOENT);
  assert.equal(process.getdents(fd), -E.ENOENT);
});

test('names are any bytes', () => {
  for (const name of [[0xff], [0x61, 0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98, 0x80],
    [0xef, 0xbb, 0xbf, 0x61], [0xf5, 0x80], [0xc0, 0x80], [0xe2, 0x82],
    [0xf0, 0x9f, 0x98, 0x80, 0xff], []])
    assert.deepEqual([...bytesOf(textOf(new Uint8Array(name)))], name);
  const random = new Random(9);
  for (let i = 0; i < 5000; i++) {
    const name = Array.from({ length: random.below(9) }, () => random.pick([random.below(256), 0x80,
      0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98]));
    assert.deepEqual([...bytesOf(textOf(new Uint8Array(name)))], name);
  }
});

test('large: files, folders and depth cost no more than their size', () => {
  const { process, table, files } = started(), part = new Uint8Array(10);
  const fd = process.creat('/f', 0o600), start = globalThis.process.cpuUsage().user;
  for (let i = 0; i < 500000; i++)
    table.write(fd, part);
  assert.equal(process.stat('/f').size, 5000000);
  for (let i = 0; i < 30000; i++)
    table.close(process.creat(`/n${i}`, 0o600));
  const list = process.open('/', C.O_RDONLY);
  let count = 0;
  for (let got; (got = process.getdents(list, 10)).length;)
    count += got.length;
  assert.equal(count, 30005); // with `.`, `..`, `f`, `dev`, `proc`
  for (let i = 0; i < 3000; i++) {
    process.mkdirat(AT, 'd');
    process.chdir('d');
  }
  assert.equal(process.getcwd().length, 6000);
  files.remove('/d');
  assert.ok(globalThis.process.cpuUsage().user - start < 60e6);
});
