// session.mjs - a program at a terminal of its own: it runs, ends, and begins again.
//
// The picture of a session is made when it is first looked at: until then its output is kept, so a
// hundred sessions cost no hundred pictures. A program's module is compiled once for the page.
import { Kernel, load, Terminal } from '../co4.mjs';

const KEPT_MOST = 1 << 20; // bytes of output that no picture shows yet
const HISTORY_MOST = 500;
/** All sessions see the same files. */
const kernel = new Kernel();

const styles = getComputedStyle(document.documentElement);

/** The colours of the page for xterm.js. */
export function colours() {
  const of = (name) => styles.getPropertyValue(`--${name}`).trim();
  return {
    background: of('screen'), foreground: of('ink'), cursor: of('accent'),
    cursorAccent: of('screen'), selectionBackground: of('select'), red: of('bad'),
    brightRed: of('bad'), green: of('good'), brightGreen: of('good'), blue: of('accent'),
    brightBlue: of('accent'), brightBlack: of('quiet'), yellow: of('yellow'),
    brightYellow: of('yellow'), magenta: of('magenta'), brightMagenta: of('magenta'),
    cyan: of('cyan'), brightCyan: of('cyan'), white: of('ink'), brightWhite: of('ink'),
  };
}

let lastNumber = 0;

export class Session {
  /** @param {{ name: string, title: string, version: string, arguments: string[] }} kind */
  constructor(kind) {
    this.kind = kind;
    this.number = ++lastNumber;
    this.label = `${kind.title} ${this.number}`;
    /** @type {'begins' | 'runs' | 'ended' | 'failed'} */
    this.state = 'begins';
    this.text = 'begins';
    this.program = null;
    this.xterm = null;
    this.kept = [];
    this.keptBytes = 0;
    this.history = [];
    this.at = 0; // the place in the history
    this.draft = '';
    /** Called when the state has changed. */
    this.onstate = () => {};
    /** Called for each part of output. */
    this.onoutput = () => {};
    this.terminal = this.makeTerminal();
    this.start();
  }

  makeTerminal() {
    return new Terminal({ columns: this.xterm?.cols ?? 80, rows: this.xterm?.rows ?? 24,
      onoutput: (bytes) => this.show(bytes) });
  }

  show(bytes) {
    this.onoutput(bytes);
    if (this.xterm) {
      this.xterm.write(bytes);
      return;
    }
    this.kept.push(bytes.slice());
    this.keptBytes += bytes.length;
    if (this.keptBytes > 2 * KEPT_MOST)
      this.forgetOld();
  }

  forgetOld() {
    let first = 0;
    while (this.keptBytes > KEPT_MOST)
      this.keptBytes -= this.kept[first++].length;
    this.kept.splice(0, first);
  }

  /** What the page itself says in the terminal. */
  say(text, colour) {
    this.show(new TextEncoder().encode(`\r\n\x1b[${colour}m[${text}]\x1b[0m\r\n`));
  }

  is(state, text) {
    this.state = state;
    this.text = text;
    this.onstate();
  }

  /** Begins the program, again if it has ended. */
  async start() {
    if (this.program && !this.program.isOver)
      return;
    const turn = this.turn = {};
    if (this.state !== 'begins')
      this.terminal = this.makeTerminal(); // the old one may be in raw mode, or have a queue
    this.is('begins', 'begins');
    try {
      const at = new URL(`../programs/${this.kind.name}`, import.meta.url).href;
      const { default: create } = await import(`${at}.mjs`);
      const program = await load(create, { kernel, terminal: this.terminal, wasm: `${at}.wasm`,
        arguments: this.kind.arguments, environment: { HOME: '/', TERM: 'xterm-256color' } });
      this.begun(turn, program);
    } catch (error) {
      this.fails(turn, error);
    }
  }

  begun(turn, program) {
    if (this.turn !== turn) { // it was closed meanwhile
      program.signal(9);
      return;
    }
    this.program = program;
    this.is('runs', 'runs');
    program.exit.then((status) => {
      if (this.turn !== turn)
        return;
      this.say(`exit status ${status}: Enter starts it again`, status === 0 ? 90 : 33);
      this.is('ended', `ended with exit status ${status}`);
    }, (error) => this.fails(turn, error));
  }

  fails(turn, error) {
    if (this.turn !== turn || this.state === 'failed')
      return;
    const why = error.message || String(error);
    this.say(`failed: ${why}: Enter starts it again`, 31);
    this.is('failed', `failed: ${why}`);
  }

  get isOver() {
    return this.state === 'ended' || this.state === 'failed';
  }

  /** What was typed or pasted. */
  input(data) {
    if (this.isOver) {
      if (data.includes('\r'))
        this.start();
      return;
    }
    if (data === '\x1b[A' || data === '\x1b[B' || data === '\x1bOA' || data === '\x1bOB') {
      if (this.recall(data.endsWith('A') ? -1 : 1))
        return;
    }
    for (const part of data.split(/(?<=[\r\n])/)) {
      const isEnd = /[\r\n]$/.test(part);
      this.terminal.input(isEnd ? part.slice(0, -1) : part);
      if (isEnd) {
        this.remember(this.terminal.line);
        this.terminal.input('\r');
      }
    }
  }

  remember(line) {
    if (line && line !== this.history.at(-1))
      this.history.push(line);
    if (this.history.length > HISTORY_MOST)
      this.history.shift();
    this.at = this.history.length;
  }

  /** Puts another line of the history in place of the one that is edited. */
  recall(step) {
    const line = this.terminal.line;
    if (line === null)
      return false;
    const to = this.at + step;
    if (to < 0 || to > this.history.length)
      return true;
    if (this.at === this.history.length)
      this.draft = line;
    this.at = to;
    this.terminal.input('\x15'); // kills the line, as any terminal does
    this.terminal.input(this.history[to] ?? this.draft);
    return true;
  }

  interrupt() {
    this.input('\x03');
    this.xterm?.focus();
  }

  /** Makes the picture in an element, once. */
  open(element) {
    if (this.xterm)
      return;
    const X = window.Terminal, Fit = window.FitAddon.FitAddon;
    this.xterm = new X({ theme: colours(), fontSize: 14, screenReaderMode: true,
      fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, monospace", scrollback: 5000,
      minimumContrastRatio: 4.5, cursorBlink: false });
    this.fitting = new Fit();
    this.xterm.loadAddon(this.fitting);
    this.xterm.open(element);
    this.xterm.textarea.setAttribute('aria-label', `Input of ${this.label}`);
    this.xterm.onData((data) => this.input(data));
    this.xterm.onResize(({ cols, rows }) => this.terminal.resize(cols, rows));
    this.xterm.attachCustomKeyEventHandler((event) => this.takesKey(event));
    this.fit();
    for (const bytes of this.kept)
      this.xterm.write(bytes);
    this.kept = [];
    this.keptBytes = 0;
  }

  fit() {
    this.fitting?.fit();
  }

  /** Shift-Tab. WebKitGTK gives it a key of its own. */
  static isBack({ key, code, shiftKey }) {
    return shiftKey && (key === 'Tab' || code === 'Tab');
  }

  /** Which keys are the program's; all else is the browser's and the page's. */
  takesKey(event) {
    const { key, ctrlKey, shiftKey, metaKey } = event;
    if (key === 'F6' || Session.isBack(event) || metaKey)
      return false;
    if (!ctrlKey || event.altKey)
      return true;
    const letter = key.toLowerCase();
    if (letter === 'v' || (letter === 'c' && shiftKey))
      return false;
    return !(letter === 'c' && this.xterm.hasSelection());
  }

  /** The text of its screen and of what has left it. */
  get screen() {
    const { active } = this.xterm.buffer, lines = [];
    for (let i = 0; i < active.length; i++)
      lines.push(active.getLine(i).translateToString(true));
    return lines.join('\n').trimEnd();
  }

  /** The end of it all. */
  close() {
    this.turn = null;
    if (this.program && !this.program.isOver)
      this.program.signal(9);
    this.xterm?.dispose();
  }
}
