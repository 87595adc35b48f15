import type { Context } from '../../../service/context.ts';
import type { CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList } from '../../../platform/store/written-query.ts';
import type { OpenCalendar } from '../access.ts';

/** Of larger groups and channels nobody knows everybody. */
const KNOWN_TO_EACH_OTHER = 200;

interface Asked {
  readonly id: string;
  /** 1: all calendars of the member count, not only those that are shared */
  readonly near: number;
  readonly shared: number;
}

const sharedWith = `s.granted_to = $1 and (s.expires_at is null or s.expires_at > $2)`;

// Conversations of two do not count: anybody can begin one.
const asked = writtenList<Asked>(
  2,
  (ids) => `
  select m.id,
    case when m.id = $1 or exists (
      select 1 from room_members a
      join rooms r on r.kind = a.kind and r.id = a.room_id and r.member_count <= ${KNOWN_TO_EACH_OTHER}
      join room_members o on o.kind = a.kind and o.room_id = a.room_id and o.member_id = m.id
      join conversations c on c.id = a.room_id and c.type in ('group', 'channel', 'social_group')
      where a.member_id = $1 and a.kind = 'conversation') then 1 else 0 end as near,
    case when exists (
      select 1 from calendar_shares s join calendars c on c.id = s.calendar_id
      where c.owner_id = m.id and ${sharedWith}) then 1 else 0 end as shared
  from members m
  where m.status = 'active'
    and not exists (select 1 from member_blocks b where b.member_id = m.id and b.blocked_id = $1)
    and not exists (select 1 from member_blocks b where b.member_id = $1 and b.blocked_id = m.id)
    and m.id in ${ids}`,
);
const all = writtenList<CalendarRow>(0, (ids) => `select * from calendars where owner_id in ${ids}`);
const shared = writtenList<CalendarRow>(
  2,
  (ids) => `
  select c.* from calendar_shares s join calendars c on c.id = s.calendar_id
  where ${sharedWith} and c.owner_id in ${ids}`,
);

/**
 * The calendars whose busy times a member may ask for, by their owners. Those whose time the member does not see are missing, for whatever
 * reason.
 */
export async function visibleCalendars(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  memberId: string,
  ids: readonly string[],
): Promise<Map<string, OpenCalendar[]>> {
  const found = new Map<string, OpenCalendar[]>();
  if (ids.length === 0) return found;
  const now = clock.now();
  const { rows } = await db.executeQuery(asked(ids, memberId, now));
  const [near, others] = [1, 0].map((is) => rows.filter((row) => row.near === is && (is === 1 || row.shared === 1)));
  const take = (calendars: readonly CalendarRow[]): void => {
    for (const row of calendars) found.get(row.owner_id)?.push({ ...row, permission: 'freebusy' });
  };
  for (const { id } of [...(near ?? []), ...(others ?? [])]) found.set(id, []);
  const idsOf = (some: readonly Asked[] = []): string[] => some.map(({ id }) => id);
  if (idsOf(near).length > 0) take((await db.executeQuery(all(idsOf(near)))).rows);
  if (idsOf(others).length > 0) take((await db.executeQuery(shared(idsOf(others), memberId, now))).rows);
  return found;
}
