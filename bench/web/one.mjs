// one.mjs - one measurement in a Node of its own: one.mjs JSON. JSON is what measure() takes, with
// `folder`, where the modules are. Prints the result as JSON.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

// emcc 3.1.6 writes modules for Node that are half CommonJS.
globalThis.require = createRequire(import.meta.url);
globalThis.__dirname = folder;

const read = async (file) => readFileSync(join(folder, file));
console.log(JSON.stringify(await measure({ ...what, read, memory,
  place: (name) => join(folder, name) })));
