// runner.mjs - runs one program in a worker: an endless loop there hangs no page, and ends with the
// worker. The program has neither the page nor its token.
import { load, Terminal } from './web/co4.mjs';

const MOST_TASKS = 200; // that are sent
let program = null;
let terminal = null;

/** What is sent to the page, without bytes of values. */
function tasks() {
  const all = program?.module ? program.tasks() : [];
  const shown = all.slice(0, MOST_TASKS).map((task) => ({ ...task,
    frames: task.frames.map((frame) => ({ ...frame,
      locals: frame.locals.map(({ name, type, value, bytes }) =>
        ({ name, type, value: value ?? hex(bytes) })) })) }));
  return { count: all.length, tasks: shown };
}

const hex = (bytes) => [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0'))
  .join(' ') + (bytes.length > 16 ? ' …' : '');

async function start({ script, code, held }) {
  terminal = new Terminal({ columns: 80, rows: 24, onoutput: (output) => postMessage({ output }) });
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const { default: create } = await import(address);
  program = await load(create, { terminal, held, numbered: true,
    module: { wasmBinary: code, locateFile: (name) => name } });
  postMessage({ begun: true });
  const status = await program.exit;
  postMessage({ status });
}

const orders = {
  start,
  input: ({ text }) => terminal.input(text),
  pause: () => program.pause(),
  resume: () => program.resume(),
  step: () => ({ ran: program.step() }),
  tasks: () => ({}),
};

onmessage = async ({ data }) => {
  try {
    const more = await orders[data.order](data);
    if (data.order !== 'start' && data.order !== 'input')
      postMessage({ answers: data.order, ...more, ...tasks() });
  } catch (error) {
    postMessage({ failed: String(error?.message ?? error) });
  }
};
