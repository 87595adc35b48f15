// The files of the program, one behind the other, and where each of them is.
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');
const { loadAddon } = require('./addons.js');

/**
 * @param {ArrayBuffer} pack @param {Record<string, [start: number, length: number] | 0>} places by the names of files, and 0 of folders
 * @param {string} root of all names, as the code sees them. It is no folder, so that nothing on the disk is taken for a part of the program.
 */
function openPack(pack, places, root) {
  const modules = new Map();
  const has = (name) => Object.hasOwn(places, name);

  function view(name) {
    if (!places[name]) throw Object.assign(new Error(`this program has no ${name}`), { code: 'ENOENT' });
    return Buffer.from(pack, ...places[name]);
  }

  /** A module of the pack, by the rules of Node's own loader for CommonJS. */
  function loadModule(name) {
    const known = modules.get(name);
    if (known) return known.module.exports;
    const script = scriptAt(name);
    const file = join(root, name);
    const module = { exports: {}, filename: file, id: file };
    // Before it runs, for files that require each other.
    modules.set(name, { module, script });
    try {
      script
        .runInThisContext()
        .call(module.exports, module.exports, requireFrom(dirname(name)), module, file, dirname(file));
    } catch (error) {
      modules.delete(name);
      throw error;
    }
    return module.exports;
  }

  function scriptAt(name) {
    const ahead = `compiled/${name}`;
    return scriptOf(name, view(name).latin1Slice(), has(ahead) ? view(ahead) : undefined);
  }

  function requireFrom(folder) {
    return Object.assign(
      (asked) => {
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
    const addons = Object.keys(places).filter((each) => each.startsWith('addons/') && each.endsWith('.node'));
    return loadAddon(name, addons.indexOf(`addons/${name}.node`) + 1, view(`addons/${name}.node`));
  }

  /** It takes none of another version or under other flags, and says so nowhere. */
  function compiled() {
    const parts = Object.keys(places).filter((name) => places[name] && name.startsWith('compiled/'));
    const scripts = parts.map((name) => scriptAt(name.slice('compiled/'.length)));
    return { parts: parts.length, refused: scripts.filter(({ cachedDataRejected }) => cachedDataRejected).length };
  }

  return {
    checkAddons: () => void loadModule(packageFile('argon2')),
    compiled,
    has,
    load: (name) => loadModule(`dist/${name}`),
    modules,
    names: () => Object.keys(places).filter((name) => places[name]),
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
