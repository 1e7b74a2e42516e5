// one.mjs - one measurement in a Node of its own: one.mjs JSON. JSON is what measure() takes, with
// `folder`, where the modules are. Prints the result as JSON.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure } from './measure.mjs';

const { folder, ...what } = JSON.parse(process.argv[2]);

async function memory() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((later) => setTimeout(later, 20));
  }
  const { rss, heapUsed } = process.memoryUsage();
  return { resident: rss, heap: heapUsed };
}

const read = async (file) => readFileSync(join(folder, file));
console.log(JSON.stringify(await measure({ ...what, read, memory })));
