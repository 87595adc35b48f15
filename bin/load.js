// Most of a short command's time goes into V8 reading and compiling text. The build leaves what V8 has compiled beside the text, and
// this loads both, by the same rules as Node's own loader for CommonJS. From version 22 on Node keeps that itself.
const { readFileSync } = require('node:fs');
const { createRequire, enableCompileCache } = require('node:module');
const { dirname, join, sep } = require('node:path');
const { Script } = require('node:vm');

const dist = join(__dirname, '..', 'dist');
const requireOther = createRequire(join(dist, 'main.js'));
const modules = new Map();

/** What V8 compiled belongs to one version of it and one kind of processor; V8 checks that, and this finds it. */
const compiledFolder = join('compiled', `${process.version}-${process.arch}`);
const compiledRoot = join(dist, compiledFolder);

/** A file of dist/ by its path there, with everything that it requires. */
function load(name) {
  // Beside the program, where only those can write who can change the program as well; where nobody can, Node does without.
  enableCompileCache?.(join(dist, 'compiled'));
  // Node finds the sources of what its own loader loads alone.
  return process.sourceMapsEnabled || enableCompileCache
    ? requireOther(`./${name}`)
    : loadFile(join(dist, name)).exports;
}

function loadFile(file) {
  const known = modules.get(file);
  if (known) return known.module;
  const head = '(function (exports, require, module, __filename, __dirname) { ';
  // The bundler escapes all but ASCII, comments aside. UTF-8 is the encoding that Node reads fastest.
  const script = new Script(`${head}${readFileSync(file, 'utf8')}\n})`, {
    // It is part of what V8 keeps, and the folder may be moved.
    filename: file.slice(dist.length - 'dist'.length),
    columnOffset: -head.length,
    cachedData: compiledBefore(file),
  });
  const module = { exports: {}, filename: file, id: file };
  // Before it runs, for files that require each other.
  modules.set(file, { module, script });
  try {
    script.runInThisContext().call(module.exports, module.exports, requireFrom(file), module, file, dirname(file));
  } catch (error) {
    modules.delete(file);
    throw error;
  }
  return module;
}

function requireFrom(file) {
  const folder = dirname(file);
  return Object.assign((name) => {
    // Most requires: a file of dist/ asks for one beside it. Normalizing hundreds of paths takes some milliseconds.
    if (folder === dist && name.lastIndexOf('/') === 1) return loadFile(dist + sep + name.slice(2)).exports;
    if (name.startsWith('.')) return loadFile(join(folder, name)).exports;
    return name.startsWith(dist + sep) ? loadFile(name).exports : requireOther(name);
  }, requireOther);
}

function compiledBefore(file) {
  try {
    return readFileSync(compiledFor(file));
  } catch {
    return undefined;
  }
}

function compiledFor(file) {
  return `${compiledRoot}${file.slice(dist.length)}.bin`;
}

module.exports = { compiledFolder, compiledFor, load, modules };
