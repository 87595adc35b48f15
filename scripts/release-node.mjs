// Fetches the Node that becomes part of the program in one file, and says where it is. Below node_modules, so that it is fetched once.
// node scripts/release-node.mjs PLATFORM
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url));

/** @returns the path of the program node */
async function fetchNode(platform) {
  const all = JSON.parse(await readFile(new URL('release-node.json', import.meta.url), 'utf8'));
  const wanted = all[platform];
  const folder = join(
    cache,
    `conclave-${wanted.package}-${wanted.version}-${wanted.integrity.slice(7, 15).replaceAll(/\W/g, '_')}`,
  );
  const node = join(folder, 'bin/node');
  if (existsSync(node)) return node;
  await mkdir(cache, { recursive: true });
  const stage = await mkdtemp(join(cache, 'conclave-node-'));
  try {
    const name = `${wanted.package}@${wanted.version}`;
    process.stderr.write(`Fetching Node ${wanted.version} for ${platform} (npm pack ${name}) ...\n`);
    await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', stage, name]);
    const archive = join(stage, `${wanted.package}-${wanted.version}.tgz`);
    const found = `sha512-${createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')}`;
    if (found !== wanted.integrity)
      throw new Error(`${name} is not the one that scripts/release-node.json names: it is ${found}.`);
    await run('tar', ['-xzf', archive, '-C', stage, 'package/bin/node', 'package/LICENSE']);
    // Another release may have fetched it meanwhile.
    await rename(join(stage, 'package'), folder).catch((error) => {
      if (!existsSync(node)) throw error;
    });
    return node;
  } finally {
    await rm(stage, { recursive: true });
  }
}

try {
  process.stdout.write(`${await fetchNode(process.argv[2])}\n`);
} catch (error) {
  process.stderr.write(`${error.stderr || ''}The Node for the file could not be fetched: ${error.message}\n`);
  process.exitCode = 1;
}
