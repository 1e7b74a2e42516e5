// playground.mjs - pages that scripts/playground has written, in a browser:
// playground.mjs BROWSER FOLDER
//
// woven.html is of the program woven.c, refused.html of refused.c, which has a call that is refused
// at line 5.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from './browser.mjs';

const [name, folder] = process.argv.slice(2);
const holds = (what, is) => {
  if (!is)
    throw new Error(`it is not so: ${what}`);
};

await test(name, folder, async (page, url) => {
  const all = (selector, what) =>
    page.run(`[...document.querySelectorAll('${selector}')].map((one) => one.${what})`);

  await page.go(`${url}/woven.html`);
  const source = readFileSync(join(folder, 'woven.c'), 'utf8').replace(/\n$/, '').split('\n');
  holds('the source is there, line by line',
    JSON.stringify(await all('#source .code div', 'textContent')) === JSON.stringify(source));
  const boxes = await page.run(`[...document.querySelectorAll('section')]
    .map((one) => one.getBoundingClientRect()).map(({ x, y, width, right }) => ({ x, y, width, right }))`);
  holds('three columns, side by side', boxes.length === 3 &&
    boxes.every((box, i) => box.y === boxes[0].y && box.width > 200 && (i === 0 || box.x >= boxes[i - 1].right)));

  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
  const said = (await all('#report tr', 'innerText')).map((row) => row.split('\t').join(' '));
  for (const { name, frame_bytes, points, fields } of report.functions) {
    const about = await page.run(`document.querySelector('#report').innerText`);
    holds(`the report has ${name}()`, about.includes(`${name}()`) && about.includes(`a frame of ${frame_bytes} bytes`));
    for (const { id, line, callee } of points)
      holds(`and its point ${id}`, said.some((row) => row.startsWith(`${id} ${line} ${callee}()`)));
    for (const field of fields)
      holds(`and its ${field.name}`, said.some((row) => row.startsWith(`${field.name} ${field.type} ${field.bytes} ${field.offset} `)));
  }

  // A line of the source that pauses is clicked.
  const { line } = report.functions[0].points[0];
  holds('it is marked', await page.run(`document.querySelector('#source .code div:nth-child(${line})').className`) === 'point');
  await page.click(`#source .code div:nth-child(${line})`);
  holds('its line lights up', (await all('#source .lit', 'textContent')).join() === source[line - 1]);
  holds('and its point', (await all('#report .lit', 'innerText')).some((row) => row.includes(report.functions[0].points[0].callee)));
  holds('and its woven text, which saves what it needs',
    (await all('#woven .lit', 'textContent')).some((text) => text.includes('co4_abi_save(')));
  const head = report.functions[0];
  holds('its frame belongs to the line of the function', await page.run(
    `[...document.querySelectorAll('#woven .code div')].find((one) => one.textContent.startsWith('struct ${head.name}__frame {'))
      .dataset.line`) === String(head.line));
  await page.until(() => page.run(() => {
    const place = (selector) => document.querySelector(selector).getBoundingClientRect();
    const lit = place('#woven .lit'), all = place('#woven');
    return lit.top >= all.top - 1 && lit.top < all.bottom;
  }), 'it is scrolled to');
  await page.screenshot(join(folder, 'woven.png'));

  await page.go(`${url}/refused.html`);
  holds('a refusal stands below its line', await page.run(
    `document.querySelector('#source .said')?.previousElementSibling.dataset.line`) === '5');
  holds('and in the report', (await all('#report .said', 'textContent')).some((text) => /line 5: error: .*pausable/.test(text)));
  holds('nothing is woven', (await all('#woven .code div', 'textContent')).length === 0);
  console.log(`${source.length} lines, ${report.functions.length} functions`);
});
