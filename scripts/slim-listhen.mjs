/**
 * listhen loads node-forge at every start, half of the time that it takes itself, for certificates that it makes on its own. The
 * program always hands it certificate and key, so in the bundle it gets nothing; src/serve/self-signed.ts gets the real one.
 */
export const slimListhen = {
  name: 'slim-listhen',
  setup(build) {
    build.onResolve({ filter: /^node-forge$/ }, ({ path, importer, namespace }) =>
      namespace === 'file' && importer.includes('/listhen/') ? { path, namespace: 'slim-listhen' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'slim-listhen' }, () => ({ contents: 'export default {};' }));
  },
};
