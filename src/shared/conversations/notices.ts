import { transaction, type Context } from '../../service/context.ts';
import type { NotificationRules } from '../../service/service-parts.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { groupBy } from '../../base/group-by.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import type { ConversationMessageRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { blockedEitherWay, whoMutes } from '../members/blocks.ts';
import { memberSummaries } from '../members/summaries.ts';
import { hooksOf } from '../groups/hooks.ts';
import type { Room } from '../groups/room.ts';
import { notifyMany } from '../notifications/many.ts';
import { roomOf, type Seat } from './conversation.ts';

/** The kind of the jobs that notify members of messages that they have not read after a while. */
const noticesKind = 'chat-notices';

/** Messages that one run looks at. */
const TOGETHER = 500;

/** A run that is so late has been given up. */
const GIVEN_UP_MS = 60_000;

/**
 * Has members notified of a new message later, in its transaction, unless that is planned for one before it already.
 * @param seat as it was before the message
 */
export async function planNotices(
  tx: Context,
  seat: Pick<Seat, 'id' | 'last_seq' | 'noticed_seq' | 'active_at'>,
): Promise<void> {
  const now = tx.clock.now();
  const isPlanned = seat.noticed_seq < seat.last_seq && now - seat.active_at < chatLimits.noticeMs + GIVEN_UP_MS;
  if (!isPlanned) await plan(tx, seat.id, now + chatLimits.noticeMs);
}

async function plan(tx: Context, id: string, runAt: number): Promise<void> {
  const job = { id: `${noticesKind}/${id}`, kind: noticesKind, payload: { id } };
  await planJob(tx.db, { ...job, runAt, now: tx.clock.now() });
}

const conversationBy = writtenQuery<ConversationRow>('select * from conversations where id = $1');
const waiting = writtenQuery<
  Pick<ConversationMessageRow, 'seq' | 'sender_id' | 'thread_id' | 'hook_id' | 'created_at' | 'deleted_at'>
>(`
  select seq, sender_id, thread_id, hook_id, created_at, deleted_at from conversation_messages
  where conversation_id = $1 and seq > $2 order by seq limit ${TOGETHER + 1}`);
const noticed = writtenQuery('update conversations set noticed_seq = $1 where id = $2');
// A level that somebody chose counts; the default is that of `toSettings`.
const level = `coalesce(p.level, case when r.member_count <= ${chatLimits.notifiesOfAll}
  and not exists (select 1 from conversations k where k.id = r.id and k.type = 'channel') then 'all' else 'mentions' end)`;
const wanting = writtenList<{ member_id: string; level: string; read_seq: number }>(
  4,
  (seqs) => `
  select m.member_id, ${level} as level, p.read_seq
  from rooms r
  join room_members m on m.kind = r.kind and m.room_id = r.id
  join conversation_places p on p.conversation_id = m.room_id and p.member_id = m.member_id
  where r.kind = $1 and r.id = $2 and p.read_seq < $3 and p.joined_seq < $3
    and (p.muted_until is null or p.muted_until <= $4)
    and (${level} = 'all' or (${level} = 'mentions' and exists (
      select 1 from conversation_mentions n
      where n.conversation_id = m.room_id and n.member_id in ('', m.member_id) and n.seq in ${seqs})))`,
);
// Few are in a thread, so this begins with them.
const following = writtenList<{ member_id: string; level: string; read_seq: number }>(
  3,
  (seqs) => `
  select distinct m.member_id, 'thread' as level, p.read_seq
  from conversation_messages a
  join conversation_thread_places f on f.thread_id = a.thread_id and f.following = 1 and f.read_seq < a.seq
  join rooms r on r.kind = $1 and r.id = a.conversation_id
  join room_members m on m.kind = r.kind and m.room_id = r.id and m.member_id = f.member_id
  join conversation_places p on p.conversation_id = r.id and p.member_id = f.member_id
  where a.conversation_id = $2 and p.read_seq < a.seq and p.joined_seq < a.seq
    and (p.muted_until is null or p.muted_until <= $3) and ${level} = 'mentions' and a.seq in ${seqs}`,
);
const readInThreads = writtenList<{ member_id: string; seq: number }>(
  1,
  (seqs) => `
  select f.member_id, a.seq from conversation_messages a
  join conversation_thread_places f on f.thread_id = a.thread_id and f.read_seq >= a.seq
  where a.conversation_id = $1 and a.seq in ${seqs}`,
);
const mentionsAmong = writtenList<{ member_id: string; seq: number }>(
  1,
  (seqs) => `select member_id, seq from conversation_mentions where conversation_id = $1 and seq in ${seqs}`,
);

const botsAmong = writtenList<{ id: string }>(0, (ids) => `select id from bot_tokens where id in ${ids}`);

export function noticesHandler(ctx: Context): JobHandler {
  return async (payload) =>
    await transaction(ctx, async (tx) => await notice(tx, (payload as { readonly id: string }).id));
}

async function notice(tx: Context, id: string): Promise<void> {
  const [conversation] = (await tx.db.executeQuery(conversationBy(id))).rows;
  if (conversation === undefined) return;
  const now = tx.clock.now();
  const { rows } = await tx.db.executeQuery(waiting(id, conversation.noticed_seq));
  const first = rows.findIndex(({ created_at: at }) => at + chatLimits.noticeMs > now);
  const due = rows.slice(0, first === -1 ? TOGETHER : Math.min(first, TOGETHER));
  const last = due.at(-1);
  if (last !== undefined) await tx.db.executeQuery(noticed(last.seq, id));
  const next = rows[due.length];
  if (next !== undefined) await plan(tx, id, Math.max(now, next.created_at + chatLimits.noticeMs));
  const said = due.filter((row) => row.deleted_at === null);
  const names = await memberSummaries(tx, new Set(said.map((row) => row.sender_id)));
  const programs = said.flatMap((row) => row.hook_id ?? []);
  const hooks = programs.length > 0 ? await hooksOf(tx, roomOf(id)) : [];
  const bots = programs.length > 0 ? (await tx.db.executeQuery(botsAmong(programs))).rows.map((bot) => bot.id) : [];
  for (const messages of groupBy(said, (row) => `${row.sender_id} ${row.hook_id ?? ''}`).values()) {
    const [{ sender_id: senderId, hook_id: hookId }] = messages as [(typeof messages)[number]];
    const name =
      hookId === null || bots.includes(hookId)
        ? (names.get(senderId)?.username ?? 'Somebody')
        : (hooks.find((hook) => hook.id === hookId)?.name ?? 'A program');
    await noticeOf(tx, conversation, { id: senderId, name }, messages, now);
  }
}

/** Of several messages of one sender there is one notification: whoever has read the last has read the others. */
async function noticeOf(
  tx: Context,
  conversation: ConversationRow,
  sender: { readonly id: string; readonly name: string },
  messages: readonly Pick<ConversationMessageRow, 'seq' | 'thread_id'>[],
  now: number,
): Promise<void> {
  const { kind, id } = roomOf(conversation.id);
  const seqs = messages.map(({ seq }) => seq);
  const all = (await tx.db.executeQuery(wanting(seqs, kind, id, Math.max(...seqs), now))).rows;
  const answers = messages.filter((message) => message.thread_id !== null).map(({ seq }) => seq);
  const rows = answers.length === 0 ? all : await withFollowers(tx, { kind, id }, { all, seqs, answers }, now);
  const muting = await whoMutes(
    tx,
    sender.id,
    rows.map((row) => row.member_id),
  );
  const wants = rows.filter((row) => row.member_id !== sender.id && !muting.has(row.member_id));
  const mentions = (await tx.db.executeQuery(mentionsAmong(seqs, id))).rows.map((row) => row.member_id);
  const named = new Set(mentions.includes('') ? wants.map((row) => row.member_id) : mentions);
  const where = conversation.name === null ? undefined : ` in ${conversation.name}`;
  const about = { actorId: sender.id, targetId: id };
  await tell(
    tx,
    wants.filter((row) => named.has(row.member_id)),
    {
      ...about,
      type: 'message_mention',
      content: `${sender.name} mentioned you${where ?? ''}.`,
    },
  );
  await tell(
    tx,
    wants.filter((row) => !named.has(row.member_id) && row.level === 'all'),
    {
      ...about,
      type: 'new_message',
      content: where === undefined ? `${sender.name} sent you a message.` : `${sender.name} wrote${where}.`,
    },
  );
  await tell(
    tx,
    wants.filter((row) => !named.has(row.member_id) && row.level === 'thread'),
    {
      ...about,
      type: 'new_message',
      content: `${sender.name} answered in a thread that you follow${where ?? ''}.`,
    },
  );
}

type Wanting = { readonly member_id: string; readonly level: string; readonly read_seq: number };

/** Where some of the messages are answers: with those who follow their threads, and without whom has read in threads all that is new to them. */
async function withFollowers(
  tx: Context,
  { kind, id }: Room,
  { all, seqs, answers }: Readonly<{ all: readonly Wanting[]; seqs: readonly number[]; answers: readonly number[] }>,
  now: number,
): Promise<readonly Wanting[]> {
  const known = new Set(all.map((row) => row.member_id));
  const followers = (await tx.db.executeQuery(following(answers, kind, id, now))).rows;
  const { rows: read } = await tx.db.executeQuery(readInThreads(answers, id));
  const readBy = groupBy(read, (row) => row.member_id);
  return [...all, ...followers.filter((row) => !known.has(row.member_id))].filter((row) => {
    const seen = new Set(readBy.get(row.member_id)?.map(({ seq }) => seq));
    return seqs.some((seq) => seq > row.read_seq && !seen.has(seq));
  });
}

async function tell(
  tx: Context,
  recipients: readonly { readonly member_id: string }[],
  about: Parameters<typeof notifyMany>[2],
): Promise<void> {
  const ids = recipients.map((row) => row.member_id);
  for (let from = 0; from < ids.length; from += TOGETHER) await notifyMany(tx, ids.slice(from, from + TOGETHER), about);
}

const membersAmong = writtenList<{ member_id: string }>(
  2,
  (ids) => `select member_id from room_members where kind = $1 and room_id = $2 and member_id in ${ids}`,
);

const activeMember = writtenQuery(`select 1 from members where id = $1 and status = 'active'`);

/** All types of notifications of conversations. */
export const conversationNoticeTypes = [
  'new_message',
  'message_mention',
  'room_added',
  'message_request',
  'message_reaction',
] as const;

/** Notifications of messages are for members of the conversation, and for nobody whom a block parts from the sender. */
export const conversationNotices: NotificationRules = {
  types: conversationNoticeTypes,
  visibleTo: async (ctx, { actorId, targetId = '' }, memberIds) => {
    const { kind, id } = roomOf(targetId);
    const { rows } = await ctx.db.executeQuery(membersAmong(memberIds, kind, id));
    const there = rows.map((row) => row.member_id);
    // Who was suspended is not named any more.
    if (actorId !== undefined && (await ctx.db.executeQuery(activeMember(actorId))).rows.length === 0) return new Set();
    const parted = actorId === undefined ? new Set() : await blockedEitherWay(ctx, actorId, there);
    return new Set(there.filter((memberId) => !parted.has(memberId)));
  },
  seen: (notification, actor, reader) => `exists (
    select 1 from room_members rm where rm.kind = 'conversation' and rm.room_id = ${notification}.target_id
      and rm.member_id = ${reader})
    and exists (select 1 from members ma where ma.id = ${actor} and ma.status = 'active')
    and not exists (select 1 from member_blocks mb
      where (mb.member_id = ${reader} and mb.blocked_id = ${actor}) or (mb.member_id = ${actor} and mb.blocked_id = ${reader}))`,
};
