// The parts of `chat.ts` that need no sockets of their own: keys of many members, and a long conversation, on a fresh embedded store in one process.
import type { Actor } from '../../src/service/actor.ts';
import { transaction, type Context } from '../../src/service/context.ts';
import { systemRandom, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import { eventsAfter, positionOf } from '../../src/platform/store/event-rows.ts';
import { recordId } from '../../src/platform/store/record-id.ts';
import type { ConversationMessageRow } from '../../src/platform/store/tables/conversations.ts';
import { insertRows } from '../../src/platform/store/written-query.ts';
import { createChannel } from '../../src/services/chat/channels.ts';
import { createGroup, sendToGroup } from '../../src/services/chat/groups.ts';
import { channelAddMembers, groupAddMembers } from '../../src/services/chat/members.ts';
import { groupMessages } from '../../src/services/chat/messages.ts';
import { channelKick, groupKick } from '../../src/services/chat/moderation.ts';
import { conversationAsHeard } from '../../src/shared/conversations/events.ts';
import { roomOf, topicOfConversation } from '../../src/shared/conversations/conversation.ts';
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
    const saidStall = await stalled(5, async () => {
      for (let at = 0; at < 10; at += 1)
        await sendToGroup(ctx, as(owner), { conversationId: groupId, content: 'To all of them' });
    });
    return [
      { what: `the event loop stands still, a kick among ${group}`, value: groupStall, unit: 'ms', atMost: 20 },
      { what: `a kick among ${channel} in a channel`, value: channelStall, unit: 'ms', atMost: 50 },
      { what: `a message to ${group}`, value: saidStall, unit: 'ms', atMost: 10 },
    ];
  });
}

interface Long {
  readonly rows: number;
  readonly rounds: number;
  /** events that a client missed which comes back */
  readonly missed: number;
}

/** A page of a long conversation, next to one of a short one, and what a client asks for that missed events. */
export async function history({ rows, rounds, missed }: Long): Promise<Measured[]> {
  return await withEngine(async ({ context: ctx }) => {
    const [ann = '', bob = ''] = await addMembers(ctx, 2);
    const open = async (name: string) =>
      (await createGroup(ctx, as(ann), { name, memberIds: [bob], mode: 'server' })).id;
    const [long, short] = [await open('Long'), await open('Short')];
    await fill(ctx, long, ann, rows);
    await fill(ctx, short, ann, 2 * PAGE);
    const page = async (conversationId: string, more = {}) => {
      const { items } = await groupMessages(ctx, as(bob), { conversationId, limit: PAGE, ...more });
      if (items.length !== PAGE || items[0]?.content == null) throw new Error('a page is not what it should be');
    };
    const topic = topicOfConversation(long);
    // Nobody may send so many at once.
    let ms = ctx.clock.now();
    const later = { ...ctx, clock: { ...ctx.clock, now: () => (ms += 1_000) } };
    for (let at = 0; at < missed; at += 1)
      await sendToGroup(later, as(ann), { conversationId: long, content: `Missed ${at}` });
    const before = (await positionOf(ctx.db, topic)) - missed;
    const heard = conversationAsHeard(ctx);
    const took = await inTurns(rounds, {
      long: async () => await page(long),
      middle: async () => await page(long, { after: Math.floor(rows / 2) }),
      short: async () => await page(short),
      async resume() {
        for (let seq = before, got = 0; got < missed;) {
          const events = await eventsAfter(ctx.db, topic, seq, 200);
          const said = await heard(topic, events);
          if (events.length === 0 || said.some((one) => one === undefined)) throw new Error('an event is missing');
          got += events.length;
          seq = events.at(-1)?.seq ?? seq;
        }
      },
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
      { what: `what ${missed} missed events say`, value: median(took.resume), unit: 'ms', atMost: 200 },
    ];
  });
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
