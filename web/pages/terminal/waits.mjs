// waits.mjs - the list of what all sessions wait for: tasks, and their functions of C.
//
// It is asked for anew now and then; only the entries that have changed are drawn. What the library
// waits in is below the program's functions, and quiet.
const EVERY = 400; // ms

function make(kind, className, text) {
  const element = document.createElement(kind);
  if (className)
    element.className = className;
  if (text !== undefined)
    element.textContent = text;
  return element;
}

const fileOf = (path) => path.slice(path.lastIndexOf('/') + 1);

/** The innermost frames are the library's, up to the function of it that the program has called. */
const ofLibrary = (frames) => frames.findLastIndex(({ function: name }) => name.startsWith('co4_'));

function drawFrame(frame, i, frames) {
  const item = make('li', i <= ofLibrary(frames) ? 'library' : '');
  item.append(make('span', 'code', `${frame.function}()`));
  if (frame.file)
    item.append(' ', make('span', 'place code', `${fileOf(frame.file)}:${frame.line}`));
  return item;
}

function drawTask(task) {
  const item = make('li');
  const head = [task.name || task.function || 'task', task.state, task.wait].filter(Boolean);
  item.append(make('p', 'task', head.join(', ')));
  const frames = make('ol', 'frames');
  frames.append(...task.frames.map(drawFrame));
  if (frames.children.length)
    item.append(frames);
  return item;
}

export class Waits {
  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} count
   * @param {(session: import('./session.mjs').Session) => void} select
   */
  constructor(list, count, select) {
    Object.assign(this, { list, count, select });
    /** @type {Map<object, { element: HTMLElement, key: string }>} */
    this.entries = new Map();
    setInterval(() => document.hidden || this.draw(), EVERY);
    this.sessions = () => [];
  }

  /** Looks at all sessions. */
  draw() {
    const sessions = this.sessions(), gone = new Set(this.entries.keys());
    let tasks = 0;
    for (const session of sessions) {
      gone.delete(session);
      tasks += this.drawSession(session);
    }
    for (const session of gone) {
      this.entries.get(session).element.remove();
      this.entries.delete(session);
    }
    const text = `${sessions.length} session${sessions.length === 1 ? '' : 's'}, ` +
      `${tasks} task${tasks === 1 ? '' : 's'}`;
    if (this.count.textContent !== text)
      this.count.textContent = text;
  }

  drawSession(session) {
    const tasks = session.program?.tasks() ?? [];
    const key = JSON.stringify([session.text, tasks]);
    const entry = this.entries.get(session) ?? this.add(session);
    if (entry.key !== key) {
      entry.key = key;
      const body = make('ol');
      body.append(...tasks.map(drawTask));
      entry.element.replaceChildren(entry.head,
        tasks.length ? body : make('p', 'task', session.text));
    }
    return tasks.length;
  }

  add(session) {
    const element = make('div', 'session'), head = make('button', '', session.label);
    head.type = 'button';
    head.onclick = () => this.select(session);
    this.list.append(element);
    const entry = { element, head, key: '' };
    this.entries.set(session, entry);
    return entry;
  }
}
