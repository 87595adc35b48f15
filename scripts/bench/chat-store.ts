// The parts of `chat.ts` that need no sockets of their own: keys of many members, and a long conversation, on a fresh embedded store in one process.
import type { Actor } from '../../src/service/actor.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { systemRandom, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import { recordId } from '../../src/platform/store/record-id.ts';
import type { ConversationMessageRow } from '../../src/platform/store/tables/conversations.ts';
import { insertRows } from '../../src/platform/store/written-query.ts';
import { createChannel } from '../../src/services/chat/channels.ts';
import { createGroup } from '../../src/services/chat/groups.ts';
import { channelAddMembers, groupAddMembers } from '../../src/services/chat/members.ts';
import { groupMessages } from '../../src/services/chat/messages.ts';
import { channelKick, groupKick } from '../../src/services/chat/moderation.ts';
import { roomOf } from '../../src/shared/conversations/conversation.ts';
import { currentEpoch, openRoomKeys } from '../../src/shared/group-keys/keys.ts';
import { stalled, withEngine } from './engine.ts';
import { memberRow } from './fill-social.ts';
import { inTurns, median, type Measured } from './harness.ts';

/** Rows of one statement, and of one transaction. */
const ROWS = 400;
const TRANSACTION = 20_000;
const PAGE = 50;

/** Members that are there, as far as conversations ask. */
async function addMembers({ store, clock }: Context, count: number): Promise<string[]> {
  const now = clock.now();
  const rows = Array.from({ length: count }, (_, at) => {
    const { publicKey } = generateKeyPair();
    return memberRow(at, now, { id: memberIdOf(publicKey), publicKey: toHex(publicKey) });
  });
  await store.transaction(async (db) => {
    for (let from = 0; from < rows.length; from += ROWS) await insertRows(db, 'members', rows.slice(from, from + ROWS));
  });
  return rows.map(({ id }) => id);
}

const as = (memberId: string): Actor => ({ memberId }) as Actor;

/** How long the event loop stands still for a new key of many members. */
export async function epochs({
  group,
  channel,
}: {
  readonly group: number;
  readonly channel: number;
}): Promise<Measured[]> {
  return await withEngine(async ({ context: ctx }) => {
    const [owner = '', ...others] = await addMembers(ctx, channel);
    const ofGroup = others.slice(0, group - 1);
    const { id: groupId } = await createGroup(ctx, as(owner), {
      name: 'Bench',
      memberIds: ofGroup.slice(0, 200),
      mode: 'server',
    });
    if (ofGroup.length > 200)
      await groupAddMembers(ctx, as(owner), { conversationId: groupId, memberIds: ofGroup.slice(200) });
    const made = await createChannel(ctx, as(owner), {
      name: 'bench',
      topic: '',
      visibility: 'public',
      mode: 'server',
    });
    for (let from = 0; from < others.length; from += 200)
      await channelAddMembers(ctx, as(owner), { conversationId: made.id, memberIds: others.slice(from, from + 200) });
    const gone = others.toReversed();
    const kickedFromGroup = ofGroup.toReversed();
    const groupStall = await stalled(5, async (round) => {
      await groupKick(ctx, as(owner), { conversationId: groupId, memberId: kickedFromGroup[round] ?? '', ban: false });
    });
    const channelStall = await stalled(5, async (round) => {
      await channelKick(ctx, as(owner), { conversationId: made.id, memberId: gone[round] ?? '', ban: false });
    });
    return [
      { what: `the event loop stands still, a kick among ${group}`, value: groupStall, unit: 'ms', atMost: 20 },
      { what: `a kick among ${channel} in a channel`, value: channelStall, unit: 'ms', atMost: 50 },
    ];
  });
}

interface Long {
  readonly rows: number;
  readonly rounds: number;
  /** `sqljs` or `postgres` */
  readonly engine: string;
}

/** Pages of a long conversation, next to one of a short one. */
export async function history({ rows, rounds, engine }: Long): Promise<Measured[]> {
  return await withEngine(async ({ context: ctx }) => {
    const [ann = '', bob = ''] = await addMembers(ctx, 2);
    const open = async (name: string) =>
      (await createGroup(ctx, as(ann), { name, memberIds: [bob], mode: 'server' })).id;
    const [long, short] = [await open('Long'), await open('Short')];
    await fill(ctx, long, ann, rows);
    await fill(ctx, short, ann, 2 * PAGE);
    const page = async (conversationId: string, more = {}) => {
      const { items, cursor } = await groupMessages(ctx, as(bob), { conversationId, limit: PAGE, ...more });
      if (items.length !== PAGE || items[0]?.content == null) throw new Error('a page is not what it should be');
      return cursor ?? undefined;
    };
    // The first page that has another before it, and one in the middle that has another after it.
    const older = await page(long);
    const newer = await page(long, { after: Math.floor(rows / 2) });
    const took = await inTurns(rounds, {
      long: async () => void (await page(long)),
      middle: async () => void (await page(long, { after: Math.floor(rows / 2) })),
      older: async () => void (await page(long, { cursor: older })),
      newer: async () => void (await page(long, { cursor: newer, after: Math.floor(rows / 2) })),
      short: async () => void (await page(short)),
    });
    const short50 = median(took.short);
    const row = (what: string, times: readonly number[], most: number): Measured => ({
      what,
      value: median(times),
      unit: 'ms',
      nextTo: `of ${2 * PAGE} messages ${short50.toFixed(2)}`,
      ratio: median(times) / short50,
      atMost: most,
    });
    return [
      row(`the newest page of ${PAGE}`, took.long, 5),
      row('a page in the middle', took.middle, 5),
      row('the page before the newest, by its cursor', took.older, 5),
      row('a page after one in the middle, by its cursor', took.newer, 5),
    ];
  }, engine);
}

/** Messages as they would have been sent, in transactions of many. Searches do not find them. */
async function fill(ctx: Context, id: string, senderId: string, count: number): Promise<void> {
  const room = roomOf(id);
  const epoch = await currentEpoch(ctx, room);
  using keys = await openRoomKeys(ctx, room, [epoch]);
  const now = ctx.clock.now();
  const rowOf = (seq: number): ConversationMessageRow => {
    const messageId = recordId(now - count + seq, systemRandom);
    const text = utf8(JSON.stringify({ content: `Message ${seq}: ${'what was said here. '.repeat(5)}` }));
    const sealed = keys.seal({ epoch, senderId, messageId, revision: 0 }, text);
    return {
      conversation_id: id,
      seq,
      id: messageId,
      sender_id: senderId,
      client_id: null,
      reply_to_id: null,
      thread_id: null,
      reply_count: 0,
      last_reply_seq: null,
      forwarded_from: null,
      hook_id: null,
      epoch,
      revision: 0,
      sealed,
      signature: null,
      files: null,
      bytes: sealed.length,
      created_at: now - count + seq,
      edited_at: null,
      deleted_at: null,
    };
  };
  for (let from = 1; from <= count; from += TRANSACTION)
    await transaction(ctx, async (tx) => {
      for (let at = from; at < Math.min(from + TRANSACTION, count + 1); at += ROWS) {
        const numbers = Array.from({ length: Math.min(ROWS, count + 1 - at) }, (_, more) => at + more);
        await insertRows(tx.db, 'conversation_messages', numbers.map(rowOf));
      }
      const last = Math.min(from + TRANSACTION - 1, count);
      await tx.db.updateTable('conversations').set({ last_seq: last }).where('id', '=', id).execute();
    });
}
