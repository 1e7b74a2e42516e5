// page.mjs - the playground: weaves what is typed, shows what the weaver says, runs it.
//
// The text is kept in the page's session, not in its address: no link brings C of another author
// here. The token comes in the address once, and is kept the same way.
import { Editor } from './editor.mjs';
import { Run } from './run.mjs';

const WAIT = 350; // ms after the last key
const at = (id) => document.getElementById(id);

/** An element with attributes, and what is in it. */
export function make(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name === 'onclick')
      made.onclick = value;
    else if (value !== undefined && value !== null)
      made.setAttribute(name, value);
  made.append(...inside.filter((one) => one !== null));
  return made;
}

// ---- the session ----

const given = location.hash.match(/^#token=([\w-]+)$/);
if (given) {
  sessionStorage.token = given[1];
  history.replaceState(null, '', location.pathname);
}

/** Asks the server. Throws an Error with its words. */
async function ask(path, body) {
  const headers = { 'X-Co4-Token': sessionStorage.token ?? '' };
  if (body)
    headers['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(path, { method: body ? 'POST' : 'GET', headers,
      body: body && JSON.stringify(body) });
  } catch {
    throw new Error('the server of the playground does not answer: start it again');
  }
  const said = await answer.json();
  if (!answer.ok)
    throw new Error(said.why);
  return said;
}

// ---- dark and light ----

const dark = matchMedia('(prefers-color-scheme: dark)');

function drawTheme() {
  const theme = sessionStorage.theme ?? (dark.matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = theme;
  at('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
  at('theme').setAttribute('aria-label', theme === 'dark' ? 'Light colours' : 'Dark colours');
}

dark.onchange = drawTheme;
at('theme').onclick = () => {
  sessionStorage.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  drawTheme();
};
drawTheme();

// ---- what belongs together ----

/** Lights a line everywhere, and scrolls the other columns there. */
function light(line, from) {
  document.querySelectorAll('.lit').forEach((old) => old.classList.remove('lit'));
  editor.mark('lit', line ? [line] : []);
  if (!line)
    return;
  if (from !== editor)
    editor.show(line, false);
  for (const column of [at('report'), at('woven')]) {
    const lines = column.querySelectorAll(`[data-line="${line}"]`);
    lines.forEach((one) => one.classList.add('lit'));
    if (column !== from && lines.length)
      column.scrollTop += lines[0].getBoundingClientRect().top -
        column.getBoundingClientRect().top - column.clientHeight / 2;
  }
}

for (const id of ['report', 'woven'])
  at(id).onclick = ({ target, currentTarget }) => {
    const line = Number(target.closest('[data-line]')?.dataset.line);
    if (line)
      light(line, currentTarget);
  };

// ---- what the weaver says ----

function drawSaid(said) {
  at('said').replaceChildren(...said.map(({ line, severity, message, hint }) => {
    const words = `${line ? `line ${line}: ` : ''}${severity ? `${severity}: ` : ''}${message}`;
    const head = line ? make('button', { type: 'button', onclick: () => editor.show(line, true) },
      words) : make('span', {}, words);
    return make('li', { class: severity || 'remark' }, head, hint ? make('p', {}, hint) : null);
  }));
  editor.mark('bad', said.filter(({ line }) => line).map(({ line }) => line));
  editor.area.setAttribute('aria-invalid',
    String(said.some(({ severity }) => severity === 'error')));
}

function table(heads, rows) {
  const head = make('tr', {}, ...heads.map((name) => make('th', { scope: 'col' }, name)));
  return make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows.map(([line, cells]) =>
    make('tr', { 'data-line': line }, ...cells.map((cell) => make('td', {}, String(cell)))))));
}

function drawFunction({ name, line, frame_bytes: frame, frame_taken: taken, task, points, fields }) {
  const bound = task.bytes === null ? `no bound: ${task.why}` : `${task.bytes} bytes at most`;
  return [
    make('h3', { 'data-line': line }, `${name}()`),
    make('p', {}, `${taken ? `a frame of ${frame} bytes, taken ${taken}` : 'no frame'}; in all, ` +
      `with whom it calls, ${bound}`),
    points.length ? table(['point', 'line', 'calls', 'saves'], points.map((point) =>
      [point.line, [point.id, point.line, `${point.callee}()`, point.saves.join(', ')]])) : '',
    fields.length ? table(['field', 'type', 'bytes', 'at', 'because'], fields.map((field) =>
      [field.why_line ?? line, [field.name, field.type, field.bytes, field.offset, field.why]]))
      : '',
  ];
}

function drawWoven(woven, source) {
  const plain = source.split('\n').map((text) => text.replace(/\s/g, ''));
  at('woven').replaceChildren(...woven.map(([line, text]) => make('div', { 'data-line': line || null,
    'data-shown': line || '', class: plain[line - 1] === text.replace(/\s/g, '') ? 'same' : '' },
  make('span', {}, text))));
}

function draw(done, source) {
  const { functions } = done.report;
  drawSaid(done.said);
  editor.mark('point', functions.flatMap(({ points }) => points.map(({ line }) => line)));
  at('report').replaceChildren(...functions.flatMap(drawFunction));
  if (!functions.length)
    at('report').append(make('p', {}, done.status ? 'Nothing is woven.' : 'No function may pause.'));
  drawWoven(done.woven ?? [], source);
  at('state').textContent = done.status ? 'Refused.'
    : `Woven: ${functions.length} ${functions.length === 1 ? 'function' : 'functions'} may pause.`;
}

// ---- weaving ----

const mode = () => document.querySelector('#mode input:checked').value;
let timer, busy = false, asked = false;

/** Weaves the text as it is now. Only one request is under way; the last text counts. */
async function weave() {
  clearTimeout(timer);
  if (busy) {
    asked = true;
    return;
  }
  busy = true;
  do {
    asked = false;
    const source = editor.text;
    try {
      const done = await ask('/weave', { source, mode: mode() });
      if (!asked)
        draw(done, source);
    } catch (error) {
      at('state').textContent = `Not woven: ${error.message}.`;
    }
  } while (asked);
  busy = false;
}

function changed() {
  sessionStorage.text = editor.text;
  sessionStorage.mode = mode();
  at('state').textContent = 'Weaving …';
  light(0, null);
  clearTimeout(timer);
  timer = setTimeout(weave, WAIT);
}

const editor = new Editor(at('editor'), { onchange: changed, online: (line) => light(line, editor) });
const run = new Run({ build: () => ask('/build', { source: editor.text, mode: mode() }),
  said: drawSaid, show: (line) => {
    editor.show(line, false);
    light(line, null);
  } });

document.querySelectorAll('#mode input').forEach((one) => { one.onchange = changed; });

function setMode(value) {
  document.querySelector(`#mode input[value="${value}"]`).checked = true;
}

async function takeSample({ file, mode: its }, isFirst) {
  const text = await (await fetch(file)).text();
  setMode(its);
  if (isFirst)
    editor.text = text;
  else
    editor.replace(text);
  changed();
}

async function begin() {
  const samples = await (await fetch('samples.json')).json();
  at('samples').append(make('option', { value: '' }, 'choose …'),
    ...samples.map(({ title }, i) => make('option', { value: i }, title)));
  at('samples').onchange = ({ target }) => {
    if (target.value !== '')
      takeSample(samples[target.value], false);
  };
  if (sessionStorage.text === undefined) {
    await takeSample(samples[0], true);
  } else {
    setMode(sessionStorage.mode ?? 'marks');
    editor.text = sessionStorage.text;
    weave();
  }
  const { lacks } = await ask('/about');
  run.ready(lacks);
}

begin().catch((error) => { at('state').textContent = `${error.message}.`; });
