// From the words of a command line to what answers them, for the program in a folder (run.js) and in one file (one-file.js).
// What isn't needed for an answer costs start-up time, so oclif is loaded only where a command runs.
const { join } = require('node:path');

const shortHelp = new Set(['--help', '-h', 'help']);
const longVersion = new Set(['--version', '--verbose', '--json']);

/**
 * @typedef {object} Program
 * @property {string} root the folder that the names below are in
 * @property {any} pjson its package.json
 * @property {(name: string) => boolean} has whether the program has a file or a folder of this name
 * @property {(name: string) => any} readJson
 * @property {(name: string) => any} load a file of dist/, with everything that it requires
 * @property {() => { parts: number, refused: number }} [compiled] of one file: what V8 has compiled of it ahead
 */

/** @param {Program} program @param {string[]} argv */
function start({ root, pjson, has, readJson, load, compiled }, argv) {
  // When nothing is left to do, Node would give back its memory piece by piece before it ends, which takes longer than a short command's work.
  process.once('beforeExit', () => process.exit());
  if (argv.includes('--verbose') && argv.every((word) => longVersion.has(word))) {
    const { versionDetails } = load('version-details.js');
    const source = { pjson, contents: readJson('dist/contents.json'), place: root, compiled: compiled?.() };
    process.stdout.write(versionDetails(source, argv.includes('--json')));
  } else if (argv.length === 0 || (argv.length === 1 && shortHelp.has(argv[0]))) {
    pjson.oclif.topics = readJson('dist/topics.json');
    const { rootHelp } = load('root-help.js');
    // Neither a width nor a terminal where output goes to a file.
    const { columns, isTTY } = process.stdout;
    const style = { width: Math.min(columns || 80, 120), bold: isTTY && !process.env.NO_COLOR };
    process.stdout.write(rootHelp({ pjson, manifest: readJson('oclif.manifest.json') }, style));
  } else {
    const { main } = load('main.js');
    // The manifest with all flags is for those who show them, and the one with all commands for words that name none of them.
    const isLong = argv.some((word) => shortHelp.has(word) || word === 'completion');
    const folder = isLong ? '' : folderOfCommand(argv, has);
    if (folder === undefined || isLong) pjson.oclif.topics = readJson('dist/topics.json');
    void main(argv, { root: join(root, folder ?? 'dist'), pjson, userPlugins: false, devPlugins: false });
  }
}

/** Where the manifest of a command is: of the one that most words name, as oclif finds it. */
function folderOfCommand(words, has) {
  let folder = 'dist/commands';
  let found;
  for (const word of words) {
    // Other words are no names, and a path would lead out of the folder.
    if (!/^[a-z][a-z-]*$/.test(word)) break;
    folder = `${folder}/${word}`;
    if (!has(folder)) break;
    if (has(`${folder}/oclif.manifest.json`)) found = folder;
  }
  return found;
}

module.exports = { start };
