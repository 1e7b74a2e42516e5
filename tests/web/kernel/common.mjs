// common.mjs - what the tests of the kernel share: bytes, random numbers from a seed, Linux itself.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const folder = fileURLToPath(new URL('.', import.meta.url));
export const bytes = (text) => new TextEncoder().encode(text);
export const text = (array) => new TextDecoder().decode(array);
export const hex = (array) => Buffer.from(array).toString('hex');
/** All microtasks have run. */
export const settled = () => new Promise((resolve) => { setImmediate(resolve); });

/** Numbers that a seed determines. */
export class Random {
  constructor(seed) {
    this.state = seed * 2654435761 + 1 >>> 0;
  }

  below(n) {
    this.state = this.state + 0x6d2b79f5 >>> 0;
    let t = this.state;
    t = Math.imul(t ^ t >>> 15, t | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) % n;
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}

/** Why a comparison with a program of python3 cannot run, or false. */
export const noPython = spawnSync('python3', ['--version']).status === 0 &&
  process.platform === 'linux' ? false : 'no python3 on Linux';

/** What a script beside this file answers to a list. */
export function python(script, input) {
  const result = spawnSync('python3', [folder + script], {
    input: JSON.stringify(input), maxBuffer: 1 << 28, timeout: 600000,
  });
  if (result.status !== 0)
    throw new Error(`${script}: ${result.status} ${result.signal} ${result.stderr}`);
  return JSON.parse(result.stdout.toString());
}
