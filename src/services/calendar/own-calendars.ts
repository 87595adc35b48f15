import { transaction, type Context } from '../../service/context.ts';
import { lockMembers } from '../../platform/store/member-storage.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { CalendarRow } from '../../platform/store/tables/calendars.ts';
import { insertRows, writtenQuery } from '../../platform/store/written-query.ts';
import { openContentKey as openKey, sealedContentKey } from '../../shared/content-keys/content-keys.ts';
import { zoneOfMember } from './zones.ts';

const DEFAULT_NAME = 'Calendar';
const DEFAULT_COLOR = '#1a73e8';

const defaultOf = writtenQuery<CalendarRow>('select * from calendars where owner_id = $1 and is_default = 1');

/** The calendar of a member for invitations and bookings. It is made when it is first asked for. */
export async function defaultCalendar(ctx: Context, memberId: string): Promise<CalendarRow> {
  const { rows } = await ctx.db.executeQuery(defaultOf(memberId));
  const [there] = rows;
  if (there !== undefined) return there;
  return await transaction(ctx, async (tx) => {
    // Of two first requests the second one finds what the first one has made.
    await lockMembers(tx, [memberId]);
    const again = await tx.db.executeQuery(defaultOf(memberId));
    const [made] = again.rows;
    if (made !== undefined) return made;
    const zone = await zoneOfMember(tx, memberId);
    const about = { owner_id: memberId, name: DEFAULT_NAME, color: DEFAULT_COLOR, about: '', zone };
    const row = await insertCalendar(tx, about);
    await tx.db.executeQuery(setDefault(1, row.id));
    return { ...row, is_default: 1 };
  });
}

type Named = Pick<CalendarRow, 'owner_id' | 'name' | 'color' | 'about' | 'zone'> &
  Partial<Pick<CalendarRow, 'subscribed'>>;

/** Adds a calendar with a key of its own. It is not the default one. */
export async function insertCalendar(tx: Context, named: Named): Promise<CalendarRow> {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  const row: CalendarRow = {
    id,
    subscribed: 0,
    ...named,
    is_default: 0,
    content_key: sealedContentKey(tx, keyPurpose(id)),
    change_seq: 0,
    forgotten_seq: 0,
    objects: 0,
    created_at: now,
    modified_at: now,
  };
  await insertRows(tx.db, 'calendars', [row]);
  return row;
}

const setDefault = writtenQuery('update calendars set is_default = $1 where id = $2');
const unsetDefault = writtenQuery('update calendars set is_default = 0 where owner_id = $1 and is_default = 1');

/** The caller has locked the owner. */
export async function makeDefault(
  tx: Context,
  { id, owner_id: ownerId }: Pick<CalendarRow, 'id' | 'owner_id'>,
): Promise<void> {
  await tx.db.executeQuery(unsetDefault(ownerId));
  await tx.db.executeQuery(setDefault(1, id));
}

/**
 * The key of what a calendar has. Overwrite it after use.
 * @returns 32 bytes
 * @throws Problem internal STORE_DAMAGED
 */
export function openContentKey(
  ctx: Pick<Context, 'keys'>,
  { id, content_key: sealed }: Pick<CalendarRow, 'id' | 'content_key'>,
): Uint8Array {
  return openKey(ctx, sealed, keyPurpose(id), 'a calendar');
}

function keyPurpose(id: string): string {
  return `calendar:${id}`;
}
