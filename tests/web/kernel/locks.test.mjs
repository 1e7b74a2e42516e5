// locks.test.mjs - locks between programs; devices, and descriptors as files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as C from '../../../web/kernel/constants.mjs';
import * as E from '../../../web/kernel/errno.mjs';
import { lockRange } from '../../../web/kernel/locks.mjs';
import { Kernel } from '../../../web/kernel/process.mjs';
import { Terminal } from '../../../web/kernel/terminal.mjs';
import { bytes, Random, settled, text } from './common.mjs';

function two() {
  const kernel = new Kernel(), one = kernel.start(), other = kernel.start();
  kernel.files.write('/f', 'x'.repeat(100));
  return { kernel, one, other, a: one.open('/f', C.O_RDWR), b: other.open('/f', C.O_RDWR) };
}

const range = (type, start, length) => ({ type, whence: C.SEEK_SET, start, length });

test('flock: shared, exclusive, changed, and given up by the last close', async () => {
  const { one, other, a, b } = two();
  assert.equal(one.flock(a, C.LOCK_SH), 0);
  assert.equal(other.flock(b, C.LOCK_SH | C.LOCK_NB), 0);
  assert.equal(one.flock(a, C.LOCK_EX), -E.EAGAIN);
  assert.equal(other.flock(b, C.LOCK_EX), 0); // the first has lost its own
  assert.equal(one.flock(a, C.LOCK_SH), -E.EAGAIN);
  assert.equal(one.flock(a, 0), -E.EINVAL);
  let woken = 0;
  one.watchLock(a, () => woken++);
  const cancel = one.watchLock(a, () => woken += 100);
  cancel();
  const copy = other.table.dup(b);
  other.table.close(b);
  await settled();
  assert.equal(woken, 0);
  other.table.close(copy);
  await settled();
  assert.equal(woken, 1);
  assert.equal(one.flock(a, C.LOCK_EX), 0);
});

test('ranges: split, joined, asked for; any close of the program gives them up', async () => {
  const { one, other, a, b } = two();
  assert.equal(one.fcntl(a, C.F_SETLK, range(C.F_WRLCK, 10, 20)), 0);
  assert.equal(one.fcntl(a, C.F_SETLK, range(C.F_UNLCK, 15, 5)), 0);
  assert.equal(other.fcntl(b, C.F_SETLK, range(C.F_WRLCK, 15, 5)), 0);
  assert.equal(other.fcntl(b, C.F_SETLKW, range(C.F_RDLCK, 20, 1)), -E.EAGAIN);
  const asked = range(C.F_RDLCK, 0, 0);
  assert.equal(other.fcntl(b, C.F_GETLK, asked), 0);
  assert.deepEqual(asked, { type: C.F_WRLCK, whence: 0, start: 10, length: 5, pid: one.pid });
  const free = range(C.F_WRLCK, 50, -5);
  assert.equal(other.fcntl(b, C.F_GETLK, free), 0);
  assert.equal(free.type, C.F_UNLCK);
  let woken = 0;
  other.watchLock(b, () => woken++);
  one.table.close(one.open('/f', C.O_RDONLY));
  await settled();
  assert.equal(woken, 1);
  assert.equal(other.fcntl(b, C.F_SETLK, range(C.F_WRLCK, 0, 0)), 0);
  assert.equal(one.fcntl(a, C.F_SETLK, { type: C.F_RDLCK, whence: C.SEEK_END, start: 5 }),
    -E.EAGAIN);
  assert.equal(one.fcntl(a, C.F_SETLK, range(C.F_RDLCK, -1, 1)), -E.EINVAL);
  assert.equal(one.fcntl(a, C.F_SETLK, range(9, 0, 1)), -E.EINVAL);
  assert.equal(one.fcntl(one.open('/f', C.O_RDONLY), C.F_SETLK, range(C.F_WRLCK, 0, 1)), -E.EBADF);
  assert.equal(one.fcntl(99, C.F_SETLK, range(C.F_WRLCK, 0, 1)), -E.EBADF);
});

test('random ranges, as an owner for each byte has them', () => {
  const random = new Random(5), inode = {}, owners = [{}, {}, {}], size = 60;
  const held = owners.map(() => new Array(size).fill(C.F_UNLCK));
  let refused = 0;
  for (let i = 0; i < 20000; i++) {
    const owner = random.below(3), type = random.pick([C.F_RDLCK, C.F_WRLCK, C.F_UNLCK, C.F_UNLCK]);
    const start = random.below(size), end = start + 1 + random.below(size - start);
    const conflicts = type !== C.F_UNLCK && held.some((bytes, other) => other !== owner &&
      bytes.slice(start, end).some((one) => one === C.F_WRLCK ||
        (one === C.F_RDLCK && type === C.F_WRLCK)));
    assert.equal(lockRange(inode, owners[owner], { start, end, type }), conflicts ? -E.EAGAIN : 0);
    if (!conflicts)
      held[owner].fill(type, start, end);
    refused += conflicts ? 1 : 0;
  }
  assert.ok(refused > 1000 && refused < 19000);
});

test('devices', () => {
  const program = new Kernel().start(), { table } = program, buffer = new Uint8Array(200000);
  const open = (name) => program.open(`/dev/${name}`, C.O_RDWR | C.O_TRUNC);
  assert.equal(table.read(open('null'), buffer), 0);
  assert.equal(table.write(open('null'), buffer), 200000);
  assert.equal(table.read(open('random'), buffer), 200000);
  assert.ok(new Set(buffer.subarray(190000)).size === 256);
  assert.equal(table.read(open('zero'), buffer), 200000);
  assert.ok(buffer.every((byte) => byte === 0));
  assert.equal(table.write(open('full'), buffer), -E.ENOSPC);
  assert.equal(open('tty'), -E.ENXIO);
  assert.equal(open('none'), -E.ENOENT);
  assert.equal(program.stat('/dev/null').mode, C.S_IFCHR | 0o666);
  program.terminal = new Terminal();
  const fd = open('tty');
  program.terminal.input('hi\n');
  assert.equal(text(buffer.subarray(0, table.read(fd, buffer))), 'hi\n');
});

test('descriptors have names', () => {
  const kernel = new Kernel(), program = kernel.start(), { table } = program;
  const [reader, writer] = program.pipe();
  assert.deepEqual([reader, writer], [0, 1]);
  assert.equal(program.open('/dev/stdin', C.O_RDONLY), 2);
  const out = program.open('/dev/stdout', C.O_WRONLY);
  assert.equal(table.write(out, bytes('through')), 7);
  const buffer = new Uint8Array(9);
  assert.equal(table.read(2, buffer), 7);
  assert.match(program.readlinkat(C.AT_FDCWD, '/proc/self/fd/0'), /^pipe:\[\d+\]$/);
  const file = program.open('/', C.O_TMPFILE | C.O_RDWR);
  table.write(file, bytes('abc'));
  assert.equal(table.pread(program.open(`/dev/fd/${file}`, C.O_RDONLY), buffer, 0), 3);
  assert.equal(program.linkat(C.AT_FDCWD, `/proc/self/fd/${file}`, C.AT_FDCWD, '/named',
    C.AT_SYMLINK_FOLLOW), 0);
  assert.equal(text(kernel.files.read('/named')), 'abc');
  const list = program.getdents(program.open('/proc/self/fd', C.O_RDONLY)).map((one) => one.name);
  assert.deepEqual(list.slice(0, 5), ['.', '..', '0', '1', '2']);
  assert.equal(program.open('/proc/self/fd/77', C.O_RDONLY), -E.ENOENT);
  assert.equal(program.open('/proc/9/fd/0', C.O_RDONLY), -E.ENOENT);
  assert.equal(program.creat('/proc/x', 0o600), -E.EROFS);
});

test('ranges side by side are one', () => {
  const { one, other, a, b } = two(), asked = range(C.F_WRLCK, 0, 0);
  for (const start of [5, 0, 10])
    assert.equal(one.fcntl(a, C.F_SETLK, range(C.F_WRLCK, start, 5)), 0);
  assert.equal(other.fcntl(b, C.F_GETLK, asked), 0);
  assert.deepEqual([asked.start, asked.length], [0, 15]);
});
