import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Bundle extends AsyncDisposable {
  /** for `process.execPath` */
  readonly path: string;
}

/** A program of test/ or scripts/ as one file that Node starts at once: through tsx each start takes half a second longer. */
export async function bundle(source: string): Promise<Bundle> {
  // Below the project, so that packages which stay outside of the bundle are found.
  const parent = join(root, 'node_modules', '.cache');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'conclave-bundle-'));
  const path = join(folder, 'program.mjs');
  await build({
    entryPoints: [join(root, source)],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Bundled CommonJS asks for Node's own modules by require().
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    target: 'node20',
    external: ['sql.js', 'pg', 'argon2', 'bcrypt'],
    logLevel: 'error',
  });
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
