#!/usr/bin/env node
// Everything that isn't needed for an answer costs start-up time, so oclif is loaded only past the quick ones.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const pjson = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const argv = process.argv.slice(2);

if (isOlder(process.versions.node, pjson.engines.node.replace('>=', ''))) {
  fail(`conclave needs Node ${pjson.engines.node}; this is ${process.version} (${process.execPath}).`);
} else if (argv[0] === '--version') {
  process.stdout.write(`${pjson.name}/${pjson.version} ${process.platform}-${process.arch} node-${process.version}\n`);
} else if (existsSync(`${root}dist/main.js`)) {
  const { main } = await import('../dist/main.js');
  await main(argv, { root, pjson, userPlugins: false, devPlugins: false });
} else {
  fail(`conclave is not built yet; run this once:\n  npm --prefix ${root} run build`);
}

function isOlder(version, wanted) {
  const [major, minor] = version.split('.').map(Number);
  const [wantedMajor, wantedMinor] = wanted.split('.').map(Number);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
