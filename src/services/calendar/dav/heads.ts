import type { Context } from '../../../service/context.ts';
import type { DavResource } from '../../../service/ports/dav.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import type { OpenCalendar } from '../access.ts';
import { etagFor, seesAll } from '../events/seen-etag.ts';

/** An object without its content. */
export type ObjectHead = Pick<
  CalendarObjectRow,
  | 'id'
  | 'calendar_id'
  | 'name'
  | 'component'
  | 'etag'
  | 'change_seq'
  | 'visibility'
  | 'created_by'
  | 'created_at'
  | 'modified_at'
>;

/** Who reads a calendar. */
export interface Reader {
  readonly memberId: string;
  readonly calendar: OpenCalendar;
}

const columns = 'id, calendar_id, name, component, etag, change_seq, visibility, created_by, created_at, modified_at';

/** Private tasks and journals of others take no time, so nothing is left of them. */
export function isHidden(reader: Reader, head: Pick<ObjectHead, 'component' | 'visibility' | 'created_by'>): boolean {
  return head.component !== 'VEVENT' && head.visibility === 'PRIVATE' && !seesAll(reader, head);
}

export function toResource(reader: Reader, head: ObjectHead): DavResource {
  return {
    name: head.name,
    etag: etagFor(reader, head),
    createdAt: head.created_at,
    modifiedAt: head.modified_at,
    component: head.component,
  };
}

const byName = writtenQuery<ObjectHead>(`
  select ${columns} from calendar_objects where calendar_id = $1 and name > $2 order by name limit $3`);
const byChange = writtenQuery<ObjectHead>(`
  select ${columns} from calendar_objects where calendar_id = $1 and change_seq > $2 order by change_seq limit $3`);
const byId = writtenList<ObjectHead>(0, (ids) => `select ${columns} from calendar_objects where id in ${ids}`);
const gone = writtenQuery<Pick<ObjectHead, 'name' | 'change_seq'>>(`
  select name, change_seq from calendar_tombstones where calendar_id = $1 and change_seq > $2
  order by change_seq limit $3`);

/** Heads that are read together. */
const TOGETHER = 500;

/** All heads of a calendar, in the order of their names. */
export async function* headsOf({ db }: Context, calendarId: string): AsyncGenerator<readonly ObjectHead[]> {
  for (let after = ''; ;) {
    const { rows } = await db.executeQuery(byName(calendarId, after, TOGETHER));
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < TOGETHER) return;
    after = last.name;
  }
}

export async function headsById({ db }: Context, ids: readonly string[]): Promise<readonly ObjectHead[]> {
  return ids.length === 0 ? [] : (await db.executeQuery(byId(ids))).rows;
}

/** The next objects that were changed behind a change, in the order of their changes. */
export async function changedAfter(
  { db }: Context,
  calendarId: string,
  seq: number,
  most: number,
): Promise<readonly ObjectHead[]> {
  return (await db.executeQuery(byChange(calendarId, seq, most))).rows;
}

/** The next ones that were removed. */
export async function goneAfter(
  { db }: Context,
  calendarId: string,
  seq: number,
  most: number,
): Promise<readonly Pick<ObjectHead, 'name' | 'change_seq'>[]> {
  return (await db.executeQuery(gone(calendarId, seq, most))).rows;
}
