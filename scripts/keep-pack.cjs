// Runs the pack of STAGE as the one file would: node keep-pack.cjs STAGE word … When it ends, what V8 has compiled of it by then is kept in
// STAGE/compiled.
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const v8 = require('node:v8');
const { isMainThread } = require('node:worker_threads');

function runPack(stage) {
  const read = (name) => readFileSync(join(stage, { pack: 'pack', places: 'places.json', start: 'start.cjs' }[name]));
  const { run } = require(join(stage, 'start.cjs'));
  return run({
    getRawAsset: (name) => new Uint8Array(read(name)).buffer,
    // A thread of this Node finds nothing in the file that it is.
    getAsset: (name) =>
      name === 'start'
        ? `require(${JSON.stringify(__filename)}).runPack(${JSON.stringify(stage)})`
        : read(name).toString('utf8'),
  });
}

module.exports = { runPack };

if (isMainThread) {
  // V8 takes what was compiled under the same flags alone, and a server changes some when it is ready.
  v8.setFlagsFromString = () => undefined;
  const [stage] = process.argv.splice(2, 1);
  const { modules } = runPack(stage);
  process.on('exit', (code) => {
    if (code !== 0) return;
    for (const [name, { script }] of modules) {
      const file = join(stage, 'compiled', name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, script.createCachedData());
    }
  });
}
