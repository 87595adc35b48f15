// The shortest answer of the program. The streams of a process take longer to make than everything else that it needs.
const { writeSync } = require('node:fs');

const words = new Set(['--version', '-v', 'version']);

/** @param {string[]} argv */
function asksVersion(argv) {
  return argv.length === 1 && words.has(argv[0]);
}

/** @param {{ name: string, version: string }} program */
function sayVersion({ name, version }) {
  const line = `${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`;
  try {
    writeSync(1, line);
  } catch {
    require('./guard.js').watchOutputs();
    process.stdout.write(line);
  }
}

module.exports = { asksVersion, sayVersion };
