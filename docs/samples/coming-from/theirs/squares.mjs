/* squares.mjs - squares.c in JavaScript. */
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function square(n) {
  await sleep(n);
  return n * n;
}

const results = await Promise.all([1, 2, 3].map(square));
console.log(results.reduce((sum, n) => sum + n));
