// waiters.mjs - the callers that wait until an object is ready.
//
// A waiter has events and a callback. The callback runs at most once, from a microtask, when one of
// the events holds, in the order in which waiters came. The state is looked at again after each
// callback: of a thousand readers, a message wakes those that still find it. So each wake costs as
// much as the waiters that it calls. A callback that throws does not keep others from running.
import { POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT, POLLPRI, POLLRDHUP, POLLRDNORM, POLLWRNORM }
  from './constants.mjs';

const INPUT = POLLIN | POLLPRI | POLLRDNORM | POLLRDHUP;
const OUTPUT = POLLOUT | POLLWRNORM;
/** Reported whether they are asked for or not. */
export const ALWAYS = POLLERR | POLLHUP | POLLNVAL;

/** @typedef {{ events: number, callback: (() => void) | null }} Waiter */

/**
 * Calls a callback; its exception is reported as that of an event handler.
 * @param {() => void} callback
 */
export function callSafely(callback) {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => { throw error; });
  }
}

export class Waiters {
  /** @param {() => number} poll the events that hold now */
  constructor(poll) {
    this.poll = poll;
    /** @type {Set<Waiter>[]} */
    this.sets = [new Set(), new Set(), new Set()];
    this.scheduled = false;
  }

  /** The number of waiters. */
  get size() {
    const [input, output, others] = this.sets;
    let both = 0;
    const [few, many] = input.size < output.size ? [input, output] : [output, input];
    for (const waiter of few)
      both += many.has(waiter) ? 1 : 0;
    return input.size + output.size + others.size - both;
  }

  /**
   * @param {number} events
   * @param {() => void} callback
   * @returns {() => void} cancels it: it is not called any more
   */
  add(events, callback) {
    /** @type {Waiter} */
    const waiter = { events, callback };
    if (events & INPUT)
      this.sets[0].add(waiter);
    if (events & OUTPUT)
      this.sets[1].add(waiter);
    if (!(events & (INPUT | OUTPUT)))
      this.sets[2].add(waiter);
    if (this.poll() & (events | ALWAYS))
      this.wake();
    return () => this.remove(waiter);
  }

  /** @param {Waiter} waiter */
  remove(waiter) {
    waiter.callback = null;
    for (const set of this.sets)
      set.delete(waiter);
  }

  /** To be called after each change that may make an event hold. */
  wake() {
    if (this.scheduled || this.sets.every((set) => set.size === 0))
      return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      this.call();
    });
  }

  call() {
    const asked = [INPUT, OUTPUT, 0];
    this.sets.forEach((set, i) => {
      // A waiter that a callback adds waits for the next wake.
      let left = set.size;
      for (const waiter of set) {
        const now = this.poll();
        if (left-- === 0 || !(now & (asked[i] | ALWAYS)))
          break;
        if (now & (waiter.events | ALWAYS)) {
          const callback = /** @type {() => void} */ (waiter.callback);
          this.remove(waiter);
          callSafely(callback);
        }
      }
    });
  }

  /** Calls all, whatever holds: the object has ended. */
  end() {
    this.poll = () => POLLNVAL;
    this.wake();
  }
}
