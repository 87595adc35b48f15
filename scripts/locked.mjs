import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function readLock(root) {
  return JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
}

/** What package-lock.json says of a package. @param {string} named with its version */
export function lockedAs({ packages }, named) {
  const at = named.lastIndexOf(' ');
  const isIt = ([path, { version }]) =>
    path.endsWith(`node_modules/${named.slice(0, at)}`) && version === named.slice(at + 1);
  const [path, entry] = Object.entries(packages).find(isIt) ?? [];
  if (path === undefined) throw new Error(`package-lock.json has no ${named}`);
  return { ...entry, path };
}
