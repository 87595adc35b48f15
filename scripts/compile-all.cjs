// node compile-all.cjs STAGE: writes what V8 compiles of each script of the pack to STAGE/compiled, in one order. It numbers all functions of
// a process.
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const stage = process.argv[2];
const { scriptOf } = require(join(stage, 'start.cjs'));
const pack = readFileSync(join(stage, 'pack'));
const places = JSON.parse(readFileSync(join(stage, 'places.json'), 'utf8'));

// Not what browsers get, nor what is read as data.
const isScript = (name) => /^(?:dist|packages)\/.*\.js$/.test(name) && !name.startsWith('dist/share-page/');

for (const name of Object.keys(places).filter(isScript).sort()) {
  const [start, length] = places[name];
  const file = join(stage, 'compiled', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, scriptOf(name, pack.latin1Slice(start, start + length)).createCachedData());
}
