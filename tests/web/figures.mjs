// figures.mjs - examples/web in a browser: figures.mjs FOLDER SOURCE SCREENSHOT. SOURCE is figures.c, which the dump is held against.
import { readFileSync } from 'node:fs';
import { browse } from './browser.mjs';

const [folder, source, screenshot] = process.argv.slice(2);

browse(folder, async (page) => {
  const state = async () => {
    const said = await page.value(`document.getElementById('state').textContent`);
    const [tasks, moves, poked, frames, ms] = said.match(/[\d.]+/g)?.map(Number) ?? [];
    return { tasks, moves, poked, frames, ms };
  };
  const until = (what, holds) => page.until(what, state, holds);
  // How many points of the picture are drawn, and a number for which ones.
  const drawn = () => page.value(`(() => {
    const { width, height } = canvas, { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    let points = 0, sum = 0;
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3]) {
        points++;
        sum = (sum * 31 + at + data[at]) % 0xffffffff;
      }
    return { points, sum };
  })()`);

  await page.open('index.html');
  const first = await until('it moves', (now) => now.moves > 1000);
  const begun = await drawn();
  await until('it moves on', (now) => now.moves > first.moves + 1000);
  await page.until('the picture changes', drawn, (now) => now.points > 2000 && now.sum !== begun.sum);
  await page.click('#more');
  await until('1000 more tasks', (now) => now.tasks === first.tasks + 1000);
  await page.until('more is drawn', drawn, (now) => now.points > 1.2 * begun.points);
  const most = await drawn();
  await page.click('#fewer');
  await until('1000 tasks have ended', (now) => now.tasks === first.tasks);
  await page.until('less is drawn', drawn, (now) => now.points < most.points / 1.2);
  await page.click('#more');
  await until('and 1000 are new', (now) => now.tasks === first.tasks + 1000);
  for (const [across, down] of [[0.3, 0.3], [0.5, 0.5], [0.7, 0.6], [0.5, 0.3]])
    await page.click('#canvas', across, down);
  await until('somebody is poked', (now) => now.poked > 0);

  await page.click('#pause');
  let before = await state();
  let still = 0;
  const stands = (now) => {
    still = now.moves === before.moves && now.frames === before.frames ? still + 1 : 0;
    before = now;
    return still === 5;
  };
  await until('it stands still, and asks for no frames', stands);
  const stood = await drawn();
  still = 0;
  await until('and stays so', stands);
  if ((await drawn()).sum !== stood.sum)
    throw new Error('it moves while it is paused');

  const dump = async (figures) => {
    await page.click('#dump');
    const said = await page.value(`document.getElementById('text').textContent`);
    const tasks = said.match(/^ +task /gm)?.length;
    if (tasks !== figures + 1) // and the gate's keeper
      throw new Error(`${tasks} tasks in the dump`);
    return said;
  };
  await dump(before.tasks);
  await page.click('#fewer');
  await until('those that wait can end', (now) => now.tasks === before.tasks - 1000);
  const text = await dump(before.tasks - 1000);
  const lines = readFileSync(source, 'utf8').split('\n');
  const calls = new Set();
  for (const [, caller, line, callee] of text.matchAll(/#\d+ +(\w+) \(\) at \S*figures\.c:(\d+) in (\w+)\(\)/g)) {
    if (!lines[line - 1].includes(`${callee}(`))
      throw new Error(`figures.c:${line} does not call ${callee}()`);
    calls.add(`${caller} in ${callee}`);
  }
  for (const call of ['figure in walk', 'walk in co4_rwlock_read', 'keep_gate in co4_mailbox_receive'])
    if (!calls.has(call))
      throw new Error(`the dump has no ${call}()\n${text.slice(0, 600)}`);
  await page.screenshot(screenshot);

  await page.click('#pause');
  const end = await until('it goes on', (now) => now.moves > before.moves + 1000);
  console.log(`${end.tasks} tasks, ${end.moves} moves, ${end.poked} poked, ${end.frames} frames, ${end.ms} ms a step`);
});
