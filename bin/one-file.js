// The beginning of the program where all of it is one file, and of each of its threads. scripts/release puts the rest beside it.
const { isMainThread } = require('node:worker_threads');
const { disarmInspector, watchOutputs } = require('./guard.js');
const { openPack, scriptOf } = require('./pack.js');
const { start } = require('./start.js');

/** @param {{ getRawAsset(name: string): ArrayBuffer, getAsset(name: string, encoding: 'utf8'): string }} assets */
function run({ getRawAsset, getAsset }) {
  const pack = openPack(getRawAsset('pack'), JSON.parse(getAsset('places', 'utf8')), process.execPath);
  // src/one-file.ts looks for it there.
  globalThis[Symbol.for('conclave.one-file')] = {
    ...pack,
    thread: () => ({ text: getAsset('start', 'utf8'), env: folders() }),
  };
  if (isMainThread) {
    disarmInspector();
    watchOutputs();
    const { compiled, has, load, readText } = pack;
    const readJson = (name) => JSON.parse(readText(name));
    const pjson = readJson('package.json');
    start({ root: process.execPath, pjson, has, readJson, load, compiled }, process.argv.slice(2));
  } else {
    pack.load('worker.js');
  }
  return pack;
}

/** A thread gets no other variables of the environment. */
function folders() {
  const { XDG_RUNTIME_DIR, TMPDIR } = process.env;
  return { ...(XDG_RUNTIME_DIR && { XDG_RUNTIME_DIR }), ...(TMPDIR && { TMPDIR }) };
}

module.exports = { run, scriptOf };

const sea = process.getBuiltinModule('node:sea');
// The build loads this too, to find out what V8 makes of it.
if (sea.isSea()) run(sea);
