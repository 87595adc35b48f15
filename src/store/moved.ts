import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../problem.ts';
import { movedFile, syncFolder } from './pending-restore.ts';

export interface Move {
  /** where the rows are now, without the password */
  readonly to: string;
  /** milliseconds since 1970 */
  readonly at: number;
}

/** Notes permanently that the store of a folder is in use elsewhere: two copies that both changed can't be merged. */
export async function markMoved(dataDir: string, { to, at }: Move): Promise<void> {
  const path = join(dataDir, movedFile);
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ to, at: new Date(at).toISOString() })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dataDir);
}

/** @throws Problem conflict STORE_MOVED */
export async function refuseMoved(dataDir: string): Promise<void> {
  const path = join(dataDir, movedFile);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const where = moveIn(text);
  throw new Problem(
    'conflict',
    'STORE_MOVED',
    `This store was moved${where}. Name the new one in conclave.toml (database = …), with CONCLAVE_DATABASE or --database. To use the old one anyway, delete ${path}.`,
  );
}

function moveIn(text: string): string {
  try {
    const { to, at } = JSON.parse(text) as Partial<Record<'to' | 'at', unknown>>;
    return typeof to === 'string' && typeof at === 'string' ? ` to ${to} at ${at}` : '';
  } catch {
    return '';
  }
}
