// modules.mjs - compiled modules: each is read and compiled once, for all programs of it.

/** @type {Map<string, Promise<WebAssembly.Module>>} by address */
const compiled = new Map();

async function read(url) {
  if (url.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return readFile(url);
  }
  const answer = await fetch(url);
  if (!answer.ok)
    throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

function fetchModule(url) {
  let made = compiled.get(url.href);
  if (!made) {
    made = read(url).then((bytes) => WebAssembly.compile(bytes));
    made.catch(() => compiled.delete(url.href)); // the next one asks again
    compiled.set(url.href, made);
  }
  return made;
}

/**
 * Settings of Emscripten's Module which have it use a module that is compiled here.
 * @param {URL | string | BufferSource | WebAssembly.Module} wasm an address, relative ones are
 *     the page's; bytes; or what was compiled elsewhere
 * @param {(why: Error) => void} fails
 * @returns {Promise<object>}
 */
export async function instantiates(wasm, fails) {
  const made = wasm instanceof WebAssembly.Module ? wasm
    : typeof wasm === 'string' || wasm instanceof URL
      ? await fetchModule(new URL(wasm, globalThis.document?.baseURI ?? globalThis.location?.href))
      : await WebAssembly.compile(wasm);
  return {
    instantiateWasm(imports, take) {
      WebAssembly.instantiate(made, imports).then((instance) => take(instance, made)).catch(fails);
      return {};
    },
  };
}

/** Under Node, Emscripten's scripts of 3.1 ask for these although they are modules. */
export async function prepareNode() {
  if (!globalThis.process?.versions?.node || globalThis.require)
    return;
  const { createRequire } = await import('node:module');
  globalThis.require = createRequire(import.meta.url);
  globalThis.__dirname ??= '.';
}
