// node settle-compiled.cjs STAGE: has V8 read what it compiled of the pack, and write it again to STAGE/settled, in one order of files. It
// numbers all functions of a process, so that one that ran more would change the number of each one behind it.
const { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const stage = process.argv[2];
const { scriptOf } = require(join(stage, 'start.cjs'));
const pack = readFileSync(join(stage, 'pack'));
const places = JSON.parse(readFileSync(join(stage, 'places.json'), 'utf8'));
const compiled = join(stage, 'compiled');

for (const name of readdirSync(compiled, { recursive: true }).sort()) {
  const file = join(compiled, name);
  if (!statSync(file).isFile()) continue;
  const [start, length] = places[name];
  const script = scriptOf(name, pack.latin1Slice(start, start + length), readFileSync(file));
  if (script.cachedDataRejected) throw new Error(`V8 does not take what it compiled of ${name}`);
  const settled = join(stage, 'settled', name);
  mkdirSync(dirname(settled), { recursive: true });
  writeFileSync(settled, script.createCachedData());
}
