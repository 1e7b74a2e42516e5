// later.mjs - code that waits only if an operation of a file system does.
//
// Operations may return their result or a promise of it. A generator yields what such an operation
// returned and gets the result. While no operation returns a promise, all runs at once and the
// result is no promise either.

/**
 * @template T
 * @typedef {T | Promise<T>} Maybe a result, or a promise of it
 */

/**
 * @param {unknown} value
 * @returns {value is Promise<any>}
 */
export function isPromise(value) {
  return typeof value === 'object' && value !== null &&
    typeof (/** @type {any} */ (value).then) === 'function';
}

async function finish(generator, waiting) {
  for (;;) {
    let step;
    try {
      const value = await waiting;
      step = generator.next(value);
    } catch (error) {
      step = generator.throw(error);
    }
    while (!step.done && !isPromise(step.value))
      step = generator.next(step.value);
    if (step.done)
      return step.value;
    waiting = step.value;
  }
}

/**
 * Runs a generator to its end: at once, or from the first promise on as promises are settled.
 * @template T
 * @param {Generator<any, T, any>} generator
 * @returns {T | Promise<T>}
 */
export function run(generator) {
  let step = generator.next();
  while (!step.done) {
    if (isPromise(step.value))
      return finish(generator, step.value);
    step = generator.next(step.value);
  }
  return step.value;
}

/**
 * Calls `then` with a result, now or later.
 * @template T, U
 * @param {Maybe<T>} value
 * @param {(value: T) => Maybe<U>} then
 * @returns {Maybe<U>}
 */
export function after(value, then) {
  return isPromise(value) ? value.then(then) : then(/** @type {T} */ (value));
}
