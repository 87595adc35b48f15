import type { Context } from '../../../service/context.ts';
import { topicName } from '../../../contract/event.ts';
import type { RotationReason } from '../../../contract/room-keys/fields.ts';
import { roomKeyLimits } from '../../../contract/room-keys/limits.ts';
import { hubTopic, socialEvents } from '../../../contract/social/events.ts';
import { planHidden } from '../../../shared/notifications/hidden.ts';
import { hearFromNow } from '../../../shared/groups/membership.ts';
import { destroyRoomKeys } from '../../../shared/group-keys/erase.ts';
import { rotatingSeveral, type ForeseenRoom, type Rotation } from '../../../shared/group-keys/rotate.ts';
import { drop, publish } from '../../../platform/realtime/publish.ts';
import { enqueue } from '../../../platform/store/jobs/jobs.ts';
import type { Db } from '../../../platform/store/database.ts';
import type { HubRow } from '../../../platform/store/tables/hubs.ts';
import { hubKind, roomOf } from './access.ts';
import { planHiddenHub } from './hidden-notices.ts';
import { countDeed } from './trend.ts';

type ChangedHub = Pick<HubRow, 'id' | 'trust_tier'>;

/** Who joins and leaves a hub. */
export interface ForeseenChange {
  readonly hub: ChangedHub;
  readonly joined?: readonly string[];
  readonly left?: readonly string[];
}

export interface MembershipChange extends ForeseenChange {
  readonly reason: RotationReason;
}

/** Everything that goes with a change of who is in a hub, in its transaction and after it is made. */
export type Changed = (change: MembershipChange) => Promise<void>;

/**
 * Changes who is in hubs. Every way in which somebody joins or leaves goes through here, because an encrypted hub gets a new key in the same
 * transaction. The keys are made before it, so everything begins again if others change the members meanwhile. For other hubs this is a
 * transaction and no more.
 *
 * @param foresee says who will join and leave, for whom has the right to that; nobody, if `change` is going to refuse
 * @param change makes the change, and calls its second argument once for each hub that it changed
 */
export async function changingMembers<T>(
  ctx: Context,
  foresee: (ctx: Context) => Promise<readonly ForeseenChange[]>,
  change: (tx: Context, changed: Changed) => Promise<T>,
): Promise<T> {
  return await rotatingSeveral(
    ctx,
    async (before) => await foreseenRooms(before, await foresee(before)),
    async (tx, rotateNow) =>
      await change(tx, async (what) => {
        const { hub, joined = [], left = [], reason } = what;
        if (joined.length === 0 && left.length === 0) return;
        if (hub.trust_tier !== 'encrypted') return await tellOf(tx, what);
        const members = await membersOf(tx.db, hub.id);
        await tellOf(tx, what, await rotateNow(roomOf(hub.id), { members, historyVisible: false, reason }));
      }),
  );
}

async function foreseenRooms(ctx: Context, changes: readonly ForeseenChange[]): Promise<ForeseenRoom[]> {
  const rooms: ForeseenRoom[] = [];
  for (const { hub, joined = [], left = [] } of changes) {
    if (hub.trust_tier !== 'encrypted') continue;
    const before = new Set(await membersOf(ctx.db, hub.id));
    const after = new Set([...before, ...joined]);
    for (const id of left) after.delete(id);
    // Nobody comes or goes, or the hub is full: the change refuses, or finds others and begins again.
    const isSame = after.size === before.size && [...after].every((id) => before.has(id));
    if (isSame || after.size > roomKeyLimits.members) continue;
    rooms.push({ room: roomOf(hub.id), members: [...after], historyVisible: false });
  }
  return rooms;
}

async function membersOf(db: Db, hubId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('room_members')
    .select('member_id')
    .where('kind', '=', hubKind)
    .where('room_id', '=', hubId)
    .execute();
  return rows.map((row) => row.member_id);
}

/** The key comes first: a post waits for it or is waited for before anything else of the hub is locked. */
async function tellOf(
  tx: Context,
  { hub, joined = [], left = [] }: ForeseenChange,
  rotation?: Rotation,
): Promise<void> {
  if (left.length > 0) await drop(tx, topicOfHub(hub.id), left);
  for (const memberId of left) await planHidden(tx, memberId);
  if (rotation !== undefined)
    await publish(tx, topicOfHub(hub.id), socialEvents.hubKeyRotated, { hubId: hub.id, ...rotation });
  // What was written before somebody joined an encrypted hub is not for them.
  if (rotation !== undefined) await hearFromNow(tx, roomOf(hub.id), joined, topicOfHub(hub.id));
  if (joined.length > 0) await countDeed(tx, hub.id);
}

/** The hub is gone for everybody, and what is sealed in it opens no more; a job erases it. Call it after the room is closed, and before the hub changes. */
export async function hubEnded(tx: Context, { id, trust_tier: tier }: ChangedHub): Promise<void> {
  if (tier === 'encrypted') {
    await destroyRoomKeys(tx, roomOf(id));
    const now = tx.clock.now();
    const job = { kind: 'social-hub-erasing', payload: { hubId: id } };
    await enqueue(tx.db, { id: `${job.kind}/${id}`, ...job, runAt: now, now });
  }
  await drop(tx, topicOfHub(id), 'everybody');
  await planHiddenHub(tx, id);
}

export function topicOfHub(hubId: string): string {
  return topicName(hubTopic, hubId);
}
