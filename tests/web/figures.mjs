// figures.mjs - examples/web in a browser: figures.mjs BROWSER FOLDER SOURCE SCREENSHOT. SOURCE is
// figures.c, which the dump is held against.
import { readFileSync } from 'node:fs';
import { test } from './browser.mjs';

const [name, folder, source, screenshot] = process.argv.slice(2);

/** How many points of the picture are drawn, and a number for which ones. */
function picture() {
  const canvas = document.getElementById('canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let points = 0, sum = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3]) {
      points++;
      sum = (sum * 31 + at + data[at]) % 0xffffffff;
    }
  return { points, sum };
}

/** The page, and what it shows. */
class Figures {
  constructor(page) {
    this.page = page;
  }

  async state() {
    const said = await this.page.run(() => document.getElementById('state').textContent);
    const [tasks, moves, poked, frames, ms] = said.match(/[\d.]+/g)?.map(Number) ?? [];
    return { tasks, moves, poked, frames, ms };
  }

  /** Waits until its numbers hold, and returns them. */
  until(what, holds) {
    return this.page.until(async () => {
      const now = await this.state();
      return holds(now) && now;
    }, what);
  }

  drawn() {
    return this.page.run(picture);
  }

  untilDrawn(what, holds) {
    return this.page.until(async () => holds(await this.drawn()), what);
  }

  /** Its numbers and its picture stay as they are. */
  async stands(what) {
    let before = await this.state(), still = 0;
    await this.until(what, (now) => {
      still = now.moves === before.moves && now.frames === before.frames ? still + 1 : 0;
      before = now;
      return still === 5;
    });
    return before;
  }

  async dump(figures) {
    await this.page.click('#dump');
    const said = await this.page.run(() => document.getElementById('text').textContent);
    const tasks = said.match(/^ +task /gm)?.length;
    if (tasks !== figures + 1) // and the gate's keeper
      throw new Error(`${tasks} tasks in the dump`);
    return said;
  }
}

async function tasksComeAndGo(figures) {
  const { page } = figures;
  const first = await figures.until('it moves', (now) => now.moves > 1000);
  const begun = await figures.drawn();
  await figures.until('it moves on', (now) => now.moves > first.moves + 1000);
  await figures.untilDrawn('the picture changes',
    (now) => now.points > 2000 && now.sum !== begun.sum);
  await page.click('#more');
  await figures.until('1000 more tasks', (now) => now.tasks === first.tasks + 1000);
  await figures.untilDrawn('more is drawn', (now) => now.points > 1.2 * begun.points);
  const most = await figures.drawn();
  await page.click('#fewer');
  await figures.until('1000 tasks have ended', (now) => now.tasks === first.tasks);
  await figures.untilDrawn('less is drawn', (now) => now.points < most.points / 1.2);
  await page.click('#more');
  await figures.until('and 1000 are new', (now) => now.tasks === first.tasks + 1000);
  for (const [across, down] of [[0.3, 0.3], [0.5, 0.5], [0.7, 0.6], [0.5, 0.3]])
    await page.click('#canvas', { across, down });
  await figures.until('a figure is poked', (now) => now.poked > 0);
}

/** The calls of a dump are calls of the source. */
function compare(dump) {
  const lines = readFileSync(source, 'utf8').split('\n');
  const calls = new Set();
  const frames = dump.matchAll(/#\d+ +(\w+) \(\) at \S*figures\.c:(\d+) in (\w+)\(\)/g);
  for (const [, caller, line, callee] of frames) {
    if (!lines[line - 1].includes(`${callee}(`))
      throw new Error(`figures.c:${line} does not call ${callee}()`);
    calls.add(`${caller} in ${callee}`);
  }
  for (const call of ['figure in walk', 'walk in co4_rwlock_read',
    'keep_gate in co4_mailbox_receive'])
    if (!calls.has(call))
      throw new Error(`the dump has no ${call}()\n${dump.slice(0, 600)}`);
}

async function pause(figures) {
  const { page } = figures;
  await page.click('#pause');
  const before = await figures.stands('it does not move, and asks for no frames');
  const stood = await figures.drawn();
  await figures.stands('and stays so');
  if ((await figures.drawn()).sum !== stood.sum)
    throw new Error('it moves while it is paused');
  await figures.dump(before.tasks);
  await page.click('#fewer');
  await figures.until('those that wait can end', (now) => now.tasks === before.tasks - 1000);
  compare(await figures.dump(before.tasks - 1000));
  await page.screenshot(screenshot);
  await page.click('#pause');
  return figures.until('it goes on', (now) => now.moves > before.moves + 1000);
}

await test(name, folder, async (page, url) => {
  const figures = new Figures(page);
  await page.go(`${url}/index.html`);
  await tasksComeAndGo(figures);
  const end = await pause(figures);
  console.log(`${name} ${page.version}: ${end.tasks} tasks, ${end.moves} moves, ` +
    `${end.poked} poked, ${end.frames} frames, ${end.ms} ms a step`);
});
