import { join } from 'node:path';
import { Problem } from '../../base/problem.ts';
import { readIfThere, replaceDurably } from './durable-file.ts';
import { movedFile } from './pending-restore.ts';

export interface Move {
  /** where the rows are now, without the password */
  readonly to: string;
  /** milliseconds since 1970 */
  readonly at: number;
}

/** Notes permanently that the store of a folder is in use elsewhere: two copies that both changed can't be merged. */
export async function markMoved(dataDir: string, { to, at }: Move): Promise<void> {
  await replaceDurably(join(dataDir, movedFile), `${JSON.stringify({ to, at: new Date(at).toISOString() })}\n`);
}

/** @throws Problem conflict STORE_MOVED */
export async function refuseMoved(dataDir: string): Promise<void> {
  const path = join(dataDir, movedFile);
  const text = await readIfThere(path);
  if (text === undefined) return;
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
