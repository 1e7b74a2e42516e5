// run.mjs - the program of the playground: builds it, runs it in a worker, holds it, shows its
// tasks.
const LOOK = 500; // ms between two looks at the tasks of a program that runs; longer for many
const SILENT = 2000; // ms without an answer
const MOST_OUTPUT = 200_000; // characters that are kept

const at = (id) => document.getElementById(id);

function make(tag, kind, ...inside) {
  const made = document.createElement(tag);
  if (kind)
    made.className = kind;
  made.append(...inside);
  return made;
}

/** An element for a task: what it is and waits for, and its calls. */
function drawTask(task, ran, show) {
  const head = make('span', 'word', `task ${task.number || `0x${task.id.toString(16)}`}`);
  const words = [task.name && ` '${task.name}'`, ` ${task.function}(): ${task.state}`,
    task.cancelled && ', cancelled', task.wait && `, ${task.wait}`].filter(Boolean).join('');
  const item = make('li', task.id === ran ? 'ran' : '', head, words,
    make('ol', '', ...task.frames.map((frame) => drawFrame(frame, show))));
  item.dataset.state = task.state;
  return item;
}

function drawFrame({ function: name, file, line, callee, locals }, show) {
  const place = make('button', '', `${file}:${line}`);
  place.type = 'button';
  place.onclick = () => show(line);
  const item = make('li', '', `${name} () at `, file.endsWith('main.c') ? place : `${file}:${line}`,
    callee ? ` in ${callee}()` : '');
  if (locals.length && file.endsWith('main.c'))
    item.append(make('div', 'locals', locals.map((one) => `${one.name} = ${one.value}`).join(', ')));
  return item;
}

export class Run {
  /**
   * @param {{ build: () => Promise<any>, said: (said: object[]) => void,
   *     show: (line: number) => void }} page
   */
  constructor(page) {
    this.page = page;
    this.worker = null;
    this.state = 'none'; // building, begins, runs, held, ended
    const clicks = { run: () => this.start(false), hold: () => this.start(true),
      pause: () => this.pause(), step: () => this.order('step'), resume: () => this.resume(),
      stop: () => this.stop(), end: () => this.type('\x04') };
    for (const [id, click] of Object.entries(clicks))
      at(id).onclick = click;
    at('input').onsubmit = (event) => {
      event.preventDefault();
      this.type(`${at('line').value}\r`);
      at('line').value = '';
    };
    this.draw('');
  }

  /** What the server can: `lacks` says in words why it builds nothing. */
  ready(lacks) {
    this.can = !lacks;
    at('lacks').hidden = !lacks;
    at('lacks').textContent = lacks ?? '';
    this.draw('');
  }

  /** The buttons by the state, and words. */
  draw(words) {
    const { state } = this;
    const alive = state === 'runs' || state === 'held';
    const on = { run: this.can && state !== 'building', hold: this.can && state !== 'building',
      pause: state === 'runs', step: alive, resume: state === 'held',
      stop: alive || state === 'begins', line: alive, send: alive, end: alive };
    const had = document.activeElement;
    for (const [id, is] of Object.entries(on))
      at(id).disabled = !is;
    if (had?.disabled) // the focus stays among the buttons
      [at('resume'), at('pause'), at('run')].find((one) => !one.disabled)?.focus();
    at('life').textContent = words;
    document.documentElement.dataset.program = state;
  }

  async start(held) {
    this.stop();
    this.state = 'building';
    this.draw('Compiling …');
    let built;
    try {
      built = await this.page.build();
    } catch (error) {
      this.state = 'none';
      this.draw(`Not built: ${error.message}.`);
      return;
    }
    this.page.said(built.said);
    if (!built.script) {
      this.state = 'none';
      this.draw('Not built: the messages below the source say why.');
      return;
    }
    this.begin(built, held);
  }

  begin({ script, code }, held) {
    this.decoder = new TextDecoder();
    at('output').textContent = '';
    this.drawTasks({ count: 0, tasks: [] });
    this.held = held;
    this.worker = new Worker('runner.mjs', { type: 'module' });
    const { worker } = this;
    worker.onmessage = ({ data }) => worker === this.worker && this.hear(data);
    worker.onerror = (event) => worker === this.worker && this.over(`It failed: ${event.message}.`);
    const bytes = Uint8Array.from(atob(code), (one) => one.charCodeAt(0));
    worker.postMessage({ order: 'start', script, code: bytes, held });
    this.state = 'begins';
    this.draw('It begins.');
    this.expect();
  }

  /** A program that does not return to JavaScript hears nothing. */
  expect() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      at('life').textContent = 'It computes, and has not paused for some seconds: a function that ' +
        'pauses nowhere, or a co4_run() in main(), which pausable_or_plain main() does without.';
    }, SILENT);
  }

  hear(said) {
    if (said.output)
      this.write(said.output);
    if (said.begun && this.state === 'begins') {
      this.state = this.held ? 'held' : 'runs';
      this.draw(this.held ? 'It is held.' : 'It runs.');
      this.order('tasks');
    }
    if (said.tasks)
      this.hearTasks(said);
    if (said.failed)
      this.over(`It has failed: ${said.failed}`);
    if (said.status !== undefined)
      this.over(`It has ended with status ${said.status}.`);
  }

  hearTasks({ answers, ran, ...all }) {
    clearTimeout(this.silence);
    this.drawTasks(all, ran);
    if (answers === 'step') {
      this.state = 'held';
      this.draw(ran ? 'One step.' : 'No task is ready: all wait.');
    } else if (answers === 'pause') {
      this.draw('It is held.');
    } else if (this.state === 'runs') {
      at('life').textContent = 'It runs.';
      clearTimeout(this.look);
      const pause = Math.max(LOOK, 10 * (performance.now() - this.asked));
      this.look = setTimeout(() => this.state === 'runs' && this.order('tasks'), pause);
    }
  }

  order(order, more) {
    this.asked = performance.now();
    this.worker?.postMessage({ order, ...more });
    this.expect();
  }

  type(text) {
    this.worker?.postMessage({ order: 'input', text });
  }

  pause() {
    this.state = 'held';
    this.draw('');
    this.order('pause');
  }

  resume() {
    this.state = 'runs';
    this.draw('It runs.');
    this.order('resume');
  }

  stop() {
    if (this.worker)
      this.over('It was stopped.');
  }

  over(words) {
    clearTimeout(this.silence);
    clearTimeout(this.look);
    this.worker.terminate();
    this.worker = null;
    this.state = 'ended';
    this.drawTasks({ count: 0, tasks: [] });
    this.draw(words);
  }

  /** The terminal's output, of which a log shows the text alone. */
  write(bytes) {
    const place = at('output');
    const text = this.decoder.decode(bytes, { stream: true }).replace(/\r\n/g, '\n')
      .replace(/\x1b\[[\d;?]*[A-Za-z]/g, '');
    const all = (place.textContent + text).replace(/[^\n]\x08 \x08/g, '');
    place.textContent = all.slice(-MOST_OUTPUT);
    place.scrollTop = place.scrollHeight;
  }

  drawTasks({ count, tasks }, ran) {
    at('count').textContent = count === 1 ? 'one' : String(count);
    const list = make('ul', '', ...tasks.map((task) => drawTask(task, ran, this.page.show)));
    if (count > tasks.length)
      list.append(make('li', '', `and ${count - tasks.length} more`));
    at('tasks').replaceChildren(count ? list : make('p', '', 'None.'));
  }
}
