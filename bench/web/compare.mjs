// compare.mjs - runs the measurements of bench/web and prints tables: see compare.
//
// Each measurement has a process or a page of its own. A round measures each variant once, every
// second round in the reverse order; a figure is the median of the rounds.
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { missing, open, serve } from '../../tests/web/browser.mjs';
import { build } from './build.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({ options: {
  engine: { type: 'string', multiple: true, default: ['node', 'chromium'] },
  rounds: { type: 'string', default: '5' },
  only: { type: 'string', multiple: true, default: [] },
} });
const rounds = Number(options.rounds);
if (!(rounds >= 1) || options.engine.some((name) => !['node', 'chromium'].includes(name))) {
  console.error('usage: compare [--engine node|chromium]... [--rounds N] [--only MEASURE]...');
  process.exit(2);
}

const WAITS = 100_000;
const waiting = (depth, promise) => ({ measure: 'waits', program: 'program',
  title: `a wait below ${depth} calls, ${promise ? 'for a promise' : 'the host answers at once'}`,
  depth, count: WAITS, promise });
const calling = (title, name, arg, count) => ({ measure: 'calls', program: 'program',
  title, name, args: [arg], count });

// What is measured; `show` names the figures of a result, with their units.
const plan = [
  calling('a tree of 7 million calls', 'run_tree', 32, 7_049_155),
  calling('a loop of 10 million calls', 'run_hash', 10_000_000, 10_000_000),
  calling('fib(32), 7 million calls', 'run_fib', 32, 7_049_155),
  ...[1, 10, 100].map((depth) => waiting(depth, false)),
  ...[1, 10, 100].map((depth) => waiting(depth, true)),
  { measure: 'flight', program: 'calls', title: '10,000 calls in flight', count: 10_000,
    show: { ns: 'ns to start one', resident: 'bytes resident', heap: 'bytes of heap',
      started: 'started', right: 'right' } },
  { measure: 'fetches', program: 'calls', title: '1,000 fetches in flight', count: 1000,
    show: { ms: 'ms', right: 'right' } },
  { measure: 'prompt', program: 'lua', title: 'first prompt of Lua', args: ['lua', '-i'],
    lines: ['print(6 * 7)\n', 'error("oops")\n'], prompts: '> ', expect: ['42', 'oops'],
    show: { ms: 'ms', right: 'right' } },
  { measure: 'prompt', program: 'sqlite', title: 'first prompt of the SQLite shell',
    args: ['sqlite3', '-interactive'], lines: ['select 6 * 7;\n'], prompts: 'sqlite> ',
    expect: ['42'], show: { ms: 'ms', right: 'right' } },
];

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Answers /answer/N with N * 7 after up to 30 ms. */
function answers(request, response) {
  const [, id] = request.url.match(/^\/answer\/(\d+)$/) ?? [];
  if (!id)
    return false;
  setTimeout(() => response.writeHead(200, { 'Content-Type': 'text/plain' }).end(String(id * 7)),
    Math.random() * 30);
  return true;
}

const engines = {
  async node(folder) {
    const server = await serve(folder, { first: answers });
    const run = promisify(execFile);
    const version = (await run(process.env.CO4_NODE, ['--version'])).stdout.trim();
    return {
      title: `Node ${version}`,
      async measure(what) {
        const words = ['--expose-gc', join(here, 'one.mjs'),
          JSON.stringify({ ...what, folder, origin: server.url })];
        return JSON.parse((await run(process.env.CO4_NODE, words)).stdout);
      },
      close: () => server.close(),
    };
  },
  async chromium(folder) {
    let page;
    const memory = (request, response) => {
      if (request.url === '/memory')
        response.end(JSON.stringify({ resident: page.resident }));
      return request.url === '/memory';
    };
    const server = await serve(folder, { first: (...both) => memory(...both) || answers(...both) });
    page = await open('chromium', { seconds: 3600 });
    const { version } = page;
    await page.close();
    return {
      title: `Chromium ${version}`,
      async measure(what) {
        page = await open('chromium', { seconds: 3600 });
        try {
          await page.go(`${server.url}/empty.html`);
          return await page.run(async (given) => {
            const { measure } = await import('/measure.mjs');
            const bytes = async () => (await fetch('/memory')).json();
            return measure({ ...given, origin: location.origin, memory: bytes });
          }, what);
        } finally {
          await page.kill();
        }
      },
      close: () => server.close(),
    };
  },
};

/** The results of all rounds, by variant. */
async function inTurns(engine, files, { program, ...what }) {
  const names = Object.keys(files[program]).filter((name) => what.measure === 'calls' ||
    name !== 'plain');
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const variant of round % 2 ? [...names].reverse() : names)
      results[variant].push(await engine.measure({ ...what, variant,
        file: files[program][variant].file }));
  return results;
}

const VARIANTS = ['plain', 'asyncify', 'jspi', 'stacks', 'woven'];
const OVERLAPS = ['stacks', 'woven']; // whose calls may overlap
const number = (value) => Number.isInteger(value) && value < 1000 ? String(value)
  : value >= 1000 ? Math.round(value).toLocaleString('en')
  : value >= 100 ? value.toFixed(0) : value.toPrecision(3);

/** A row: a figure for each variant, and its ratio to the first that has one. */
function row(title, figures) {
  const base = VARIANTS.map((name) => figures[name]).find((value) => typeof value === 'number');
  const cells = VARIANTS.map((name) => {
    const value = figures[name];
    return value === undefined ? '–' : typeof value === 'string' ? value
      : `${number(value)} (${(value / base).toFixed(2)})`;
  });
  return `| ${[title, ...cells].join(' | ')} |`;
}

const head = (title) => ['', `| ${[title, 'plain', 'Asyncify', 'JSPI', 'JSPI, a stack each',
  'woven'].join(' | ')} |`, '|---|---|---|---|---|---|'].join('\n');

function rows({ title, measure, count, show = { ns: 'ns' } }, results) {
  return Object.entries(show).flatMap(([key, unit]) => {
    const figures = {};
    for (const [variant, list] of Object.entries(results)) {
      const values = list.map((result) => result[key]).filter((value) => value !== undefined);
      if (key === 'right' && measure !== 'prompt')
        figures[variant] = `${number(median(values))} of ${number(count)}`;
      else if (key === 'right')
        figures[variant] = values.every(Boolean) ? 'yes' : `no: ${list[0].wrong}`;
      else if (key === 'started')
        figures[variant] = number(median(values));
      else if (values.length)
        figures[variant] = median(values);
    }
    return Object.keys(figures).length ? [row(`${title}, ${unit}`, figures)] : [];
  });
}

function sizes(files) {
  console.log(head('bytes, `emcc -Os`'));
  for (const [program, variants] of Object.entries(files))
    for (const key of ['bytes', 'brotli']) {
      const figures = Object.fromEntries(Object.entries(variants).map(([name, one]) =>
        [name, one[key]]));
      console.log(row(`${program}${key === 'brotli' ? ', brotli' : ''}`, figures));
    }
}

/** All variants compute the same, and answer; only calls in flight may go wrong, in some. */
function check({ title, measure, count }, results) {
  const all = new Set(Object.values(results).flat().map((one) => one.result));
  if (all.size > 1)
    throw new Error(`${title}: results differ: ${[...all].join(', ')}`);
  for (const [variant, list] of Object.entries(results))
    for (const { right, wrong } of list)
      if (measure === 'prompt' ? !right : OVERLAPS.includes(variant) && right < count)
        throw new Error(`${title}, ${variant}: ${wrong}`);
}

if (options.engine.includes('chromium') && missing('chromium')) {
  console.log(`skipped: no ${missing('chromium')}`);
  process.exit(77);
}
const folder = join(process.env.CO4_BUILD, 'bench-web');
const chosen = plan.filter(({ measure }) => !options.only.length ||
  options.only.includes(measure));
const files = build(folder, [...new Set(chosen.map(({ program }) => program))]);
for (const name of ['host.mjs', 'variants.mjs', 'measure.mjs'])
  cpSync(join(here, name), join(folder, name));
cpSync(join(here, 'empty.html'), join(folder, 'empty.html'));
for (const name of ['co4.mjs', 'modules.mjs', 'tasks.mjs', 'kernel'])
  cpSync(join(here, '../../web', name), join(folder, 'web', name), { recursive: true });
sizes(files);
for (const name of options.engine) {
  const engine = await engines[name](folder);
  console.log(head(`${engine.title}, medians of ${rounds}`));
  for (const what of chosen) {
    const results = await inTurns(engine, files, what);
    check(what, results);
    rows(what, results).forEach((line) => console.log(line));
  }
  await engine.close();
}
