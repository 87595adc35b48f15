import { link, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { filesBelow } from './pack.mjs';

/** Names with the hash of what is in them. The others are loaded when a process starts. */
const hashed = /-[A-Z0-9]{8}\.js(?:\.map|\.bin)?$/;

/**
 * Puts into a new build what servers that run from the one before may still load: its files with a hash in their names, and the marks of
 * the servers. What no server needs any more isn't taken along.
 *
 * @param {string} before dist/, which need not be there @param {string} made the dist/ that takes its place
 */
export async function keepForServers(before, made) {
  const marks = await readdir(join(before, 'running')).catch(() => []);
  const running = marks.filter(isRunning);
  if (running.length === 0) return;
  await mkdir(join(made, 'running'), { recursive: true });
  for (const mark of running) await writeFile(join(made, 'running', mark), '');
  for (const file of await filesBelow(before)) {
    const name = file.slice(before.length + 1);
    if (!hashed.test(name)) continue;
    await mkdir(dirname(join(made, name)), { recursive: true });
    // What both builds have is the same.
    await link(file, join(made, name)).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

function isRunning(pid) {
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    // Of another user.
    return error.code === 'EPERM';
  }
}
