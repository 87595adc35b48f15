/**
 * What listhen loads at every start and never needs here, each cut down to what is left of it. Together that takes three times as long
 * as listhen itself. The last two are a quarter of a megabyte that nothing loads.
 */
const stubs = {
  // Makes certificates; listhen is always handed one. src/serve/self-signed.ts gets the real package.
  'node-forge': `export default {};`,
  // Writes warnings in colour, for which it loads the tables of Unicode's segmentation.
  consola: `
    const write = (...parts) => void process.stderr.write(parts.join(' ') + '\\n');
    export const consola = { log: write, info: write, success: write, warn: write, error: write };
    export default consola;`,
  'consola/utils': `
    export const getColor = () => (text) => text;
    export const colors = new Proxy({}, { get: getColor });`,
  // Draws the QR code of a public address.
  uqr: `export const renderUnicodeCompact = () => '';`,
  // For its server that loads a module anew whenever a file changes.
  '@parcel/watcher-wasm': `export {};`,
  jiti: `export {};`,
};

/** An esbuild plugin. It fails the build when listhen takes something from a package that its stub doesn't have. */
export const slimListhen = {
  name: 'slim-listhen',
  setup(build) {
    const isStub = new RegExp(`^(${Object.keys(stubs).join('|')})$`);
    build.onResolve({ filter: isStub }, ({ path, importer, namespace }) =>
      namespace === 'file' && importer.includes('/node_modules/listhen/')
        ? { path, namespace: 'slim-listhen' }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'slim-listhen' }, ({ path }) => ({ contents: stubs[path] }));
  },
};
