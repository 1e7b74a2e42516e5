// ours.mjs - makes the calls of linux.py in a table of our own.
import * as C from '../../../web/kernel/constants.mjs';
import { DescriptorTable } from '../../../web/kernel/descriptors.mjs';
import { makePipe, makeSocketPair } from '../../../web/kernel/pipe.mjs';
import { ALWAYS } from '../../../web/kernel/waiters.mjs';
import { hex } from './common.mjs';

/** The same calls to our table. 0, 1 and 2 are open, as they are in linux.py. */
export function ours(calls) {
  const table = new DescriptorTable();
  makePipe().concat(makePipe()).slice(0, 3).forEach((end) => table.add(end));
  const pair = (ends) => ends.map((end) => table.add(end));
  return calls.map(([name, ...args]) => {
    if (name === 'pipe')
      return pair(makePipe(C.O_NONBLOCK));
    if (name === 'socketpair')
      return pair(makeSocketPair(C.O_NONBLOCK));
    if (name === 'read') {
      const buffer = new Uint8Array(args[1]), count = table.read(args[0], buffer);
      return count > 0 ? [count, hex(buffer.subarray(0, count))] : count;
    }
    if (name === 'write')
      return table.write(args[0], new Uint8Array(args[1]).fill(args[2]));
    if (name === 'poll')
      return args[0] < 0 ? 0 : table.events(args[0]) & (args[1] | ALWAYS);
    return table[name](...args);
  });
}
