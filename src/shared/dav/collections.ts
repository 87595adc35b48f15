import type { Context } from '../../service/context.ts';
import { davRefusal } from '../../service/dav-matching.ts';
import type { Problem } from '../../base/problem.ts';
import type { DavCollectionRow } from '../../platform/store/tables/dav.ts';
import { insertRows, writtenQuery } from '../../platform/store/written-query.ts';

/** What programs chose for calendars and address books that they made. Others are named by their ids. */

type Kind = 'calendar' | 'addressbook';
type Reading = Pick<Context, 'db'>;

const ofMember = writtenQuery<DavCollectionRow>('select * from dav_collections where owner_id = $1 and kind = $2');
const bySegment = writtenQuery<DavCollectionRow>(
  'select * from dav_collections where owner_id = $1 and kind = $2 and segment = $3',
);
const byId = writtenQuery<DavCollectionRow>('select * from dav_collections where collection_id = $1');

/** Of all own collections of a kind, by their ids. */
export async function chosenOf({ db }: Reading, ownerId: string, kind: Kind): Promise<Map<string, DavCollectionRow>> {
  const { rows } = await db.executeQuery(ofMember(ownerId, kind));
  return new Map(rows.map((row) => [row.collection_id, row]));
}

/** The collection that a segment of a path names; undefined if none can have it. */
export async function namedBy(
  { db }: Reading,
  ownerId: string,
  kind: Kind,
  segment: string,
): Promise<{ readonly id: string; readonly chosen: DavCollectionRow | undefined } | undefined> {
  const [named] = (await db.executeQuery(bySegment(ownerId, kind, segment))).rows;
  if (named !== undefined) return { id: named.collection_id, chosen: named };
  if (!isId(segment)) return undefined;
  const [chosen] = (await db.executeQuery(byId(segment))).rows;
  // It has one address, so that no program keeps it twice.
  if (chosen?.owner_id === ownerId && chosen.segment !== segment) return undefined;
  return { id: segment, chosen: chosen?.owner_id === ownerId ? chosen : undefined };
}

function isId(segment: string): boolean {
  return /^[0-9a-f]{32}$/.test(segment);
}

/** Segments that mean something else. */
const reserved: ReadonlySet<string> = new Set(['inbox', 'outbox', 'members', 'notifications']);

/** @throws Problem forbidden FORBIDDEN for a segment that a program cannot choose */
export function assertSegment(segment: string): void {
  if (!isId(segment.toLowerCase()) && !reserved.has(segment.toLowerCase())) return;
  const message = 'A new collection cannot have this address. Choose another one.';
  throw davRefusal('forbidden', 'FORBIDDEN', 'c:calendar-collection-location-ok', message);
}

/** The caller has locked the owner. @throws Problem invalid METHOD_NOT_ALLOWED where another collection is meanwhile */
export async function insertChosen({ db }: Reading, kind: Kind, row: Omit<DavCollectionRow, 'kind'>): Promise<void> {
  const { rows } = await db.executeQuery(bySegment(row.owner_id, kind, row.segment));
  if (rows.length > 0) throw alreadyThere();
  await insertRows(db, 'dav_collections', [{ ...row, kind }]);
}

/** A program makes a collection where something is (RFC 4918 9.3.1). */
function alreadyThere(): Problem {
  const message = 'There is something at this address.';
  return davRefusal('invalid', 'METHOD_NOT_ALLOWED', 'd:resource-must-be-null', message);
}

const setPosition = `
  on conflict (collection_id) do update set position = excluded.position`;

/** Notes where an own collection stands among others. */
export async function putPosition(
  { db }: Reading,
  kind: Kind,
  { id, ownerId }: { readonly id: string; readonly ownerId: string },
  position: number,
): Promise<void> {
  const row = { collection_id: id, owner_id: ownerId, kind, segment: id, components: '', position };
  await insertRows(db, 'dav_collections', [row], setPosition);
}

const forget = writtenQuery('delete from dav_collections where collection_id = $1');

/** Forgets what was chosen for a collection that is deleted. */
export async function forgetChosen({ db }: Reading, id: string): Promise<void> {
  await db.executeQuery(forget(id));
}
