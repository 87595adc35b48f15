import { transaction, type Context } from '../../service/context.ts';
import { inParts } from '../../base/in-parts.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { MemberPresence, PresenceStatus } from '../../contract/chat/presence.ts';
import { publishToMany } from '../../platform/realtime/publish.ts';
import { notify } from '../../platform/store/signals.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { topicOfInbox } from '../conversations/conversation.ts';
import { audienceOf } from './audience.ts';
import { boardOf } from './board.ts';
import { statusesOf } from './statuses.ts';

/** The channel on which processes say what has changed. */
export const presenceChannel = 'presence';

/** Members who are looked at in one step. */
const LOOKED_AT = 500;
/** A signal has less than 8000 bytes, and a change 40. */
const CHANGES_PER_SIGNAL = 150;

const tellAs = writtenQuery<{ member_id: string }>(
  'update presence set told = $1 where member_id = $2 and told <> $1 returning member_id',
);

/**
 * Looks at members whose status has rested, and says to all processes whose is another one than was told. Of several processes that see the same
 * change, the one that notes it says so.
 */
export async function sayChanged(ctx: Context): Promise<void> {
  const { due, here, beatAt } = boardOf(ctx);
  const now = ctx.clock.now();
  const ids = [...due].flatMap(([memberId, at]) => (at <= now ? [memberId] : [])).slice(0, LOOKED_AT);
  for (const memberId of ids) due.delete(memberId);
  try {
    const all = await statusesOf(ctx, ids);
    const others = all.filter(({ status, told }) => status !== told);
    const changed = await transaction(ctx, async ({ db }) => {
      const noted: [string, PresenceStatus][] = [];
      for (const { memberId, status } of others.toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1)))
        if ((await db.executeQuery(tellAs(status, memberId))).rows.length > 0) noted.push([memberId, status]);
      return noted;
    });
    for (const part of inParts(changed, CHANGES_PER_SIGNAL))
      await notify(ctx.store.db, presenceChannel, JSON.stringify(part));
    for (const { memberId, status, idleAt } of all)
      // Later than the next sign of life it is looked at with that.
      if (status === 'online' && here.has(memberId) && !due.has(memberId) && idleAt <= beatAt)
        due.set(memberId, idleAt);
  } catch (error) {
    for (const memberId of ids) if (!due.has(memberId)) due.set(memberId, now);
    throw error;
  }
}

/** Notes what a process has said, this one too. */
export function hearChanged(ctx: Pick<Context, 'realtime'>, signal: string): void {
  const { changes } = boardOf(ctx);
  for (const [memberId, status] of JSON.parse(signal) as [string, PresenceStatus][]) {
    changes.delete(memberId);
    changes.set(memberId, status);
  }
}

/** Tells members with sockets in this process what has changed: each of them once, all that they may know. */
export async function tellHere(ctx: Context): Promise<void> {
  const { changes, here, watches } = boardOf(ctx);
  for (const listener of watches.keys()) if (!listener.open) watches.delete(listener);
  const told = new Map([...changes].slice(0, here.size === 0 ? changes.size : chatLimits.toldAtOnce));
  for (const memberId of told.keys()) changes.delete(memberId);
  if (told.size === 0 || here.size === 0) return;
  const putBack = (memberId: string): void => {
    const status = told.get(memberId);
    if (status !== undefined && !changes.has(memberId)) changes.set(memberId, status);
  };
  try {
    for (const memberId of await publishHere(ctx, told)) putBack(memberId);
  } catch (error) {
    for (const memberId of told.keys()) putBack(memberId);
    throw error;
  }
}

/** @returns those of whom nothing was told, because there are too many at once */
async function publishHere(ctx: Context, told: ReadonlyMap<string, PresenceStatus>): Promise<readonly string[]> {
  const groups = new Map<string, { readonly about: readonly string[]; readonly inboxes: string[] }>();
  const { receivers, left } = await audienceOf(ctx, [...told.keys()]);
  for (const [receiver, subjects] of receivers) {
    const inbox = topicOfInbox(receiver);
    if (!ctx.realtime.hears(inbox)) continue;
    const about = [...subjects].toSorted();
    const key = about.join(' ');
    const group = groups.get(key) ?? { about, inboxes: [] };
    groups.set(key, group);
    group.inboxes.push(inbox);
  }
  for (const { about, inboxes } of groups.values()) {
    const changed = about.map((memberId): MemberPresence => ({ memberId, status: told.get(memberId) ?? 'offline' }));
    publishToMany(ctx, inboxes, chatEvents.presenceChanged, { changes: changed }, { here: true });
  }
  return left;
}
