// descriptors.test.mjs - tables of descriptors: numbers, sharing, flags, refusals; beside Linux.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as C from '../../../web/kernel/constants.mjs';
import { Description, DescriptorTable } from '../../../web/kernel/descriptors.mjs';
import {
  EBADF, EINVAL, EMFILE, ENOTSOCK, ENOTTY, ESPIPE,
} from '../../../web/kernel/errno.mjs';
import { FreeNumbers } from '../../../web/kernel/numbers.mjs';
import { makePipe } from '../../../web/kernel/pipe.mjs';
import { hex, noPython, python, Random, settled } from './common.mjs';
import { ours } from './ours.mjs';

class Silent extends Description {
  released = 0;

  release() {
    this.released++;
    return -5;
  }
}

/** A file of bytes with a position, for the calls that need one. */
class Seekable extends Description {
  content = new Uint8Array(100).map((_, i) => i);
  position = 0;

  get isSeekable() {
    return true;
  }

  read(bytes) {
    const count = this.readAt(bytes, this.position);
    this.position += count;
    return count;
  }

  readAt(bytes, position) {
    const part = this.content.subarray(position, position + bytes.length);
    bytes.set(part);
    return part.length;
  }
}

test('the lowest free number, as a search through all finds it', () => {
  const random = new Random(1), free = new FreeNumbers(), used = new Set();
  const lowest = (least) => {
    while (used.has(least))
      least++;
    return least;
  };
  for (let i = 0; i < 8000; i++) {
    const least = random.pick([0, 0, 0, random.below(3000), random.below(40)]);
    const number = free.lowest(least);
    assert.equal(number, lowest(least));
    if (random.below(3)) {
      free.take(number);
      used.add(number);
    } else if (used.size) {
      const given = random.pick([random.below(3000), random.below(60)]);
      if (used.delete(given))
        free.give(given);
    }
  }
  assert.ok(used.size > 1000);
});

test('a hundred thousand descriptors cost no more than their number', () => {
  const table = new DescriptorTable({ limit: 200000 }), one = new Silent(C.O_RDWR);
  const start = process.cpuUsage().user;
  for (let i = 0; i < 100000; i++)
    assert.equal(table.add(one), i);
  for (let i = 0; i < 100000; i++) {
    const fd = i * 7919 % 100000;
    table.close(fd);
    assert.equal(table.dup((fd + 1) % 100000), fd);
  }
  assert.equal(table.fcntl(0, C.F_DUPFD, 150000), 150000);
  assert.equal(table.fcntl(0, C.F_DUPFD, 500), 100000);
  assert.ok(process.cpuUsage().user - start < 20e6); // quadratic: minutes
});

test('refusals of a bad descriptor and of bad arguments', () => {
  const table = new DescriptorTable({ limit: 4 });
  const b = new Uint8Array(1);
  for (const fd of [-1, 0, 3, 4, 1e9, NaN, 1.5, -2147483648]) {
    for (const call of ['close', 'dup', 'fstat', 'fsync', 'fdatasync'])
      assert.equal(table[call](fd), -EBADF, call);
    assert.equal(table.read(fd, b), -EBADF);
    assert.equal(table.write(fd, b), -EBADF);
    assert.equal(table.pread(fd, b, 0), -EBADF);
    assert.equal(table.pread(fd, b, -1), -EINVAL);
    assert.equal(table.lseek(fd, 0, 0), -EBADF);
    assert.equal(table.ftruncate(fd, 0), -EBADF);
    assert.equal(table.ioctl(fd, 1), -EBADF);
    assert.equal(table.fcntl(fd, C.F_GETFD), -EBADF);
    assert.equal(table.shutdown(fd, 0), -EBADF);
  }
  const [reader] = makePipe();
  assert.equal(table.add(reader), 0);
  assert.equal(table.pread(0, b, 0), -ESPIPE);
  assert.equal(table.pwrite(0, b, 0), -ESPIPE);
  assert.equal(table.lseek(0, 0, 0), -ESPIPE);
  assert.equal(table.ftruncate(0, 0), -EINVAL);
  assert.equal(table.fsync(0), -EINVAL);
  assert.equal(table.write(0, b), -EBADF);
  assert.equal(table.ioctl(0, C.TCGETS, {}), -ENOTTY);
  assert.equal(table.shutdown(0, 0), -ENOTSOCK);
  assert.equal(table.fcntl(0, 12345), -EINVAL);
  assert.equal(table.dup2(0, 4), -EBADF);
  assert.equal(table.dup2(0, -1), -EBADF);
  assert.equal(table.dup2(0, 0), 0);
  assert.equal(table.dup3(0, 0, 0), -EINVAL);
  assert.equal(table.dup3(0, 1, 1), -EINVAL);
  assert.equal(table.fcntl(0, C.F_DUPFD, 4), -EINVAL);
  assert.equal(table.fcntl(0, C.F_DUPFD, -1), -EINVAL);
  assert.equal(table.readv(0, Array(1025).fill(b)), -EINVAL);
});

test('with no number left, the description is released', () => {
  const table = new DescriptorTable({ limit: 2 });
  const kept = new Silent(C.O_RDWR), refused = new Silent(C.O_RDWR);
  table.add(kept);
  assert.equal(table.dup(0), 1);
  assert.equal(table.dup(0), -EMFILE);
  assert.equal(kept.references, 2);
  assert.equal(table.add(refused), -EMFILE);
  assert.equal(refused.released, 1);
});

test('a description ends with its last descriptor, whose close says what it says', () => {
  const table = new DescriptorTable(), other = new DescriptorTable(), one = new Silent(C.O_RDWR);
  table.add(one, { cloexec: true });
  table.dup(0);
  table.copyTo(other);
  assert.equal(other.fcntl(0, C.F_GETFD), C.FD_CLOEXEC);
  assert.equal(other.fcntl(1, C.F_GETFD), 0);
  assert.equal(other.closeOnExec(), 0);
  assert.deepEqual(other.list(), [1]);
  table.closeAll();
  assert.equal(one.released, 0);
  assert.equal(other.close(1), -5);
  assert.equal(one.released, 1);
  assert.equal(other.close(1), -EBADF);
});

test('flags of the description are shared, those of the descriptor are not', () => {
  const table = new DescriptorTable();
  table.add(new Silent(C.O_RDWR | C.O_APPEND));
  table.dup(0);
  assert.equal(table.fcntl(0, C.F_SETFL, C.O_NONBLOCK | C.O_WRONLY | C.O_CREAT), 0);
  assert.equal(table.fcntl(1, C.F_GETFL), C.O_RDWR | C.O_NONBLOCK);
  assert.equal(table.ioctl(1, C.FIONBIO, 0), 0);
  assert.equal(table.fcntl(0, C.F_GETFL), C.O_RDWR);
  assert.equal(table.fcntl(0, C.F_SETFD, 3), 0);
  assert.equal(table.fcntl(0, C.F_GETFD), 1);
  assert.equal(table.fcntl(1, C.F_GETFD), 0);
  assert.equal(table.ioctl(1, C.FIOCLEX), 0);
  assert.equal(table.fcntl(1, C.F_GETFD), 1);
  assert.equal(table.fcntl(table.fcntl(0, C.F_DUPFD_CLOEXEC, 9), C.F_GETFD), 1);
});

test('parts: read and written in turn, until one is short', async () => {
  const table = new DescriptorTable(), parts = [7, 0, 60, 50].map((n) => new Uint8Array(n));
  table.add(new Seekable(C.O_RDONLY));
  assert.equal(table.preadv(0, parts, 90), 10);
  assert.equal(hex(parts[0]), '5a5b5c5d5e5f60');
  assert.equal(parts[2][2], 99);
  assert.equal(table.readv(0, parts), 100);
  assert.deepEqual([parts[2][59], parts[3][32], parts[3][33]], [66, 99, 0]);
  assert.equal(table.readv(0, parts), 0);
  assert.equal(table.readv(0, []), 0);
  const [reader, writer] = makePipe();
  table.add(reader);
  table.add(writer);
  const sent = [[1, 2], [], [3]].map((part) => new Uint8Array(part));
  assert.equal(table.writev(2, sent), 3);
  assert.equal(table.readv(1, parts.slice(1)), 3);
  assert.equal(hex(parts[2].subarray(0, 4)), '01020345'.slice(0, 6) + hex(parts[2].subarray(3, 4)));
});

test('watch calls once, in the order of waiters, and not after cancelling', async () => {
  const table = new DescriptorTable(), [reader, writer] = makePipe(), said = [];
  table.add(reader);
  table.add(writer);
  const buffer = new Uint8Array(1);
  for (let i = 0; i < 4; i++)
    table.watch(0, C.POLLIN, () => said.push([i, table.read(0, buffer)]));
  const cancel = table.watch(0, C.POLLIN, () => said.push('cancelled'));
  cancel();
  cancel();
  await settled();
  assert.deepEqual(said, []);
  table.write(1, new Uint8Array(2));
  assert.deepEqual(said, []); // never inside of the other's call
  await settled();
  assert.deepEqual(said, [[0, 1], [1, 1]]); // the others have nothing to read
  table.close(1);
  await settled();
  assert.deepEqual(said.slice(2), [[2, 0], [3, 0]]);
  table.watch(77, C.POLLIN, () => said.push('invalid'));
  table.watch(0, C.POLLIN, () => said.push('closed'));
  table.close(0);
  await settled();
  assert.deepEqual(said.slice(4), ['invalid', 'closed']);
});

test('a callback that throws does not stop the others', async () => {
  const table = new DescriptorTable(), [reader, writer] = makePipe(), said = [];
  table.add(reader);
  table.add(writer);
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.once('uncaughtException', (error) => said.push(error.message));
  table.watch(0, C.POLLIN, () => { throw new Error('mine'); });
  table.watch(0, C.POLLIN, () => said.push('next'));
  table.write(1, new Uint8Array(1));
  await settled();
  await settled();
  listeners.forEach((listener) => process.on('uncaughtException', listener));
  assert.deepEqual(said.sort(), ['mine', 'next']);
});

test('poll and watchAny over several descriptors', async () => {
  const table = new DescriptorTable(), [reader, writer] = makePipe();
  table.add(reader);
  table.add(writer);
  const list = [{ fd: 0, events: C.POLLIN }, { fd: -1, events: 1 }, { fd: 9, events: 1 },
    { fd: 1, events: C.POLLOUT }, { fd: 1, events: 0 }];
  assert.equal(table.poll(list), 2);
  assert.deepEqual(list.map((one) => one.revents), [0, 0, C.POLLNVAL, C.POLLOUT, 0]);
  let calls = 0;
  table.watchAny([{ fd: 0, events: C.POLLIN }, { fd: 1, events: C.POLLERR }, { fd: -5 }],
    () => calls++);
  table.write(1, new Uint8Array(1));
  table.close(0);
  await settled();
  assert.equal(calls, 1);
  assert.equal(writer.pipe.writeWaiters.size, 0);
  table.watchAny([{ fd: 1, events: C.POLLOUT }], () => calls++)();
  await settled();
  assert.equal(calls, 1);
});

test('ten thousand readers of one pipe: each byte wakes one', async () => {
  const table = new DescriptorTable(), [reader, writer] = makePipe(), buffer = new Uint8Array(1);
  table.add(reader);
  table.add(writer);
  let calls = 0, empty = 0;
  for (let i = 0; i < 10000; i++) {
    table.watch(0, C.POLLIN, () => {
      calls++;
      empty += table.read(0, buffer) < 0 ? 1 : 0;
    });
  }
  for (let i = 0; i < 10000; i++) {
    table.write(1, buffer);
    await null;
    await null;
  }
  await settled();
  assert.deepEqual([calls, empty], [10000, 0]);
});

function descriptorCalls(seed) {
  const random = new Random(seed), calls = [];
  const fd = () => random.pick([3 + random.below(12), 3 + random.below(40), -1]);
  for (let i = 0; i < 400; i++) {
    calls.push(random.pick([
      () => ['pipe'], () => ['socketpair'], () => ['dup', fd()],
      () => ['dup2', fd(), 3 + random.below(30)],
      () => ['dup3', fd(), 3 + random.below(30), random.pick([0, C.O_CLOEXEC, 1])],
      () => ['fcntl', fd(), C.F_DUPFD, 3 + random.below(20)],
      () => ['fcntl', fd(), C.F_DUPFD_CLOEXEC, 3 + random.below(50)],
      () => ['fcntl', fd(), C.F_GETFD], () => ['fcntl', fd(), C.F_SETFD, random.below(2)],
      () => ['fcntl', 3 + random.below(9), C.F_GETFL],
      () => ['read', 3 + random.below(12), random.below(50)],
      () => ['write', 3 + random.below(12), random.below(50), random.below(256)],
      () => ['poll', 3 + random.below(12), random.below(8)],
      () => ['lseek', 3 + random.below(12), 0, random.below(3)],
      () => ['ftruncate', 3 + random.below(12), 10],
      () => ['fsync', 3 + random.below(12)],
      () => ['shutdown', 3 + random.below(12), random.below(4)],
      () => ['close', 3 + random.below(20)],
    ])());
  }
  return calls;
}

test('random calls answer as those of Linux', { skip: noPython }, () => {
  const seeds = Array.from({ length: 25 }, (_, i) => i);
  const lists = seeds.map(descriptorCalls);
  for (const seed of seeds) {
    const theirs = python('linux.py', lists[seed]), here = ours(lists[seed]);
    here.forEach((result, i) => {
      const call = lists[seed][i];
      const before = lists[seed].slice(Math.max(0, i - 20), i);
      assert.deepEqual(result, theirs[i],
        `seed ${seed}, call ${i}: ${JSON.stringify(call)} after ${JSON.stringify(before)}`);
    });
  }
});
