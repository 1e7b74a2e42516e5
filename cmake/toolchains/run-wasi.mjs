// run-wasi.mjs - runs a WebAssembly program under Node's WASI: node --no-warnings run-wasi.mjs PROGRAM ARGUMENT...
//
// It may open files below the current folder, and in the folders that arguments name by an absolute path.
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { WASI } from 'node:wasi';

const args = process.argv.slice(2);
const preopens = { '.': '.' };
for (const argument of args.slice(1).filter(isAbsolute))
  preopens[dirname(argument)] = dirname(argument);
const wasi = new WASI({ version: 'preview1', args, env: process.env, preopens, returnOnExit: true });
const program = await WebAssembly.compile(readFileSync(args[0]));
const instance = await WebAssembly.instantiate(program, wasi.getImportObject());
process.exitCode = wasi.start(instance);
