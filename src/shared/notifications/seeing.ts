import type { NotificationRules } from '../../service/service-parts.ts';
import type { Context } from '../../service/context.ts';
import { notificationLimits } from '../../contract/notifications/limits.ts';
import type { NotificationActorRow, NotificationRow } from '../../platform/store/tables/notifications.ts';
import { onlyRow, writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { visibleTo } from './rules.ts';

/** Of so many members who caused a notification each is asked for. Of more, those whom it names are. */
const MOST_ASKED = 50;

type Asked = Pick<Context, 'db' | 'notificationRules'>;
type Rules = readonly NotificationRules[];

/** SQL: whether the recipient of a notification, whose alias is given, may see what one actor did. */
export function seenActor(rules: Rules, told: string, actor: string): string {
  return inCases(rules, told, (seen) => seen(told, actor, `${told}.recipient_id`));
}

function inCases(rules: Rules, told: string, write: (seen: NonNullable<NotificationRules['seen']>) => string): string {
  const cases = rules.flatMap(({ types, seen }) =>
    seen === undefined ? [] : [`when ${told}.type in ('${types.join("', '")}') then ${write(seen)}`],
  );
  return cases.length === 0 ? '1 = 1' : `case ${cases.join(' ')} else 1 = 1 end`;
}

/**
 * SQL: whether its recipient may see a notification, whose alias is given, at this moment. Of several members who caused it, it needs one.
 * @param reader SQL: id of the recipient
 */
export function seenTold(rules: Rules, told: string, reader = `${told}.recipient_id`): string {
  return inCases(
    rules,
    told,
    (seen) => `case when ${told}.actors is null then ${seen(told, `${told}.actor_id`, reader)}
      else (select 1 from notification_actors ${told}_a where ${told}_a.notification_id = ${told}.id
        and ${seen(told, `${told}_a.actor_id`, reader)} limit 1) = 1 end`,
  );
}

/** `mixed` is 1 if an actor may be hidden from the recipient, and 0 if none is. */
type ListedRow = NotificationRow & { readonly mixed: number };

type ActorSeen = NotificationActorRow & { readonly seen: number };

type Written<Row> = ReturnType<typeof writtenQuery<Row>>;

interface Statements {
  readonly unread: Written<{ count: number }>;
  /** by ids of recipients */
  readonly unreadOfEach: ReturnType<typeof writtenList<{ id: string; count: number }>>;
  readonly hidden: Written<{ id: string }>;
  readonly forDigest: Written<{ id: string }>;
  /** by which recipients they are of; an actor follows */
  readonly hiddenBy: Readonly<Record<'one' | 'after' | 'between', Written<NotificationRow>>>;
  /** by the conditions that follow the member, and the limit */
  readonly listed: Map<string, Written<ListedRow>>;
  readonly one: Written<{ seen: number }>;
  /** by ids of notifications */
  readonly some: ReturnType<typeof writtenList<ListedRow>>;
  /** by ids of notifications */
  readonly actors: ReturnType<typeof writtenList<ActorSeen>>;
  /** by ids of notifications and of actors, in one list */
  readonly named: ReturnType<typeof writtenList<ActorSeen>>;
}

const statements = new WeakMap<Rules, Statements>();

/** Texts that come again and again: the rules of a node stay the same. */
function statementsOf(ctx: Asked): Statements {
  const { notificationRules: rules } = ctx;
  const known = statements.get(rules);
  if (known !== undefined) return known;
  const isSeen = seenTold(rules, 'n');
  const actors = (which: string): string => `
    select a.*, case when ${seenActor(rules, 'n', 'a.actor_id')} then 1 else 0 end as seen
    from notification_actors a join notifications n on n.id = a.notification_id
    where ${which} order by a.at desc, a.actor_id`;
  const hiddenOfActor = (recipients: string, actor: string): string => `select n.* from notifications n
    where ${recipients} and n.held = 0
    and (n.actor_id = ${actor} or exists (
      select 1 from notification_actors o where o.notification_id = n.id and o.actor_id = ${actor}))
    and case when ${seenActor(rules, 'n', actor)} then 0 else 1 end = 1
    order by n.recipient_id, n.updated_at desc, n.id desc`;
  const made: Statements = {
    unread: writtenQuery(`select count(*) as count from notifications n
      where n.recipient_id = $1 and n.is_read = 0 and n.held = 0 and ${seenTold(rules, 'n', '$1')}`),
    unreadOfEach: writtenList(
      0,
      (members) => `select n.recipient_id as id, count(*) as count from notifications n
        where n.recipient_id in ${members} and n.is_read = 0 and n.held = 0 and ${isSeen} group by n.recipient_id`,
    ),
    hidden: writtenQuery(`select n.id from notifications n
      where n.recipient_id = $1 and n.held = 0 and case when ${seenTold(rules, 'n', '$1')} then 0 else 1 end = 1
      order by n.updated_at desc, n.id desc limit $2`),
    forDigest: writtenQuery(`select n.id from notifications n
      where n.recipient_id = $1 and n.digest = 1 and n.is_read = 0 and n.held != 1 and ${seenTold(rules, 'n', '$1')}`),
    hiddenBy: {
      one: writtenQuery(hiddenOfActor('n.recipient_id = $1', '$2')),
      after: writtenQuery(hiddenOfActor('n.recipient_id > $1', '$2')),
      between: writtenQuery(hiddenOfActor('n.recipient_id > $1 and n.recipient_id <= $2', '$3')),
    },
    listed: new Map(),
    one: writtenQuery(`select case when ${isSeen} then 1 else 0 end as seen from notifications n where n.id = $1`),
    some: writtenList(
      1,
      (ids) => `select n.*, ${isMixed(ctx)} as mixed from notifications n
        where n.recipient_id = $1 and n.held = 0 and ${seenTold(rules, 'n', '$1')} and n.id in ${ids}`,
    ),
    actors: writtenList(0, (ids) => actors(`a.notification_id in ${ids}`)),
    named: writtenList(0, (ids) => actors(`a.notification_id in ${ids} and a.actor_id in ${ids}`)),
  };
  statements.set(rules, made);
  return made;
}

/** SQL: 1 if an actor of the notification `n` is hidden, or if there are too many to ask for each. */
function isMixed({ notificationRules: rules }: Asked): string {
  return `case when n.actors is null then 0 when n.actor_count > ${MOST_ASKED} then 1
    when exists (select 1 from notification_actors a where a.notification_id = n.id
      and case when ${seenActor(rules, 'n', 'a.actor_id')} then 0 else 1 end = 1) then 1 else 0 end`;
}

interface Listed {
  readonly isRead?: boolean | undefined;
  /** `updated_at` and id of the last one before them */
  readonly after?: readonly [at: unknown, id: unknown] | undefined;
  readonly most: number;
}

/** Rows that a list is read by: a few numbers, and one more than pages have. */
const STEPS = [21, 51, 101];

/**
 * Notifications in a member's list that the member may see, the latest first. Their texts are prepared, because planning them takes
 * PostgreSQL ten times as long as reading a page. It keeps a plan only if the text says how many rows are wanted.
 */
export async function seenRows(ctx: Asked, memberId: string, { isRead, after, most }: Listed): Promise<ListedRow[]> {
  const { notificationRules: rules } = ctx;
  const { listed } = statementsOf(ctx);
  const read = isRead === undefined ? '' : `and n.is_read = ${isRead ? 1 : 0}`;
  const where = after === undefined ? read : `${read} and (n.updated_at, n.id) < ($2, $3)`;
  const limit = STEPS.find((step) => step >= most) ?? notificationLimits.kept + 1;
  const key = `${where} ${limit}`;
  const query =
    listed.get(key) ??
    writtenQuery<ListedRow>(`select n.*, ${isMixed(ctx)} as mixed from notifications n
      where n.recipient_id = $1 and n.held = 0 ${where}
      and ${seenTold(rules, 'n', '$1')} order by n.updated_at desc, n.id desc limit ${limit}`);
  listed.set(key, query);
  return (await ctx.db.executeQuery(query(memberId, ...(after ?? [])))).rows.slice(0, most);
}

/** Those of some notifications that are in a member's list, as the member may see them. */
export async function seenOf(ctx: Asked, memberId: string, ids: readonly string[]): Promise<NotificationRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await ctx.db.executeQuery(statementsOf(ctx).some(ids, memberId));
  return await withSeenActors(ctx, rows);
}

/** Unread notifications that a member may see, without those that wait. */
export async function countUnread(ctx: Asked, memberId: string): Promise<number> {
  return onlyRow((await ctx.db.executeQuery(statementsOf(ctx).unread(memberId))).rows).count;
}

/** The same of several members, with one statement. */
export async function countUnreadOfEach(
  ctx: Asked,
  memberIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const [memberId] = memberIds;
  if (memberId === undefined) return new Map();
  if (memberIds.length === 1) return new Map([[memberId, await countUnread(ctx, memberId)]]);
  const { rows } = await ctx.db.executeQuery(statementsOf(ctx).unreadOfEach(memberIds));
  const counts = new Map(rows.map(({ id, count }) => [id, count]));
  return new Map(memberIds.map((id) => [id, counts.get(id) ?? 0]));
}

/** Ids of those in a member's list that the member may not see, the latest first. */
export async function hiddenOf(ctx: Asked, memberId: string, most: number): Promise<string[]> {
  return (await ctx.db.executeQuery(statementsOf(ctx).hidden(memberId, most))).rows.map(({ id }) => id);
}

/** One member, or all whose ids come after one, up to another one if there is that. */
export type Recipients =
  | { readonly only: string }
  | { readonly only?: undefined; readonly after: string; readonly until: string | undefined };

/**
 * Notifications in the lists of some members in which one of those who caused them is hidden, by recipient, the latest first. Others who
 * caused them too may be left.
 */
export async function hiddenBy(ctx: Asked, actorId: string, of: Recipients): Promise<NotificationRow[]> {
  const { one, after, between } = statementsOf(ctx).hiddenBy;
  if (of.only !== undefined) return (await ctx.db.executeQuery(one(of.only, actorId))).rows;
  const query = of.until === undefined ? after(of.after, actorId) : between(of.after, of.until, actorId);
  return (await ctx.db.executeQuery(query)).rows;
}

/** Ids of those that wait for a digest of a member and that the member may see. */
export async function seenForDigest(ctx: Asked, memberId: string): Promise<Set<string>> {
  return new Set((await ctx.db.executeQuery(statementsOf(ctx).forDigest(memberId))).rows.map(({ id }) => id));
}

/** A notification without those of its actors whose doing its recipient may not see; undefined if nobody is left, or it is gone. */
export async function asSeen(ctx: Asked, row: NotificationRow): Promise<NotificationRow | undefined> {
  if (row.actors !== null) return (await withSeenActors(ctx, [row]))[0];
  if (!ctx.notificationRules.some(({ seen, types }) => seen !== undefined && types.includes(row.type))) return row;
  const [found] = (await ctx.db.executeQuery(statementsOf(ctx).one(row.id))).rows;
  return found?.seen === 1 ? row : undefined;
}

/**
 * The same, of notifications that their recipients may see, in their order. It asks three statements at most, however many they are.
 * @returns those of which somebody is left
 */
export async function withSeenActors(
  ctx: Asked,
  rows: readonly (NotificationRow & Partial<Pick<ListedRow, 'mixed'>>)[],
): Promise<NotificationRow[]> {
  const groups = rows.filter(({ actors, mixed = 1 }) => actors !== null && mixed === 1);
  if (groups.length === 0) return [...rows];
  const { actors, named } = statementsOf(ctx);
  const small = groups.filter((row) => row.actor_count <= MOST_ASKED).map(({ id }) => id);
  const large = groups.filter((row) => row.actor_count > MOST_ASKED);
  const asked = new Map<string, ActorSeen[]>();
  const ask = async (query: ReturnType<typeof actors>): Promise<void> => {
    for (const row of (await ctx.db.executeQuery(query)).rows) {
      const own = asked.get(row.notification_id);
      if (own === undefined) asked.set(row.notification_id, [row]);
      else own.push(row);
    }
  };
  if (small.length > 0) await ask(actors(small));
  if (large.length > 0) await ask(named([...new Set(large.flatMap((row) => [row.id, ...namedIn(row)]))]));
  const unnamed = large.map(({ id }) => id).filter((id) => (asked.get(id) ?? []).every(({ seen }) => seen === 0));
  for (const id of unnamed) asked.delete(id);
  if (unnamed.length > 0) await ask(actors(unnamed));
  return rows.flatMap((row) => withoutHidden(row, asked.get(row.id) ?? []) ?? []);
}

function namedIn({ actors }: NotificationRow): string[] {
  return actors === null ? [] : (JSON.parse(actors) as string[]);
}

/** @param asked actors of it, the latest first */
function withoutHidden(row: NotificationRow, asked: readonly ActorSeen[]): NotificationRow | undefined {
  const hidden = asked.filter(({ seen }) => seen === 0);
  if (hidden.length === 0) return row;
  const left = asked.filter(({ seen }) => seen === 1);
  const [latest] = left;
  if (latest === undefined) return undefined;
  return {
    ...row,
    actor_id: latest.actor_id,
    content: latest.content,
    actors: JSON.stringify(left.slice(0, notificationLimits.actors).map((one) => one.actor_id)),
    actor_count: Math.max(1, row.actor_count - hidden.length),
    count: Math.max(
      1,
      hidden.reduce((sum, { times }) => sum - times, row.count),
    ),
  };
}

/** What its recipient is told of a notification where it leaves the list, such as in a message: undefined if they may not, or do not want to. */
export async function asTold(ctx: Context, row: NotificationRow): Promise<NotificationRow | undefined> {
  const seen = await asSeen(ctx, row);
  if (seen === undefined) return undefined;
  const { type, actor_id: actor, target_id: target, recipient_id: recipient } = seen;
  const about = { type, actorId: actor ?? undefined, targetId: target ?? undefined };
  return (await visibleTo(ctx, about, [recipient])).has(recipient) ? seen : undefined;
}
