import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../service/context.ts';
import type { NotificationType } from '../../contract/notifications/notification.ts';
import { eraseEvents } from '../../platform/store/event-rows.ts';
import { withoutActor } from './groups.ts';
import { noteWithdrawn } from './once.ts';
import type { NotificationRow } from '../../platform/store/tables/notifications.ts';
import { namedQuery, writtenQuery } from '../../platform/store/written-query.ts';
import { seenActor, seenTold } from './seeing.ts';
import { tellAgain, tellChange, tellCount, topicOf } from './telling.ts';

/** Something can concern many members. Between so many of them other work of the process gets a turn. */
const MEMBERS_AT_ONCE = 16;

/** Which notifications are over. */
export type Withdrawn =
  | {
      readonly targetId: string;
      readonly type?: NotificationType;
      /** all members unless one is named */
      readonly recipientId?: string;
      readonly actorId?: undefined;
    }
  | {
      /** what one member did is taken back; what others did to the same target stays */
      readonly actorId: string;
      readonly type: NotificationType;
      readonly targetId: string;
      readonly recipientId?: string;
    }
  | {
      /** what one member was told of another one, of all types or of some */
      readonly actorId: string;
      readonly recipientId: string;
      readonly types?: readonly NotificationType[];
      readonly type?: undefined;
      readonly targetId?: undefined;
    }
  | {
      readonly recipientId: string;
      readonly type: NotificationType;
      readonly targetId?: undefined;
      readonly actorId?: undefined;
    };

/**
 * Deletes notifications of what is over, or no longer for their recipient, in the transaction that ends it. What was told of them is
 * erased too, so that nobody who was away hears of it. Of those that are hidden from their recipient nothing is told: so call it while the
 * recipient may still see what it is about.
 * @param hidden `told` if what ends it has hidden it before
 */
export async function withdraw(
  tx: Context,
  what: Withdrawn,
  { hidden = 'untold' }: { readonly hidden?: 'told' | 'untold' } = {},
): Promise<void> {
  if (what.actorId !== undefined) return await withdrawActor(tx, what);
  const { targetId, type, recipientId } = what;
  const { rows: found } = await tx.db.executeQuery(over(tx, what)({ target: targetId, recipient: recipientId }));
  if (found.length === 0) return;
  const seen = new Set(found.filter((row) => row.seen === 1 || hidden === 'told').map(({ id }) => id));
  let gone = tx.db.deleteFrom('notifications');
  if (targetId !== undefined) gone = gone.where('target_id', '=', targetId);
  if (type !== undefined) gone = gone.where('type', '=', type);
  if (recipientId !== undefined) gone = gone.where('recipient_id', '=', recipientId);
  const rows = await gone.returning(['id', 'recipient_id', 'held']).execute();
  const told = new Map<string, string[]>();
  for (const { id, recipient_id: memberId, held } of rows)
    if (held === 0) told.set(memberId, [...(told.get(memberId) ?? []), ...(seen.has(id) ? [id] : [])]);
  let done = 0;
  for (const [memberId, ids] of [...told].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    await eraseEvents(tx.db, topicOf(memberId));
    for (const id of ids.toSorted()) await tellChange(tx, memberId, 'deleted', id);
    if (ids.length > 0) await tellCount(tx, memberId);
    done += 1;
    if (done % MEMBERS_AT_ONCE === 0) await nextTurn();
  }
}

const forget = writtenQuery('delete from notifications where id = $1');

type OfActor = Extract<Withdrawn, { readonly actorId: string }>;

/** `seen` is 1 if its recipient may see it; if it is over for one of those who caused it, whether they may see what that one did. */
type Over = ReturnType<typeof namedQuery<NotificationRow & { readonly seen: number }>>;
/** By rules, and then by conditions. */
const known = new WeakMap<Context['notificationRules'], Map<string, Over>>();

/** What is over. Its text comes again and again: whoever takes back a like waits for it. */
function over({ notificationRules: rules }: Context, what: Withdrawn): Over {
  const types = typesOf(what);
  const where = conditionsOf(what, types);
  const queries = known.get(rules) ?? new Map<string, Over>();
  known.set(rules, queries);
  const query = queries.get(where) ?? namedQuery(overText(rules, where, what.actorId !== undefined, types));
  queries.set(where, query);
  return query;
}

type Types = readonly NotificationType[] | undefined;

function typesOf(what: Withdrawn): Types {
  if (what.type !== undefined) return [what.type];
  return 'types' in what ? what.types : undefined;
}

/** Types are words of the contract. */
function conditionsOf({ actorId, targetId, recipientId }: Withdrawn, types: Types): string {
  const caused =
    '(actor_id = :actor or exists (select 1 from notification_actors a where a.notification_id = n.id and a.actor_id = :actor))';
  return [
    ...(actorId === undefined ? [] : [caused]),
    ...(targetId === undefined ? [] : ['target_id = :target']),
    ...(recipientId === undefined ? [] : ['recipient_id = :recipient']),
    ...(types === undefined ? [] : [`type in ('${types.join("', '")}')`]),
  ].join(' and ');
}

function overText(rules: Context['notificationRules'], where: string, ofActor: boolean, types: Types): string {
  const asked = rules.filter((one) => types?.some((type) => one.types.includes(type)) ?? true);
  // PostgreSQL does not learn the type of a value that is first asked whether it is null.
  const seen = ofActor ? seenActor(asked, 'n', 'cast(:actor as text)') : seenTold(asked, 'n');
  return `select n.*, case when ${seen} then 1 else 0 end as seen from notifications n where ${where} order by recipient_id, id`;
}

async function withdrawActor(tx: Context, what: OfActor): Promise<void> {
  const { targetId, actorId, recipientId } = what;
  const query = over(tx, what)({ actor: actorId, target: targetId, recipient: recipientId });
  for (const { seen, ...row } of (await tx.db.executeQuery(query)).rows) {
    const { id, recipient_id: memberId, held } = row;
    if (row.target_id !== null)
      await noteWithdrawn(tx, { recipientId: memberId, type: row.type, targetId: row.target_id, actorId });
    const left = await withoutActor(tx, row, actorId);
    if (left === undefined) await tx.db.executeQuery(forget(id));
    if (held !== 0) continue;
    await eraseEvents(tx.db, topicOf(memberId));
    if (seen === 0) continue;
    await (left === undefined ? tellChange(tx, memberId, 'deleted', id) : tellAgain(tx, left));
    await tellCount(tx, memberId);
  }
}
