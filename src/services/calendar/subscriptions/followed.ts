import type { Context } from '../../../service/context.ts';
import type { CalendarRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';

/** The calendar follows another address by now, or none, or may not be written to any more. */
export class NotFollowed extends Error {}

export interface Followed {
  readonly calendarId: string;
  /** the number of the address */
  readonly address: number;
  readonly signal: AbortSignal;
}

const following = writtenQuery<CalendarRow>(`
  select c.* from calendars c join calendar_subscriptions s on s.calendar_id = c.id
  where c.id = $1 and s.address = $2 and exists (select 1 from members o where o.id = c.owner_id and o.status = 'active')`);

/** @throws NotFollowed */
export async function requireFollowed(
  { db }: Pick<Context, 'db'>,
  { calendarId, address }: Followed,
): Promise<CalendarRow> {
  const { rows } = await db.executeQuery(following(calendarId, address));
  const [row] = rows;
  if (row === undefined) throw new NotFollowed();
  return row;
}
