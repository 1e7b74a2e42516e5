// tabs.mjs - a list of tabs and a menu for the keyboard, as the patterns of ARIA have them: one of
// the list is in the order of Tab, arrows go through it.

/** Where a key leads from one of `count` places, or -1. */
function moved(key, at, count, back, on) {
  switch (key) {
  case back: return (at + count - 1) % count;
  case on: return (at + 1) % count;
  case 'Home': return 0;
  case 'End': return count - 1;
  default: return -1;
  }
}

/** Tabs of sessions. Each has a panel. */
export class Tabs {
  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} panels
   * @param {{ onselect: (session: any, panel: HTMLElement) => void, onclose: (session: any) => void,
   *     onenter: (session: any) => void }} how
   */
  constructor(list, panels, how) {
    Object.assign(this, { list, panels }, how);
    /** @type {{ session: any, tab: HTMLElement, panel: HTMLElement }[]} */
    this.all = [];
    this.current = null;
    list.addEventListener('keydown', (event) => this.key(event));
  }

  add(session) {
    const tab = document.createElement('button'), panel = document.createElement('div');
    Object.assign(tab, { type: 'button', id: `tab-${session.number}`, tabIndex: -1 });
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-selected', 'false');
    tab.setAttribute('aria-controls', `panel-${session.number}`);
    tab.innerHTML = '<span class="label"></span><span class="x" aria-hidden="true">×</span>';
    tab.querySelector('.label').textContent = session.label;
    tab.querySelector('.x').title = 'Close';
    tab.onclick = (event) => /** @type {Element} */ (event.target).className === 'x' ?
      this.onclose(session) : this.select(session);
    Object.assign(panel, { id: `panel-${session.number}`, hidden: true });
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    this.list.append(tab);
    this.panels.append(panel);
    this.all.push({ session, tab, panel });
    this.mark(session);
  }

  entry(session) {
    return this.all.find((one) => one.session === session);
  }

  /** Shows the state of a session at its tab. */
  mark(session) {
    const entry = this.entry(session);
    if (!entry)
      return;
    entry.tab.dataset.state = session.state;
    entry.tab.setAttribute('aria-label', `${session.label}, ${session.text}`);
  }

  select(session) {
    const entry = this.entry(session);
    if (this.current === entry)
      return;
    if (this.current)
      this.show(this.current, false);
    this.current = entry;
    this.show(entry, true);
    entry.tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.onselect(session, entry.panel);
  }

  show({ tab, panel }, on) {
    tab.setAttribute('aria-selected', String(on));
    tab.tabIndex = on ? 0 : -1;
    panel.hidden = !on;
  }

  /** Takes it away, and selects its neighbour. */
  remove(session) {
    const at = this.all.findIndex((one) => one.session === session);
    const [{ tab, panel }] = this.all.splice(at, 1);
    const had = this.current?.session === session;
    tab.remove();
    panel.remove();
    if (!had)
      return;
    this.current = null;
    if (this.all.length)
      this.select(this.all[Math.min(at, this.all.length - 1)].session);
  }

  focus() {
    this.current?.tab.focus();
  }

  key(event) {
    const at = this.all.indexOf(this.current);
    const to = moved(event.key, at, this.all.length, 'ArrowLeft', 'ArrowRight');
    if (to >= 0) {
      this.select(this.all[to].session);
      this.focus();
    } else if (event.key === 'Delete') {
      this.onclose(this.current.session);
      this.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.onenter(this.current.session);
    } else {
      return;
    }
    event.preventDefault();
  }
}

/** A button with a menu. */
export class Menu {
  /**
   * @param {HTMLElement} button
   * @param {HTMLElement} list
   * @param {(item: any) => void} onchoose
   */
  constructor(button, list, onchoose) {
    Object.assign(this, { button, list, onchoose });
    button.addEventListener('click', () => this.open(list.hidden));
    button.addEventListener('keydown', (event) => {
      if (!['ArrowDown', 'ArrowUp', 'Enter'].includes(event.key))
        return; // Enter, too: in Firefox its click comes after the key is up, and closes the menu
      event.preventDefault();
      this.open(true, event.key === 'ArrowUp' ? -1 : 0);
    });
    list.addEventListener('keydown', (event) => this.key(event));
    list.addEventListener('focusout', (event) => {
      if (!list.contains(/** @type {Node} */ (event.relatedTarget)))
        this.open(false);
    });
  }

  /** @param {{ title: string, about: string }[]} items */
  fill(items) {
    this.list.replaceChildren(...items.map((item) => {
      const entry = document.createElement('li'), about = document.createElement('span');
      entry.setAttribute('role', 'menuitem');
      entry.tabIndex = -1;
      about.textContent = item.about;
      entry.append(item.title, about);
      entry.onmousedown = (event) => event.preventDefault(); // keeps the focus
      entry.onclick = () => this.choose(item);
      return entry;
    }));
    this.items = items;
  }

  open(on, at = 0) {
    this.list.hidden = !on;
    this.button.setAttribute('aria-expanded', String(on));
    if (on)
      /** @type {HTMLElement} */ ([...this.list.children].at(at)).focus();
  }

  choose(item) {
    this.open(false);
    this.onchoose(item);
  }

  key(event) {
    const entries = /** @type {HTMLElement[]} */ ([...this.list.children]);
    const at = entries.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = moved(event.key, at, entries.length, 'ArrowUp', 'ArrowDown');
    if (to >= 0) {
      entries[to].focus();
    } else if (event.key === 'Escape') {
      this.button.focus();
      this.open(false);
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.choose(this.items[at]);
    } else {
      return;
    }
    event.preventDefault();
  }
}
