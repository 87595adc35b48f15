import { posix } from 'node:path';

/**
 * A bundle without the imports that change nothing. esbuild has every entry import each chunk that it needs at any distance, for what the chunk
 * does when it is loaded: eighty lines in a file of five. A chunk that another import brings along is loaded without such a line.
 *
 * @param {{ outputFiles: { path: string, text: string, hash: string }[], metafile: import('esbuild').Metafile }} bundle as esbuild made it
 */
export function fewerImports({ outputFiles, metafile, ...rest }) {
  const outputs = structuredClone(metafile.outputs);
  const names = Object.keys(outputs);
  const files = outputFiles.map(({ path, text, hash }) => ({ path, text, hash }));
  for (const file of files) {
    const name = names.find((output) => file.path.endsWith(`/${output}`));
    const bare = new Set(
      [...file.text.matchAll(BARE)]
        .map(([, path]) => posix.join(posix.dirname(name), path))
        .filter((path) => path in outputs),
    );
    const { imports } = outputs[name];
    // What binds names stays, and so does what none of it brings along.
    const loaded = loadedBy(
      imports.filter(({ path, kind }) => kind === 'import-statement' && !bare.has(path)),
      outputs,
      name,
    );
    for (const path of bare) {
      if (loaded.has(path)) continue;
      loadedBy([{ path, kind: 'import-statement' }], outputs, name, loaded);
      bare.delete(path);
    }
    outputs[name].imports = imports.filter(({ path, kind }) => kind !== 'import-statement' || !bare.has(path));
    // As many characters as before, so that the source map stays right.
    file.text = file.text.replaceAll(BARE, (statement, path) =>
      bare.has(posix.join(posix.dirname(name), path)) ? ' '.repeat(statement.length) : statement,
    );
  }
  return { ...rest, outputFiles: files, metafile: { ...metafile, outputs } };
}

/** An import of another file of the bundle that binds no name. */
const BARE = /\bimport"(\.{1,2}\/[^"]+\.js)";/g;

/** Everything that is loaded with `imports`, at whatever distance, and not by way of `without`. */
function loadedBy(imports, outputs, without, seen = new Set()) {
  for (const { path, kind } of imports) {
    if (kind !== 'import-statement' || path === without || seen.has(path)) continue;
    seen.add(path);
    loadedBy(outputs[path]?.imports ?? [], outputs, without, seen);
  }
  return seen;
}
