import { transaction, type Context } from '../../../service/context.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { removeObject } from '../objects/write.ts';
import type { Turns } from '../turns.ts';
import { requireFollowed, type Followed } from './followed.ts';

/** Events of one transaction. Other writers wait for it. */
const TOGETHER = 25;
/** Rows of one look. */
const FOUND = 500;

const some = writtenQuery<Pick<CalendarObjectRow, 'id' | 'uid_key'>>(`
  select id, uid_key from calendar_objects where calendar_id = $1 and id > $2 order by id limit ${FOUND}`);
const byIds = writtenList<CalendarObjectRow>(0, (ids) => `select * from calendar_objects where id in ${ids}`);

/** Removes what is in the file no more. @returns how many */
export async function removeOthers(
  ctx: Context,
  followed: Followed,
  seen: ReadonlySet<string>,
  turns: Turns,
): Promise<number> {
  let removed = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const { rows }: { rows: Pick<CalendarObjectRow, 'id' | 'uid_key'>[] } = await ctx.db.executeQuery(
      some(followed.calendarId, after),
    );
    const gone = rows.filter(({ uid_key: key }) => !seen.has(key)).map(({ id }) => id);
    for (let at = 0; at < gone.length; at += TOGETHER) {
      await turns.take();
      followed.signal.throwIfAborted();
      const ids = gone.slice(at, at + TOGETHER);
      removed += await transaction(ctx, async (tx) => {
        const { owner_id: ownerId } = await requireFollowed(tx, followed);
        await lockMembers(tx, [ownerId]);
        const calendar = await requireFollowed(tx, followed);
        const there = (await tx.db.executeQuery(byIds(ids))).rows;
        for (const row of there) await removeObject(tx, calendar, row);
        return there.length;
      });
    }
    after = rows.length < FOUND ? undefined : rows.at(-1)?.id;
  }
  return removed;
}
