import type { DavResource, DavSynced, DavSyncEnd } from './ports/dav.ts';

/** Where a resource stands among the changes of its collection. */
interface Changed {
  readonly name: string;
  readonly change_seq: number;
}

/** The changes of a collection, in their order. */
export interface ChangeRows<R extends Changed> {
  /** the next resources that were changed behind one, and are there */
  changed(seq: number, most: number): Promise<readonly R[]>;
  /** the next ones that were removed */
  gone(seq: number, most: number): Promise<readonly Changed[]>;
  /** undefined: its reader does not see it */
  seen(row: R): DavResource | undefined;
}

export interface ChangesWanted {
  /** the last change that the reader knows; undefined: none, so that nothing can be gone */
  readonly since: number | undefined;
  /** that of the collection when it was read */
  readonly current: number;
  /** entries */
  readonly most: number;
  readonly tokenAt: (this: void, seq: number) => string;
}

/** Changes that are read together. */
const TOGETHER = 500;

/** What has changed in a collection since a change of it: what changes meanwhile comes at the end, or the next time. */
export async function* changesOf<R extends Changed>(
  rows: ChangeRows<R>,
  { since, current, most, tokenAt }: ChangesWanted,
): AsyncGenerator<readonly DavSynced[], DavSyncEnd, undefined> {
  let seq = since ?? -1;
  for (let left = most; ;) {
    const size = Math.min(TOGETHER, left);
    const found = size === 0 ? [] : await nextOf(rows, seq, size, since !== undefined);
    seq = found.at(-1)?.seq ?? seq;
    left -= found.length;
    const synced = found.flatMap((one) => one.synced ?? []);
    if (synced.length > 0) yield synced;
    if (left > 0 && found.length === size) continue;
    const more = left === 0 && (await nextOf(rows, seq, 1, since !== undefined)).length > 0;
    // All up to what the collection was at the beginning has been read.
    return { token: tokenAt(more ? seq : Math.max(seq, current)), more };
  }
}

interface Entry {
  readonly seq: number;
  readonly synced: DavSynced | undefined;
}

async function nextOf<R extends Changed>(
  rows: ChangeRows<R>,
  seq: number,
  most: number,
  withGone: boolean,
): Promise<Entry[]> {
  const found = (await rows.changed(seq, most)).map((row): Entry => {
    const { name, change_seq: at } = row;
    const resource = rows.seen(row);
    // What its reader does not see any more is gone for them.
    const synced = resource === undefined ? (withGone ? { name } : undefined) : { name, resource };
    return { seq: at, synced };
  });
  if (!withGone) return found;
  for (const { name, change_seq: at } of await rows.gone(seq, most)) found.push({ seq: at, synced: { name } });
  return found.sort((one, other) => one.seq - other.seq).slice(0, most);
}
