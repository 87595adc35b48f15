// Loaded before the program (node --require): when it ends, what V8 has compiled of the bundle by then is kept beside the bundle.
const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

process.on('exit', (code) => {
  if (code !== 0) return;
  const { compiledFor, modules } = require(join(dirname(process.argv[1]), 'load.js'));
  for (const [file, { script }] of modules) {
    mkdirSync(dirname(compiledFor(file)), { recursive: true });
    writeFileSync(compiledFor(file), script.createCachedData());
  }
});
