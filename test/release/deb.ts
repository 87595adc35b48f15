import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

export interface Unpacked extends AsyncDisposable {
  /** the root of the files that the package installs */
  readonly root: string;
  /** the folder of its control files */
  readonly control: string;
}

/** What is in a Debian package, without installing it. */
export async function unpack(deb: string): Promise<Unpacked> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-deb-'));
  const [root, control] = [join(folder, 'root'), join(folder, 'control')];
  await execa('dpkg-deb', ['--extract', deb, root]);
  await execa('dpkg-deb', ['--control', deb, control]);
  return { root, control, [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }) };
}

export function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}
