// build.mjs - the modules that bench/web compares: each program with emcc -Os, in each variant.
import { execFileSync } from 'node:child_process';
import {
  existsSync, mkdirSync, readdirSync, statSync, writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const EMCC = ['-Os', '-w', '-sSTANDALONE_WASM',
  '-sALLOW_MEMORY_GROWTH=1', '-sMAXIMUM_MEMORY=2GB',
  '-sERROR_ON_UNDEFINED_SYMBOLS=0']; // imports of a host that emcc does not know
// Otherwise functions disappear whose calls are measured.
const NO_INLINING = '-sBINARYEN_EXTRA_PASSES=--one-caller-inline-max-function-size=0,' +
  '--always-inline-max-function-size=0,--flexible-inline-max-function-size=0';
const SQLITE = ['-DSQLITE_THREADSAFE=0', '-DSQLITE_OMIT_LOAD_EXTENSION', '-DSQLITE_OMIT_POPEN'];

const BUILD = process.env.CO4_BUILD ?? join(root, 'build');
const WEAVE = process.env.CO4WEAVE ?? join(BUILD, 'bin/co4weave');
const LIBRARY = join(BUILD, 'targets/emscripten/lib/libco4.a');
// A module with its script: Emscripten's exceptions and the runtime's timers are JavaScript.
const WOVEN = ['-DWEB', '-Os', '-w', '-sALLOW_MEMORY_GROWTH=1', '-sMAXIMUM_MEMORY=2GB',
  '-sMODULARIZE', '-sEXPORT_ES6', '-sENVIRONMENT=web,node', '-sEXIT_RUNTIME=1'];
const POSIX = ['--js-library', join(root, 'web/library.js')];

const waitsBy = (name) => ['-sASYNCIFY', `-sASYNCIFY_IMPORTS=['${name}']`];

function run(command, words, options = {}) {
  try {
    return execFileSync(command, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 26, ...options });
  } catch (error) {
    throw new Error(`${command} ${words.join(' ')}\n${error.stderr ?? error.message}`);
  }
}

/** Debian's sources of Lua and SQLite, below the folder; the archives are those of tests/real. */
function sources(folder) {
  const archives = run(join(root, 'tests/real/run'), ['--fetch', 'lua', 'sqlite']).split('\n');
  const tree = (name, inside) => {
    const archive = archives.find((path) => path.includes(`/${name}_`));
    if (!existsSync(join(folder, inside)))
      run('tar', ['xf', archive, '-C', folder]);
    return join(folder, inside);
  };
  const sqlite = tree('sqlite3', 'sqlite3-3.40.1');
  if (!existsSync(join(sqlite, 'shell.c')) || !existsSync(join(sqlite, 'sqlite3.c'))) {
    run('./configure', ['--disable-tcl', '--disable-readline'], { cwd: sqlite });
    run('make', ['sqlite3.c', 'shell.c'], { cwd: sqlite });
  }
  return { lua: tree('lua5.4', 'lua-5.4.4'), sqlite };
}

const program = ['--no-entry', NO_INLINING, join(root, 'bench/asyncify/program.c')];
const calls = ['--no-entry', join(here, 'calls.c'), '-sEXPORTED_FUNCTIONS=_malloc,_free'];
const stackOf = (name, ...define) => [join(here, 'stack.c'), `-Wl,--wrap=${name}`, ...define];
const READ = 'wasi_snapshot_preview1.fd_read';

/** The words for emcc: for each program, by variant. */
const recipes = {
  program: () => ({
    plain: program,
    asyncify: [...program, '-DASYNCIFY', ...waitsBy('pause')],
    jspi: [...program, '-DASYNCIFY'],
    stacks: [...program, '-DASYNCIFY', ...stackOf('pause_here', '-DPAUSE')],
    woven: program,
  }),
  calls: () => ({
    asyncify: [...calls, ...waitsBy('answer')],
    jspi: calls,
    stacks: [...calls, ...stackOf('answer')],
    woven: calls,
  }),
  lua(folder) {
    const source = join(sources(folder).lua, 'src');
    const files = readdirSync(source).filter((name) => name.endsWith('.c') && name !== 'luac.c')
      .map((name) => join(source, name));
    return {
      plain: files,
      asyncify: [...files, ...waitsBy(READ)],
      // emcc's own longjmp has frames of JavaScript, below which promise integration traps.
      jspi: [...files, '-sSUPPORT_LONGJMP=wasm'],
      woven: [...files, ...POSIX],
    };
  },
  sqlite(folder) {
    const { sqlite } = sources(folder);
    const shell = [...SQLITE, '-I', sqlite, join(sqlite, 'shell.c'), join(sqlite, 'sqlite3.c')];
    return { plain: shell, asyncify: [...shell, ...waitsBy(READ)], jspi: shell,
      woven: [...shell, ...POSIX] };
  },
};

/** Is the module, whose brotli is made last, as new as its sources and this file? */
function isNew(path, words) {
  const time = (file) => existsSync(file) ? statSync(file).mtimeMs : 0;
  const sourcesOfIt = words.filter((word) => word.endsWith('.c'));
  return [fileURLToPath(import.meta.url), WEAVE, LIBRARY, ...sourcesOfIt]
    .every((file) => time(file) < time(`${path}.br`));
}

function module(folder, name, variant, words) {
  const woven = variant === 'woven';
  const path = join(folder, `${name}.${variant}.wasm`);
  const file = `${name}.${variant}.${woven ? 'mjs' : 'wasm'}`;
  if (!isNew(path, words)) {
    if (woven)
      run(WEAVE, ['--auto', 'emcc', ...WOVEN, ...words, '-o', join(folder, file)],
        { env: { ...process.env, NODE_PATH: '/usr/share/nodejs' } });
    else
      run('emcc', [...EMCC, ...words, '-o', path]);
    writeFileSync(`${path}.br`, run('brotli', ['--best', '--stdout', path], { encoding: null }));
  }
  return { file, bytes: statSync(path).size, brotli: statSync(`${path}.br`).size };
}

/**
 * Builds the modules of some programs, as far as they are not there.
 * @param {string} folder
 * @param {string[]} programs
 * @returns {Record<string, Record<string, { file: string, bytes: number, brotli: number }>>}
 *   by program and variant; `file` is below the folder
 */
export function build(folder, programs) {
  mkdirSync(folder, { recursive: true });
  return Object.fromEntries(programs.map((name) => [name, Object.fromEntries(
    Object.entries(recipes[name](folder)).map(([variant, words]) =>
      [variant, module(folder, name, variant, words)]))]));
}
