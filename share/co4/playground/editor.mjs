// editor.mjs - a field for C: line numbers, colours, and marks at lines.
//
// It is a textarea, so that undo, selection, screen readers and the keyboard are the browser's own:
// Tab leaves it, Ctrl-] and Ctrl-[ shift lines. The same text in colours lies below it.

const words = 'auto break case char const continue default do double else enum extern float for ' +
  'goto if inline int long register restrict return short signed sizeof static struct switch ' +
  'typedef union unsigned void volatile while _Bool _Generic _Static_assert';
const kinds = new RegExp([
  '(?<c>//.*|/\\*[^]*?(?:\\*/|$))', '(?<s>"(?:\\\\.|[^"\\\\\\n])*"?|\'(?:\\\\.|[^\'\\\\\\n])*\'?)',
  '(?<m>\\b(?:pausable\\w*|co4_yield)\\b)', `(?<w>\\b(?:${words.split(' ').join('|')})\\b|^[ \\t]*#\\w+)`,
  '(?<n>\\b\\d[\\w.]*)', '\\b[A-Za-z_]\\w*',
].join('|'), 'gm');

/** A text, as lines of parts: [class, text]. */
export function coloured(text) {
  const lines = [[]];
  const add = (kind, part) => part.split('\n').forEach((piece, i) => {
    if (i > 0)
      lines.push([]);
    if (piece)
      lines.at(-1).push([kind, piece]);
  });
  let at = 0;
  for (const found of text.matchAll(kinds)) {
    add('', text.slice(at, found.index));
    add(Object.keys(found.groups).find((kind) => found.groups[kind] !== undefined) ?? '', found[0]);
    at = found.index + found[0].length;
  }
  add('', text.slice(at));
  return lines;
}

function element(tag, kind, ...inside) {
  const made = document.createElement(tag);
  made.className = kind;
  made.append(...inside);
  return made;
}

export class Editor {
  /**
   * @param {HTMLElement} place
   * @param {{ onchange: () => void, online: (line: number) => void }} hear
   */
  constructor(place, { onchange, online }) {
    this.numbers = element('div', 'numbers');
    this.colours = element('div', 'colours');
    this.area = element('textarea', '');
    Object.assign(this.area, { spellcheck: false, wrap: 'off', autocapitalize: 'off' });
    this.area.setAttribute('aria-label', 'C source');
    this.area.setAttribute('aria-describedby', 'said');
    for (const copy of [this.numbers, this.colours])
      copy.setAttribute('aria-hidden', 'true');
    place.append(this.numbers, this.colours, this.area);
    /** @type {Map<string, Set<number>>} lines that have a mark, by its class */
    this.marks = new Map();
    this.area.addEventListener('input', () => {
      this.draw();
      onchange();
    });
    this.area.addEventListener('scroll', () => this.follow());
    this.area.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.follow()).observe(this.area);
    const moved = () => online(this.line);
    for (const kind of ['keyup', 'click'])
      this.area.addEventListener(kind, moved);
  }

  get text() {
    return this.area.value;
  }

  set text(value) {
    this.area.value = value;
    this.area.setSelectionRange(0, 0);
    this.area.scrollTo(0, 0);
    this.draw();
  }

  /** The line of the caret, from 1. */
  get line() {
    return this.text.slice(0, this.area.selectionStart).split('\n').length;
  }

  /** Replaces all of it, so that undo brings it back. */
  replace(value) {
    this.area.focus();
    this.area.select();
    if (!this.insert(value))
      this.text = value;
    this.area.setSelectionRange(0, 0);
    this.area.scrollTo(0, 0);
    this.draw();
  }

  /** As typed: there is no other way that undo knows of. */
  insert(text) {
    return document.execCommand(text ? 'insertText' : 'delete', false, text);
  }

  key(event) {
    const { area } = this;
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.isComposing) {
      const before = area.value.slice(0, area.selectionStart).split('\n').at(-1);
      const indent = before.match(/^[ \t]*/)[0] + (/[{]\s*$/.test(before) ? '    ' : '');
      if (indent && this.insert(`\n${indent}`))
        event.preventDefault();
    } else if ((event.ctrlKey || event.metaKey) && (event.key === ']' || event.key === '[')) {
      event.preventDefault();
      this.shift(event.key === ']');
    }
  }

  /** Shifts the selected lines by four columns. */
  shift(right) {
    const { area } = this;
    const from = area.value.lastIndexOf('\n', area.selectionStart - 1) + 1;
    const next = area.value.indexOf('\n', Math.max(area.selectionEnd - 1, area.selectionStart));
    const to = next < 0 ? area.value.length : next;
    const lines = area.value.slice(from, to);
    const shifted = right ? lines.replace(/^(?=.)/gm, '    ') : lines.replace(/^ {1,4}/gm, '');
    area.setSelectionRange(from, to);
    if (shifted !== lines && this.insert(shifted))
      area.setSelectionRange(from, from + shifted.length);
  }

  /** Marks lines, in place of those that had this mark. */
  mark(kind, lines) {
    this.marks.set(kind, new Set(lines));
    this.drawMarks();
  }

  draw() {
    const lines = coloured(this.text);
    this.colours.replaceChildren(element('pre', '', ...lines.map((parts) =>
      element('div', '', ...parts.map(([kind, text]) => kind ? element('span', kind, text) : text)))));
    if (this.numbers.firstChild?.childNodes.length !== lines.length)
      this.numbers.replaceChildren(element('pre', '', ...lines.map((_, i) =>
        element('div', '', String(i + 1)))));
    this.drawMarks();
    this.follow();
  }

  drawMarks() {
    for (const side of [this.colours, this.numbers])
      [...side.firstChild?.childNodes ?? []].forEach((line, i) => {
        line.className = [...this.marks].filter(([, lines]) => lines.has(i + 1))
          .map(([kind]) => kind).join(' ');
      });
  }

  follow() {
    const { scrollTop, scrollLeft } = this.area;
    if (this.colours.firstChild) {
      this.colours.firstChild.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
      this.numbers.firstChild.style.transform = `translateY(${-scrollTop}px)`;
    }
  }

  /** Shows a line; `focus`: moves the caret there. */
  show(line, focus) {
    const lines = this.text.split('\n');
    const at = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    if (focus) {
      this.area.focus();
      this.area.setSelectionRange(at, at + (lines[line - 1] ?? '').length);
    }
    const height = this.area.scrollHeight / lines.length;
    const top = (line - 1) * height;
    if (top < this.area.scrollTop || top + height > this.area.scrollTop + this.area.clientHeight)
      this.area.scrollTop = top - this.area.clientHeight / 2;
  }
}
