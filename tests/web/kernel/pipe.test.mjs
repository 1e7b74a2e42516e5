// pipe.test.mjs - pipes and socket pairs: bytes, bounds, ends; beside those of Linux.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as C from '../../../web/kernel/constants.mjs';
import { DescriptorTable } from '../../../web/kernel/descriptors.mjs';
import { EAGAIN, EBUSY, ECONNRESET, EINVAL, EPERM, EPIPE } from '../../../web/kernel/errno.mjs';
import { makePipe, makeSocketPair } from '../../../web/kernel/pipe.mjs';
import { noPython, python, Random, settled } from './common.mjs';
import { ours } from './ours.mjs';

function opened(ends, options) {
  const table = new DescriptorTable(options);
  ends.forEach((end) => table.add(end));
  return table;
}

test('64 KiB, short writes whole, long ones in part', () => {
  const table = opened(makePipe());
  assert.equal(table.read(0, new Uint8Array(1)), -EAGAIN);
  assert.equal(table.write(1, new Uint8Array(65000)), 65000);
  assert.equal(table.write(1, new Uint8Array(600)), -EAGAIN);
  assert.equal(table.write(1, new Uint8Array(5000)), 536);
  assert.equal(table.write(1, new Uint8Array(5000)), -EAGAIN);
  assert.equal(table.events(1), 0);
  assert.equal(table.read(0, new Uint8Array(4095)), 4095);
  assert.equal(table.events(1), 0);
  assert.equal(table.write(1, new Uint8Array(4096)), -EAGAIN);
  assert.equal(table.read(0, new Uint8Array(1)), 1);
  assert.equal(table.events(1), C.POLLOUT | C.POLLWRNORM);
  assert.equal(table.write(1, new Uint8Array(4096)), 4096);
});

test('what comes out is what went in, for any sizes', () => {
  const random = new Random(3), table = opened(makePipe());
  let put = 0, taken = 0;
  for (let i = 0; i < 20000; i++) {
    const part = new Uint8Array(random.below(random.pick([3, 300, 9000])));
    if (random.below(2)) {
      const count = table.write(1, part.map((_, j) => (put + j) % 251));
      put += Math.max(count, 0);
    } else {
      const count = table.read(0, part);
      for (let j = 0; j < count; j++)
        assert.equal(part[j], (taken + j) % 251);
      taken += Math.max(count, 0);
    }
    const size = {};
    assert.equal(table.ioctl(0, C.FIONREAD, size), 0);
    assert.equal(size.value, put - taken);
  }
  assert.ok(taken > 1e6);
});

test('the end, and a write that nothing reads', async () => {
  const signals = [];
  const table = opened(makePipe(), { onsignal: (signal) => signals.push(signal) });
  table.write(1, new Uint8Array(3));
  table.dup(1);
  table.close(1);
  assert.equal(table.events(0), C.POLLIN | C.POLLRDNORM);
  table.close(2);
  assert.equal(table.events(0), C.POLLIN | C.POLLRDNORM | C.POLLHUP);
  assert.equal(table.read(0, new Uint8Array(9)), 3);
  assert.equal(table.read(0, new Uint8Array(9)), 0);
  const other = opened(makePipe(), { onsignal: (signal) => signals.push(signal) });
  let woken = 0;
  other.write(1, new Uint8Array(65536));
  other.watch(1, C.POLLOUT, () => woken++);
  other.close(0);
  await settled();
  assert.equal(woken, 1);
  assert.equal(other.write(1, new Uint8Array(0)), 0);
  assert.deepEqual(signals, []);
  assert.equal(other.write(1, new Uint8Array(1)), -EPIPE);
  assert.equal(other.writev(1, [new Uint8Array(1), new Uint8Array(1)]), -EPIPE);
  assert.deepEqual(signals, [C.SIGPIPE, C.SIGPIPE]);
});

test('writev of up to 4096 bytes stays together', () => {
  const table = opened(makePipe());
  table.write(1, new Uint8Array(65536 - 4));
  assert.equal(table.writev(1, [new Uint8Array(3), new Uint8Array(3)]), -EAGAIN);
  assert.equal(table.writev(1, [new Uint8Array(2), new Uint8Array(2)]), 4);
});

test('the size is changed without loss', () => {
  const table = opened(makePipe());
  assert.equal(table.fcntl(1, C.F_GETPIPE_SZ), 65536);
  table.write(1, new Uint8Array([1, 2, 3]));
  assert.equal(table.fcntl(1, C.F_SETPIPE_SZ, 5000), 8192);
  table.write(1, new Uint8Array(8000));
  assert.equal(table.fcntl(0, C.F_SETPIPE_SZ, 1), -EBUSY);
  assert.equal(table.fcntl(0, C.F_SETPIPE_SZ, -1), -EINVAL);
  assert.equal(table.fcntl(0, C.F_SETPIPE_SZ, 1 << 30), -EPERM);
  const first = new Uint8Array(3);
  assert.equal(table.read(0, first), 3);
  assert.deepEqual([...first], [1, 2, 3]);
});

test('sockets: both ways, shutdown, reset', async () => {
  const signals = [];
  const table = opened(makeSocketPair(), { onsignal: (signal) => signals.push(signal) });
  assert.equal(table.write(0, new Uint8Array([7])), 1);
  assert.equal(table.write(1, new Uint8Array([8, 9])), 2);
  const one = new Uint8Array(1);
  assert.equal(table.read(1, one), 1);
  assert.equal(one[0], 7);
  let woken = 0;
  table.watch(1, C.POLLIN, () => woken++);
  assert.equal(table.shutdown(0, C.SHUT_WR), 0);
  await settled();
  assert.equal(woken, 1);
  assert.equal(table.read(1, one), 0);
  assert.equal(table.write(0, one), -EPIPE);
  assert.deepEqual(signals, [C.SIGPIPE]);
  assert.equal(table.shutdown(0, 3), -EINVAL);
  table.close(0); // two bytes were not read
  assert.equal(table.read(1, one), -ECONNRESET);
  assert.equal(table.read(1, one), 0);
  assert.equal(table.write(1, one), -EPIPE);
});

test('pages of bytes, until it is full and empty, as on Linux', { skip: noPython }, () => {
  for (let seed = 0; seed < 15; seed++) {
    const random = new Random(seed), calls = [['pipe']];
    for (let i = 0; i < 200; i++) {
      const length = 4096 * random.below(9);
      calls.push(random.pick([['read', 3, length], ['write', 4, length, i], ['poll', 3, 5],
        ['poll', 4, 5], ['write', 4, length, i]]));
    }
    calls.push(['close', random.pick([3, 4])], ['poll', 3, 5], ['poll', 4, 5], ['read', 3, 9],
      ['read', 3, 70000], ['read', 3, 1], ['write', 4, 0, 1]);
    assert.deepEqual(ours(calls), python('linux.py', calls), `seed ${seed}`);
  }
});
