// The files of the program, one behind the other, and where each of them is.
const { join } = require('node:path');
const { Script } = require('node:vm');
const { loadAddon } = require('./addons.js');

/**
 * @param {ArrayBuffer} pack
 * @param {string} places of each file and each folder a line: its name, for files the start and the length of what it has, and for scripts
 *   that were compiled ahead those of what V8 made of it. It is searched, since a run asks for a few dozens of two thousand.
 * @param {string} root of all names, as the code sees them. It is no folder, so that nothing on the disk is taken for a part of the program.
 */
function openPack(pack, places, root) {
  const modules = new Map();
  const has = (name) => places.includes(`\n${name} `);

  function placesOf(name) {
    const line = `\n${name} `;
    const at = places.indexOf(line);
    const numbers = at === -1 ? '' : places.slice(at + line.length, places.indexOf('\n', at + line.length));
    if (numbers === '') throw Object.assign(new Error(`this program has no ${name}`), { code: 'ENOENT' });
    const [start, length, ...ahead] = numbers.split(' ').map(Number);
    return { whole: [start, length], ahead };
  }

  const view = (name) => Buffer.from(pack, ...placesOf(name).whole);

  /** Of all files. Lines of folders end behind their names. */
  const names = () => Array.from(places.matchAll(/^(\S+) \d/gm), ([, name]) => name);

  /** A module of the pack, by the rules of Node's own loader for CommonJS. */
  function loadModule(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const script = scriptAt(name);
    const file = `${root}/${name}`;
    const folder = name.slice(0, name.lastIndexOf('/'));
    const module = { exports: {}, filename: file, id: file };
    // Before it runs, for files that require each other.
    modules.set(name, module);
    try {
      script
        .runInThisContext()
        .call(module.exports, module.exports, requireFrom(folder), module, file, `${root}/${folder}`);
    } catch (error) {
      modules.delete(name);
      throw error;
    }
    return module.exports;
  }

  function scriptAt(name) {
    const { whole, ahead } = placesOf(name);
    const before = ahead.length > 0 ? Buffer.from(pack, ...ahead) : undefined;
    return scriptOf(name, Buffer.from(pack, ...whole).latin1Slice(), before);
  }

  function requireFrom(folder) {
    return Object.assign(
      (asked) => {
        // Most requires: normalizing their paths takes a millisecond.
        if (asked.startsWith('./') && asked.lastIndexOf('/') === 1) return loadModule(`${folder}${asked.slice(1)}`);
        if (asked.startsWith('.')) return loadModule(join(folder, asked));
        if (asked.startsWith(`${root}/`)) return loadModule(asked.slice(root.length + 1));
        if (asked.startsWith('addon:')) return addon(asked.slice('addon:'.length));
        return process.getBuiltinModule(asked) ?? loadModule(packageFile(asked));
      },
      {
        resolve: (asked) => {
          throw Object.assign(new Error(`Cannot find module '${asked}'`), { code: 'MODULE_NOT_FOUND' });
        },
      },
    );
  }

  function packageFile(asked) {
    const name = `packages/${asked}.js`;
    if (!has(name)) throw Object.assign(new Error(`Cannot find module '${asked}'`), { code: 'MODULE_NOT_FOUND' });
    return name;
  }

  function addon(name) {
    const addons = names().filter((each) => each.startsWith('addons/'));
    return loadAddon(name, addons.indexOf(`addons/${name}.node`) + 1, view(`addons/${name}.node`));
  }

  /** It takes none of another version or under other flags, and says so nowhere. */
  function compiled() {
    const scripts = names().flatMap((name) => (placesOf(name).ahead.length > 0 ? [scriptAt(name)] : []));
    return { parts: scripts.length, refused: scripts.filter(({ cachedDataRejected }) => cachedDataRejected).length };
  }

  return {
    checkAddons: () => void loadModule(packageFile('argon2')),
    compiled,
    has,
    load: (name) => loadModule(`dist/${name}`),
    names,
    /** A copy, because the pack itself is memory that ends the process when it is written to. */
    read: (name) => Buffer.from(view(name)),
    readText: (name) => view(name).utf8Slice(),
    /** The text of a file by its whole path. Undefined for a path outside the program. */
    readAt: (path) => (path.startsWith(`${root}/`) ? view(path.slice(root.length + 1)).utf8Slice() : undefined),
    requirePackage: (asked) => loadModule(packageFile(asked)),
    /** It is loaded anew when it is asked for again. */
    forgetPackage: (asked) => void modules.delete(packageFile(asked)),
  };
}

/** @param {string} text all ASCII @param {Uint8Array | undefined} cachedData what V8 has compiled of it before */
function scriptOf(name, text, cachedData) {
  const head = '(function (exports, require, module, __filename, __dirname) { ';
  return new Script(`${head}${text}\n})`, { filename: name, columnOffset: -head.length, cachedData });
}

module.exports = { openPack, scriptOf };
