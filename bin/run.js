#!/usr/bin/env node
// What isn't needed for an answer costs start-up time, so oclif is loaded only where a command runs.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const pjson = readJson('package.json');
const argv = process.argv.slice(2);

if (isOlder(process.versions.node, pjson.engines.node.replace('>=', ''))) {
  fail(`conclave needs Node ${pjson.engines.node}; this is ${process.version} (${process.execPath}).`);
} else if (argv[0] === '--version') {
  process.stdout.write(`${pjson.name}/${pjson.version} ${process.platform}-${process.arch} node-${process.version}\n`);
} else if (!existsSync(`${root}oclif.manifest.json`)) {
  fail(`conclave is not built yet; run this once:\n  npm --prefix ${root} run build`);
} else if (argv.length === 0 || (argv.length === 1 && ['--help', '-h', 'help'].includes(argv[0]))) {
  const { rootHelp } = await import('../dist/root-help.js');
  const { columns = 80, isTTY } = process.stdout;
  const bold = isTTY === true && !process.env.NO_COLOR;
  process.stdout.write(
    rootHelp({ pjson, manifest: readJson('oclif.manifest.json') }, { width: Math.min(columns, 120), bold }),
  );
} else {
  const { main } = await import('../dist/main.js');
  await main(argv, { root, pjson, userPlugins: false, devPlugins: false });
}

function readJson(name) {
  return JSON.parse(readFileSync(root + name, 'utf8'));
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
