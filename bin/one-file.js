// The beginning of the program where all of it is one file, and of each of its threads. scripts/release puts the rest beside it.
// What a run doesn't need isn't loaded, as in run.js.
const { asksVersion, sayVersion } = require('./version.js');

/** What the text of a thread begins with. Asking Node for it takes longer. */
const isThread = Symbol.for('conclave.thread');

/** @param {{ getRawAsset(name: string): ArrayBuffer, getAsset(name: string, encoding: 'utf8'): string }} assets */
function run({ getRawAsset, getAsset }) {
  const { openPack } = require('./pack.js');
  const pack = openPack(getRawAsset('pack'), getAsset('places', 'utf8'), process.execPath);
  // src/base/one-file.ts looks for it there.
  globalThis[Symbol.for('conclave.one-file')] = {
    ...pack,
    thread: () => ({
      text: `globalThis[Symbol.for(${JSON.stringify(isThread.description)})] = true;\n${getAsset('start', 'utf8')}`,
      env: folders(),
    }),
  };
  // As src/platform/workers/start-process.ts asks for it.
  if (globalThis[isThread] || (process.argv[2] === '--work-process' && process.channel !== undefined)) {
    pack.load('worker.js');
    return;
  }
  const { disarmInspector, watchOutputs } = require('./guard.js');
  disarmInspector();
  watchOutputs();
  const { compiled, has, load, readText } = pack;
  const readJson = (name) => JSON.parse(readText(name));
  const pjson = readJson('package.json');
  require('./start.js').start({ root: process.execPath, pjson, has, readJson, load, compiled }, process.argv.slice(2));
}

/** A thread gets no other variables of the environment. */
function folders() {
  const { XDG_RUNTIME_DIR, TMPDIR } = process.env;
  return { ...(XDG_RUNTIME_DIR && { XDG_RUNTIME_DIR }), ...(TMPDIR && { TMPDIR }) };
}

const sea = process.getBuiltinModule('node:sea');
// The build loads this too, to find out what V8 makes of it.
if (!sea.isSea()) module.exports = require('./pack.js');
else if (asksVersion(process.argv.slice(2)) && !globalThis[isThread]) sayVersion(THIS_PROGRAM);
else run(sea);
