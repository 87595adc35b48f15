import type { Context } from '../../service/context.ts';
import { inParts } from '../../base/in-parts.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { publishToMany } from '../../platform/realtime/publish.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { topicOfInbox } from '../conversations/conversation.ts';
import { showsOnlineStatus } from '../members/privacy.ts';
import { boardOf } from './board.ts';
import { acquainting, statusesOf } from './statuses.ts';

interface Pair {
  readonly subject: string;
  readonly receiver: string;
  /** of the receiver */
  readonly privacy: string | null;
}

/** Members who are in a conversation with each other, without those whom a block parts. */
const acquainted = (more: string, where: string): string => `
  select distinct a.member_id as subject, b.member_id as receiver, f.privacy
  from room_members a
  join rooms r on r.kind = a.kind and r.id = a.room_id
  join conversations c on c.id = a.room_id and (${acquainting})
  join room_members b on b.kind = a.kind and b.room_id = a.room_id and b.member_id <> a.member_id
  ${more}
  left join social_profiles f on f.member_id = b.member_id
  where a.kind = 'conversation' and not exists (
    select 1 from member_blocks x
    where (x.member_id = a.member_id and x.blocked_id = b.member_id) or (x.member_id = b.member_id and x.blocked_id = a.member_id))
  and ${where}`;

const inFew = writtenList<Pair>(2, (subjects) =>
  acquainted(
    'join presence_sockets s on s.member_id = b.member_id and s.process_id = $1',
    `r.member_count <= $2 and a.member_id in ${subjects}`,
  ),
);
const watching = writtenList<Pair>(1, (watchers) => acquainted('', `a.member_id = $1 and b.member_id in ${watchers}`));

const WATCHERS_AT_ONCE = 500;

/** Whom of this process a change of each of some members is told, by the receiver. Whoever hides their own status is told nothing of others. */
export async function receiversOf(
  ctx: Context,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { here, watches } = boardOf(ctx);
  const found = new Map<string, Set<string>>();
  const add = ({ subject, receiver, privacy }: Pair): void => {
    if (showsOnlineStatus({ privacy })) found.set(receiver, (found.get(receiver) ?? new Set()).add(subject));
  };
  const { rows } = await ctx.db.executeQuery(inFew(subjects, ctx.realtime.id, chatLimits.tellsPresence));
  for (const pair of rows) add(pair);
  for (const subject of subjects) {
    if (here.has(subject)) add({ subject, receiver: subject, privacy: null });
    const watchers = [...watches].flatMap(([{ memberId }, watched]) => (watched.has(subject) ? [memberId] : []));
    for (const some of inParts([...new Set(watchers)], WATCHERS_AT_ONCE))
      for (const pair of (await ctx.db.executeQuery(watching(some, subject))).rows) add(pair);
  }
  return found;
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
