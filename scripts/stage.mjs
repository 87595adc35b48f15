import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './bundle.mjs';

/** A folder for as long as `work` runs. It is below node_modules, where the packages that stay outside the bundle are found. */
export async function inStage(name, work) {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const stage = await mkdtemp(join(cache, `conclave-${name}-`));
  try {
    return await work(stage);
  } finally {
    await rm(stage, { recursive: true });
  }
}

export async function put(tree, name, content, mode = 0o644) {
  const file = join(tree, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await chmod(file, mode);
}

/** Whatever the umask of who builds is. Files have their modes from `put`. */
export async function openFolders(tree) {
  for (const entry of await readdir(tree, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755);
  await chmod(tree, 0o755);
}

/**
 * Puts what is in a folder, or what is named there, into an archive: the same bytes whoever makes it, and whenever.
 *
 * @param {string} target the file; what it has already stays in front
 * @param {string} folder
 * @param {number} epoch seconds since 1970, of everything in it
 * @param {{ names?: readonly string[], owner?: number, more?: readonly string[] }} [options] `owner`: user and group of everything, root
 *   otherwise; `more`: further options of tar
 */
export async function archive(target, folder, epoch, { names = ['.'], owner = 0, more = [] } = {}) {
  const whose = ['--numeric-owner', `--owner=:${owner}`, `--group=:${owner}`];
  const same = ['--format=ustar', '--sort=name', `--mtime=@${epoch}`, ...whose, ...more];
  await promisify(execFile)('tar', ['--append', ...same, '--file', target, '--directory', folder, '--', ...names]);
}
