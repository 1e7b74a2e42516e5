// terminal.mjs - the page: sessions in tabs, what they wait for beside them. `?program=NAME` says
// which one it begins with.
import { colours, Session } from './session.mjs';
import { Menu, Tabs } from './tabs.mjs';
import { Waits } from './waits.mjs';

const HUNDRED = 100;
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const say = (text) => { get('said').textContent = text; };

const tabs = new Tabs(get('tabs'), get('panels'), { onselect: show, onclose: close,
  onenter: (session) => session.xterm.focus() });
const waits = new Waits(get('list'), get('count'), (session) => {
  tabs.select(session);
  session.xterm.focus();
});
waits.sessions = () => tabs.all.map(({ session }) => session);
const menu = new Menu(get('new'), get('menu'), (kind) => {
  tabs.select(begin(kind));
  current().xterm.focus();
});

const current = () => tabs.current?.session;

/** A new session, at the end of the tabs. */
function begin(kind) {
  const session = new Session(kind);
  tabs.add(session);
  session.onstate = () => {
    tabs.mark(session);
    showState();
  };
  return session;
}

function show(session, panel) {
  session.open(panel);
  session.fit();
  session.xterm.options.theme = colours();
  showState();
}

function showState() {
  const session = current();
  get('state').textContent = session ? `${session.kind.title} ${session.kind.version}: ` +
    session.text : 'no session';
  for (const [id, on] of Object.entries({ again: session?.isOver, close: session, copy: session,
    interrupt: session && !session.isOver }))
    /** @type {HTMLButtonElement} */ (get(id)).disabled = !on;
}

function close(session) {
  session.close();
  tabs.remove(session);
  showState();
  waits.draw();
  if (!current())
    get('new').focus();
}

async function copy() {
  const text = current().xterm.getSelection() || current().screen;
  try {
    await navigator.clipboard.writeText(text);
    say('copied');
  } catch {
    say('the browser does not let this page copy');
  }
}

/** Resolves when the output of a session has the text. */
function answered(session, text) {
  const decoder = new TextDecoder();
  let seen = '';
  return new Promise((done) => {
    session.onoutput = (bytes) => {
      seen = (seen + decoder.decode(bytes, { stream: true })).slice(-4096);
      if (!seen.includes(text))
        return;
      session.onoutput = () => {};
      done();
    };
  });
}

/** A hundred calculators; each is asked something else, all of them wait at the same time. */
async function hundred(kind) {
  const button = /** @type {HTMLButtonElement} */ (get('hundred')), started = performance.now();
  button.disabled = true;
  let count = 0;
  await Promise.all(Array.from({ length: HUNDRED }, async () => {
    const session = begin(kind), { number } = session;
    const answer = answered(session, `\n${number ** 3}`);
    session.input(`${number} ^ 3\r`);
    await answer;
    say(`${++count} of ${HUNDRED} have answered`);
  }));
  const ms = Math.round(performance.now() - started);
  say(`${HUNDRED} sessions have answered after ${ms} ms`);
  button.disabled = false;
}

function showTheme() {
  const isDark = document.documentElement.dataset.theme === 'dark';
  get('theme').textContent = isDark ? 'Light' : 'Dark';
  get('theme').setAttribute('aria-label', isDark ? 'Light colours' : 'Dark colours');
  if (current())
    current().xterm.options.theme = colours();
}

/** F6 leads to the tabs from all over the page, Shift-Tab from the terminal: else it is its own. */
function leaves(event) {
  const isBack = Session.isBack(event) && get('panels').contains(event.target);
  if (event.key !== 'F6' && !isBack)
    return;
  event.preventDefault();
  tabs.focus();
}

function listen(kinds) {
  const calculator = kinds.find(({ name }) => name === 'bc');
  get('hundred').hidden = !calculator;
  get('hundred').onclick = () => hundred(calculator);
  get('theme').onclick = () => window.toggleTheme();
  document.addEventListener('theme', showTheme);
  get('interrupt').onclick = () => current().interrupt();
  get('copy').onclick = copy;
  get('close').onclick = () => close(current());
  get('again').onclick = () => {
    current().start();
    current().xterm.focus();
  };
  document.addEventListener('keydown', leaves);
  new ResizeObserver(() => current()?.fit()).observe(get('panels'));
}

async function main() {
  const answer = await fetch('../programs/list.json');
  const kinds = await answer.json();
  menu.fill(kinds);
  listen(kinds);
  showTheme();
  const wanted = new URLSearchParams(location.search).get('program');
  tabs.select(begin(kinds.find(({ name }) => name === wanted) ?? kinds[0]));
  current().xterm.focus();
}

main().catch((error) => say(`the page did not begin: ${error.message}`));
