// run.mjs - times what program.c exports: run.mjs WASM NAME ARGUMENT... prints the result and the best of some runs in ns.
import { readFileSync } from 'node:fs';

const [file, name, ...words] = process.argv.slice(2);
const args = words.map(Number);
let exports;
let data;
const imports = {
  env: {
    pause() {
      if (exports.asyncify_get_state() === 2) {
        exports.asyncify_stop_rewind();
        return;
      }
      data = exports.unwound();
      exports.asyncify_start_unwind(data);
    },
  },
  wasi_snapshot_preview1: new Proxy({}, { get: () => () => 0 }),
};
const { instance } = await WebAssembly.instantiate(readFileSync(file), imports);
exports = instance.exports;
if (exports._initialize) exports._initialize();

function call() {
  let result = exports[name](...args);
  if (!exports.asyncify_get_state) return result;
  while (exports.asyncify_get_state() === 1) {
    exports.asyncify_stop_unwind();
    exports.asyncify_start_rewind(data);
    result = exports[name](...args);
  }
  return result;
}

let best = Infinity;
let result;
for (let i = 0; i < 9; i++) {
  const before = process.hrtime.bigint();
  result = call();
  best = Math.min(best, Number(process.hrtime.bigint() - before));
}
console.log(JSON.stringify({ result, ns: best }));
