import type { Context } from '../../service/context.ts';
import type { NoticeLevel, OwnSettings } from '../../contract/chat/conversation.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { momentOf } from './dto.ts';
import type { Seat } from './conversation.ts';

type Columns = Pick<Seat, 'level' | 'muted_until' | 'pinned' | 'archived'>;
type Kind = Pick<Seat, 'type' | 'member_count'>;

export interface SettingsChange {
  readonly notifications?: NoticeLevel | undefined;
  /** null: not muted any more */
  readonly mutedUntil?: string | null | undefined;
  readonly pinned?: boolean | undefined;
  readonly archived?: boolean | undefined;
}

export async function changeSettings(
  tx: Context,
  seat: Seat,
  memberId: string,
  { notifications, mutedUntil, pinned, archived }: SettingsChange,
): Promise<OwnSettings> {
  const flag = (value: boolean | undefined, before: number): number => ((value ?? before === 1) ? 1 : 0);
  const changed: Columns = {
    level: notifications ?? seat.level,
    muted_until: mutedUntil === undefined ? seat.muted_until : mutedUntil === null ? null : Date.parse(mutedUntil),
    pinned: flag(pinned, seat.pinned),
    archived: flag(archived, seat.archived),
  };
  await tx.db
    .updateTable('conversation_places')
    .set(changed)
    .where('conversation_id', '=', seat.id)
    .where('member_id', '=', memberId)
    .execute();
  return toSettings({ ...changed, type: seat.type, member_count: seat.member_count }, tx.clock.now());
}

/** @param now in milliseconds since 1970: a mute that is over is none */
export function toSettings(seat: Columns & Kind, now: number): OwnSettings {
  const { level, muted_until: mutedUntil, pinned, archived } = seat;
  return {
    notifications: (level ?? defaultLevel(seat)) as NoticeLevel,
    mutedUntil: mutedUntil !== null && mutedUntil > now ? momentOf(mutedUntil) : null,
    pinned: pinned === 1,
    archived: archived === 1,
  };
}

/** Few are notified of every message. Many, and the members of channels, are notified of those that name them. */
function defaultLevel({ type, member_count: members }: Kind): NoticeLevel {
  return type !== 'channel' && members <= chatLimits.notifiesOfAll ? 'all' : 'mentions';
}
