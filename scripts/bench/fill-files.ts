import { openDatabase } from '../../src/store/open.ts';
import { insertRows } from '../../src/store/written-query.ts';
import type { FileNodeRow } from '../../src/store/tables/filevault.ts';

/** As many rows as one statement takes. */
const BATCH = 1_000;

const id = (kind: string, index: number): string => kind + index.toString(16).padStart(32 - kind.length, '0');

/** The file of an index: one in a thousand is a report, and each has a number of its own. */
export function nameOf(index: number): string {
  return `${index % 1_000 === 7 ? 'report' : 'photo'} ${String(index).padStart(6, '0')}.jpg`;
}

/** Makes files without content directly in a folder, for lists and searches. */
export async function fillFolder(
  dataDir: string,
  { containerId, folderId }: { readonly containerId: string; readonly folderId: string },
  count: number,
): Promise<void> {
  await using database = await openDatabase({ dataDir, command: 'a benchmark' });
  const { owner_id: owner } = await database.db
    .selectFrom('file_containers')
    .select('owner_id')
    .where('id', '=', containerId)
    .executeTakeFirstOrThrow();
  const now = Date.now();
  const base = { container_id: containerId, parent_id: folderId, description: null, tags: '[]', version_id: null };
  const none = { quorum_governed: 0, visible_watermark: 0, invisible_watermark: 0 } as const;
  const times = { accessed_at: null, deleted_at: null, destruction_at: null, created_at: now, updated_at: now };
  for (let first = 0; first < count; first += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - first) }, (_, at): FileNodeRow => {
      const index = first + at;
      const name = nameOf(index);
      const file = { id: id('01', index), kind: 1, name, name_key: name, mime_type: 'image/jpeg' } as const;
      const by = { created_by: owner, updated_by: owner };
      return { ...file, ...base, ...none, ...times, ...by, size: 1_000 + index, modified_at: now + index };
    });
    await database.transaction(async (db) => await insertRows(db, 'file_nodes', rows));
  }
}
