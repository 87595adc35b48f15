import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Bundle extends AsyncDisposable {
  /** for `process.execPath` */
  readonly path: string;
}

/** A new folder below the project, so that packages which stay outside of the bundle are found. */
export async function bundleFolder(): Promise<string> {
  const parent = join(root, 'node_modules', '.cache');
  await mkdir(parent, { recursive: true });
  return await mkdtemp(join(parent, 'conclave-bundle-'));
}

/**
 * A program of test/ or scripts/ in JavaScript, as the build makes it: what the sources import later is loaded later. Through tsx each start
 * takes half a second longer.
 */
export async function bundle(source: string): Promise<Bundle> {
  const folder = await bundleFolder();
  await buildProgram(source, folder);
  return {
    path: join(folder, 'program.js'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const options = {
  bundle: true,
  minifyWhitespace: true,
  platform: 'node',
  format: 'esm',
  // Bundled CommonJS asks for Node's own modules by require().
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  target: 'node20',
  external: ['@silvia-odwyer/photon-node', 'argon2', 'bcrypt', 'pg', 'sql.js'],
  logLevel: 'error',
} as const satisfies BuildOptions;

/** @param folder gets `program.js`, and what it loads later */
export async function buildProgram(source: string, folder: string): Promise<void> {
  await build({ ...options, entryPoints: { program: join(root, source) }, outdir: folder, splitting: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
}

/** What the threads of a program run, where `start-thread.ts` finds it. @param folder that of the program */
export async function buildThreads(folder: string): Promise<void> {
  await build({ ...options, entryPoints: { worker: join(root, 'src/node/worker.ts') }, outdir: folder });
}
