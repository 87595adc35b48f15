// Loaded before the program (node --require): when it ends, what V8 has compiled of the bundle by then is kept beside the bundle.
const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const v8 = require('node:v8');

// V8 takes what was compiled under the same flags alone, and a server changes some when it is ready.
v8.setFlagsFromString = () => undefined;

process.on('exit', (code) => {
  if (code !== 0) return;
  const { compiledFor, modules } = require(join(dirname(process.argv[1]), 'load.js'));
  for (const [file, { script }] of modules) {
    mkdirSync(dirname(compiledFor(file)), { recursive: true });
    writeFileSync(compiledFor(file), script.createCachedData());
  }
});
