// exact.mjs - runs a program as run-wasi.mjs does, with a poll_oneoff() that keeps all rules of WASI. Node's does not:
// runtime/io/wasi.c says what is wrong with it. So the driver's other half is tested, too.
//
// CO4_WASI_CALLS names a file for the number of calls. It asks Node for one descriptor at a time, with a millisecond, in the program's own memory, which it restores.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { WASI } from 'node:wasi';

const SUBSCRIPTION = 48, EVENT = 32, CLOCK = 0, MONOTONIC = 1;
const SUCCESS = 0, EBADF = 8, EPERM = 63, EINVAL = 28;

const args = process.argv.slice(2);
const preopens = { '.': '.' };
for (const argument of args.slice(1).filter(isAbsolute))
  preopens[dirname(argument)] = dirname(argument);
const wasi = new WASI({ version: 'preview1', args, env: process.env, preopens, returnOnExit: true });
const imports = wasi.getImportObject();
const node = { ...imports.wasi_snapshot_preview1 };
let memory, calls = 0;

// Calls use(view) and restores the bytes from `at` on.
function borrow(at, bytes, use) {
  const all = new Uint8Array(memory.buffer), before = all.slice(at, at + bytes);
  const result = use(new DataView(memory.buffer));
  all.set(before, at);
  return result;
}

function isOpen(fd, scratch) {
  return borrow(scratch, 24, () => node.fd_fdstat_get(fd, scratch)) === SUCCESS;
}

// Asks for one subscription. Returns null, or the error and the flags of its event.
function ask(subscription, input, output, count) {
  const fd = new DataView(subscription.buffer).getUint32(16, true);
  if (!isOpen(fd, output))
    return { error: EBADF, flags: 0 };
  return borrow(input, 2 * SUBSCRIPTION, (view) => borrow(output, 2 * EVENT, () => borrow(count, 4, () => {
    new Uint8Array(memory.buffer).set(subscription, input);
    new Uint8Array(memory.buffer).fill(0, input + SUBSCRIPTION, input + 2 * SUBSCRIPTION);
    view.setUint32(input + SUBSCRIPTION + 16, MONOTONIC, true);
    view.setBigUint64(input + SUBSCRIPTION + 24, 1000000n, true);
    const error = node.poll_oneoff(input, output, 2, count);
    if (error === EPERM)
      return { error: SUCCESS, flags: 0 }; // it never waits
    if (error !== SUCCESS)
      return { error, flags: 0 };
    if (view.getUint32(count, true) === 0 || view.getUint8(output + 10) === CLOCK)
      return null;
    return { error: view.getUint16(output + 8, true), flags: view.getUint16(output + 24, true) };
  })));
}

imports.wasi_snapshot_preview1.poll_oneoff = (input, output, n, count) => {
  calls++;
  if (n === 0)
    return EINVAL;
  const all = [];
  let end = null, clock = null;
  for (let i = 0; i < n; i++) {
    const at = input + i * SUBSCRIPTION, bytes = new Uint8Array(memory.buffer).slice(at, at + SUBSCRIPTION);
    const view = new DataView(bytes.buffer);
    if (view.getUint8(8) !== CLOCK) {
      all.push(bytes);
    } else {
      const limit = process.hrtime.bigint() + view.getBigUint64(24, true);
      if (end === null || limit < end) {
        end = limit;
        clock = bytes;
      }
    }
  }
  const events = [];
  for (;;) {
    for (const subscription of all) {
      const found = ask(subscription, input, output, count);
      if (found)
        events.push({ of: subscription, ...found });
    }
    if (events.length > 0)
      break;
    if (end !== null && process.hrtime.bigint() >= end) {
      events.push({ of: clock, error: SUCCESS, flags: 0 });
      break;
    }
    if (all.length === 0)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(end - process.hrtime.bigint()) / 1e6);
  }
  const view = new DataView(memory.buffer);
  events.forEach(({ of, error, flags }, i) => {
    const at = output + i * EVENT, from = new DataView(of.buffer);
    new Uint8Array(memory.buffer).fill(0, at, at + EVENT);
    view.setBigUint64(at, from.getBigUint64(0, true), true);
    view.setUint16(at + 8, error, true);
    view.setUint8(at + 10, from.getUint8(8));
    view.setUint16(at + 24, flags, true);
  });
  view.setUint32(count, events.length, true);
  return SUCCESS;
};

const program = await WebAssembly.compile(readFileSync(args[0]));
const instance = await WebAssembly.instantiate(program, imports);
memory = instance.exports.memory;
process.exitCode = wasi.start(instance);
if (process.env.CO4_WASI_CALLS)
  writeFileSync(process.env.CO4_WASI_CALLS, `${calls}\n`);
