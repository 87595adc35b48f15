import type { Context } from '../../service/context.ts';
import { apart } from '../../service/sweep.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { repeatJob } from '../../platform/store/jobs/plans.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { recordDeed } from '../groups/log.ts';
import { leave } from '../groups/membership.ts';
import { requireSeat, roomOf, type Seat } from './conversation.ts';
import { tell } from './events.ts';
import { changingMembers } from './members.ts';
import { handOverToHeir } from './moderation.ts';
import { tellUpdated } from './social-facts.ts';
import { allTypes, isSocial } from './types.ts';

const suspendedKind = 'chat-suspended';

const DAY_MS = 86_400_000;

/** Whoever is suspended for so long leaves the conversations of many. */
const SUSPENDED_MS = 30 * DAY_MS;

/** Conversations that one look finds. */
const TOGETHER = 100;

interface Due {
  readonly member_id: string;
  readonly id: string;
}

// Alone in a conversation, a member keeps it: nobody else is there for whom it matters, and leaving would delete it.
const due = writtenQuery<Due>(`
  select m.id as member_id, c.id from members m
  join room_members p on p.member_id = m.id and p.kind = '${roomOf('').kind}'
  join conversations c on c.id = p.room_id
  join rooms r on r.kind = p.kind and r.id = p.room_id
  where m.status = 'suspended' and m.suspended_at <= $1 and c.pair is null and r.member_count > 1
    and (m.id > $2 or (m.id = $3 and c.id > $4))
  order by m.id, c.id limit ${TOGETHER}`);

/** Every process may plan it at any time. */
export async function planSuspended(ctx: Context): Promise<void> {
  const { store, clock } = ctx;
  const job = { id: suspendedKind, kind: suspendedKind, payload: null, schedule: { everyMs: DAY_MS } };
  await store.transaction(async (db) => await repeatJob(db, { ...job, now: clock.now() }));
}

/**
 * Takes members who have been suspended for long out of groups and channels, of chat and of the social network. What they said stays, and
 * conversations of two stay as they are. It finds what is left, so it can begin anew at any time, and one that fails stops no other.
 */
export function suspendedHandler(ctx: Context): JobHandler {
  return async (_, { signal }) => {
    const failures = apart(ctx, 'taking a suspended member out of a conversation');
    for (let last: Due = { member_id: '', id: '' }; ;) {
      const before = ctx.clock.now() - SUSPENDED_MS;
      const { rows } = await ctx.db.executeQuery(due(before, last.member_id, last.member_id, last.id));
      for (const { member_id: memberId, id } of rows) {
        signal.throwIfAborted();
        await failures.run({ conversationId: id, memberId }, async () => await takeOutSuspended(ctx, memberId, id));
      }
      const end = rows.at(-1);
      if (end === undefined || rows.length < TOGETHER) break;
      last = end;
    }
    failures.end();
  };
}

const stillDue = writtenQuery<{ there: number }>(`
  select 1 as there from members m
  join room_members p on p.member_id = m.id and p.kind = '${roomOf('').kind}' and p.room_id = $1
  join rooms r on r.kind = p.kind and r.id = p.room_id
  where m.id = $2 and m.status = 'suspended' and m.suspended_at <= $3 and r.member_count > 1`);

/** @returns undefined if the member is restored meanwhile, or is not in it any more */
async function dueSeat(at: Context, memberId: string, id: string): Promise<Seat | undefined> {
  const { rows } = await at.db.executeQuery(stillDue(id, memberId, at.clock.now() - SUSPENDED_MS));
  return rows.length === 0 ? undefined : await requireSeat(at, { memberId }, allTypes, id);
}

async function takeOutSuspended(ctx: Context, memberId: string, id: string): Promise<void> {
  const conversation = await dueSeat(ctx, memberId, id);
  if (conversation === undefined) return;
  await changingMembers(
    ctx,
    { id, by: memberId },
    async (before) => ({
      left: (await dueSeat(before, memberId, id)) === undefined ? [] : [memberId],
      conversation,
    }),
    async (tx, changed) => {
      const seat = await dueSeat(tx, memberId, id);
      if (seat === undefined) return;
      if (seat.role === 'owner') await handOverToHeir(tx, seat, memberId);
      const left = await leave(tx, roomOf(id), memberId);
      if (left !== 'left') throw new Error(`a suspended member could not leave: ${left}`);
      await changed(seat, { left: [memberId], reason: 'member_left' });
      await recordDeed(tx, roomOf(id), { by: memberId, action: 'suspended', subjectId: memberId });
      await tell(tx, seat, 'memberLeft', { memberId });
      if (isSocial(seat)) await tellUpdated(tx, id);
    },
  );
}
