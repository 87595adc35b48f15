import type { Context } from '../../service/context.ts';
import { groupBy } from '../../base/group-by.ts';
import { inParts } from '../../base/in-parts.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { publishToMany } from '../../platform/realtime/publish.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { topicOfInbox } from '../conversations/conversation.ts';
import { showingOnline } from '../members/privacy.ts';
import { boardOf } from './board.ts';
import { acquainting, statusesOf } from './statuses.ts';

const SUBJECTS_AT_ONCE = 10;
const ROOMS_AT_ONCE = 500;
const MEMBERS_AT_ONCE = 500;

interface SmallRoom {
  readonly subject: string;
  readonly id: string;
  readonly size: number;
  readonly active_at: number;
}

const smallRooms = writtenList<SmallRoom>(
  1,
  (subjects) => `
  select a.member_id as subject, a.room_id as id, r.member_count as size, c.active_at
  from room_members a
  join rooms r on r.kind = a.kind and r.id = a.room_id
  join conversations c on c.id = a.room_id and (${acquainting})
  where a.kind = 'conversation' and r.member_count <= $1 and a.member_id in ${subjects}`,
);
const membersOf = writtenList<{ room: string; id: string }>(
  0,
  (rooms) =>
    `select room_id as room, member_id as id from room_members where kind = 'conversation' and room_id in ${rooms}`,
);
// The rooms of the one are looked through for each of the others, because the others may be in many.
const acquaintedWith = writtenList<{ id: string }>(
  1,
  (watchers) => `
  select m.id from members m
  where exists (
    select 1 from room_members a
    join room_members b on b.kind = a.kind and b.room_id = a.room_id and b.member_id = m.id
    join conversations c on c.id = a.room_id and (${acquainting})
    where a.kind = 'conversation' and a.member_id = $1)
  and m.id in ${watchers}`,
);
const blocksOf = writtenList<{ member_id: string; blocked_id: string }>(
  0,
  (subjects) => `
  select member_id, blocked_id from member_blocks where member_id in ${subjects}
  union all select member_id, blocked_id from member_blocks where blocked_id in ${subjects}`,
);

interface Audience {
  /** whom a change of each of some members is told, by the receiver */
  readonly receivers: ReadonlyMap<string, ReadonlySet<string>>;
  /** those of whom nothing is said in this step, because those before them have as many receivers as one step may have */
  readonly left: readonly string[];
}

/**
 * Whom of this process a change of each of some members is told: those in their small conversations, and those who watch them. Whoever hides
 * their own status is told nothing of others, and nobody whom a block parts is.
 */
export async function audienceOf(ctx: Context, subjects: readonly string[]): Promise<Audience> {
  const { here } = boardOf(ctx);
  const found = new Map<string, Set<string>>();
  const add = (subject: string, receiver: string): void => {
    found.set(receiver, (found.get(receiver) ?? new Set()).add(subject));
  };
  const { rooms, left } = await roomsToTell(ctx, subjects);
  const members = await membersHere(ctx, [...new Set([...rooms.values()].flat())]);
  for (const [subject, own] of rooms) {
    for (const room of own) for (const { id } of members.get(room) ?? []) if (id !== subject) add(subject, id);
    for (const watcher of await watchersOf(ctx, subject)) add(subject, watcher);
  }
  await removeParted(ctx, [...rooms.keys()], found);
  const receivers = await withoutHiding(ctx, found);
  for (const subject of rooms.keys())
    if (here.has(subject)) receivers.set(subject, (receivers.get(subject) ?? new Set()).add(subject));
  return { receivers, left };
}

async function membersHere(ctx: Context, rooms: readonly string[]) {
  const { here } = boardOf(ctx);
  const found: { readonly room: string; readonly id: string }[] = [];
  for (const some of inParts(rooms, ROOMS_AT_ONCE))
    for (const row of (await ctx.db.executeQuery(membersOf(some))).rows) if (here.has(row.id)) found.push(row);
  return groupBy(found, ({ room }) => room);
}

/**
 * The small conversations of members, of each those with the newest activity. However many they are, a step looks at few: the others wait, so that
 * a node whose sockets all come at once tells of them one after another.
 */
async function roomsToTell(
  { db }: Pick<Context, 'db'>,
  subjects: readonly string[],
): Promise<{ readonly rooms: ReadonlyMap<string, readonly string[]>; readonly left: readonly string[] }> {
  const rooms = new Map<string, readonly string[]>();
  let members = 0;
  for (const some of inParts(subjects, SUBJECTS_AT_ONCE)) {
    const { rows } = await db.executeQuery(smallRooms(some, chatLimits.tellsPresence));
    const bySubject = groupBy(rows, (row) => row.subject);
    for (const subject of some) {
      const own = newest(bySubject.get(subject) ?? []);
      members += own.reduce((sum, { size }) => sum + size, 0);
      if (members > chatLimits.receiversAtOnce) return { rooms, left: subjects.slice(subjects.indexOf(subject)) };
      rooms.set(
        subject,
        own.map(({ id }) => id),
      );
    }
  }
  return { rooms, left: [] };
}

/** Those with the newest activity, with so many members together as are told. */
function newest(rooms: readonly SmallRoom[]): readonly SmallRoom[] {
  let members = 0;
  return rooms
    .toSorted((a, b) => b.active_at - a.active_at || (a.id < b.id ? -1 : 1))
    .filter(({ size }) => (members += size) <= chatLimits.receivers);
}

async function watchersOf(ctx: Context, subject: string): Promise<string[]> {
  const watchers = [...boardOf(ctx).watches].flatMap(([{ memberId }, watched]) =>
    watched.has(subject) ? [memberId] : [],
  );
  const found: string[] = [];
  for (const some of inParts([...new Set(watchers)], MEMBERS_AT_ONCE))
    for (const { id } of (await ctx.db.executeQuery(acquaintedWith(some, subject))).rows) found.push(id);
  return found;
}

async function removeParted(
  { db }: Pick<Context, 'db'>,
  subjects: readonly string[],
  found: Map<string, Set<string>>,
): Promise<void> {
  if (subjects.length === 0) return;
  for (const { member_id: one, blocked_id: other } of (await db.executeQuery(blocksOf(subjects))).rows) {
    found.get(one)?.delete(other);
    found.get(other)?.delete(one);
  }
}

async function withoutHiding(
  ctx: Pick<Context, 'db'>,
  found: ReadonlyMap<string, Set<string>>,
): Promise<Map<string, Set<string>>> {
  const told = new Map<string, Set<string>>();
  for (const some of inParts([...found.keys()], MEMBERS_AT_ONCE))
    for (const id of await showingOnline(ctx, some)) {
      const subjects = found.get(id);
      if (subjects !== undefined && subjects.size > 0) told.set(id, subjects);
    }
  return told;
}

const together = writtenQuery(`
  select 1 from room_members a
  join room_members b on b.kind = a.kind and b.room_id = a.room_id and b.member_id = $1
  join conversations c on c.id = a.room_id and (${acquainting})
  where a.kind = 'conversation' and a.member_id = $2 limit 1`);

/**
 * In the transaction that parts two members by a block: whoever of them was told that the other one is there, is told that they are offline, as
 * everything says from then on. Those who see nothing of each other are told nothing.
 */
export async function tellParted(tx: Context, memberId: string, otherId: string): Promise<void> {
  if ((await tx.db.executeQuery(together(memberId, otherId))).rows.length === 0) return;
  for (const { memberId: subject, told } of await statusesOf(tx, [memberId, otherId])) {
    const changes = [{ memberId: subject, status: 'offline' as const }];
    const inbox = topicOfInbox(subject === memberId ? otherId : memberId);
    if (told !== 'offline') publishToMany(tx, [inbox], chatEvents.presenceChanged, { changes });
  }
}
