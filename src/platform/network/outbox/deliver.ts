import { transaction, type Context } from '../../../service/context.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { verifierOf } from '../../../crypto/signature.ts';
import { Problem } from '../../../base/problem.ts';
import type { PeerTarget } from '../../../service/ports/network.ts';
import type { OutboxLimits } from './limits.ts';
import type { Occupancy } from './occupancy.ts';
import { dueMessages, markSent, putOff, type QueueName, type WaitingMessage } from './outbox-rows.ts';
import type { LeavingNote, MessageOutcome, NodeDirectory } from '../../../service/ports/outbox.ts';
import { pauseAfter } from './patience.ts';
import { receiptVerifier, writtenReceipt, type Receipt } from './receipt.ts';
import { settle, type Noting, type Settling } from './settle.ts';
import type { Tally } from './tally.ts';
import { OUTBOX, readReply, type BatchReply, type SentBatch, type SentOutcome } from './wire.ts';

export type DeliveryParts = Pick<Context, 'store' | 'db' | 'clock' | 'log' | 'keys' | 'random' | 'afterCommit'>;

export interface DeliveryOptions extends Noting {
  readonly directory: NodeDirectory;
  readonly limits: OutboxLimits;
  readonly occupancy: Occupancy;
  readonly sent: Tally;
  /** channels whose messages don't wait for each other */
  readonly apart: ReadonlySet<string>;
  readonly leaving: ReadonlyMap<string, LeavingNote>;
  /** asks a node; throws PEER_UNREACHABLE and PEER_REFUSED as the port does */
  readonly request: (peer: PeerTarget, protocol: string, payload: unknown) => Promise<unknown>;
  /** connects to a node unless it is connected; throws PEER_UNREACHABLE */
  readonly reach: (nodeId: string) => Promise<void>;
}

/** Why messages can't be sent now; they are tried again later. */
export class Later extends Error {
  readonly code: string;
  /** whether some messages have an outcome now */
  readonly progress: boolean;
  /** those that failed wait by themselves: others may be sent at once */
  readonly apart: boolean;
  /** when the first of them is due; nothing else waits */
  readonly dueAt: number | undefined;

  constructor(code: string, reason: string, progress = false, apart = false, dueAt?: number) {
    super(reason);
    this.code = code;
    this.progress = progress;
    this.apart = apart;
    this.dueAt = dueAt;
  }
}

export interface Delivery {
  /**
   * Sends messages of a queue that are due and records what became of them.
   * @returns whether more messages may wait
   * @throws Later
   */
  deliver(this: void, queue: QueueName): Promise<boolean>;
  /**
   * Records outcomes that this node decides alone.
   * @param unsent only of messages that have not left this node meanwhile
   * @throws Later
   */
  end(this: void, messages: readonly WaitingMessage[], result: MessageOutcome, unsent?: boolean): Promise<boolean>;
}

const notInPool: MessageOutcome = {
  outcome: 'refused',
  code: 'NOT_IN_POOL',
  reason: 'The access list does not name the node.',
};

/** Only what a receipt consists of is taken from the answer. */
function receiptOf(
  { poolId, version, result, at, index, size, path, signature }: SentOutcome,
  { node_id: receiver, channel, id, body_hash: bodyHash }: WaitingMessage,
  sender: string,
): Receipt {
  return { poolId, version, sender, receiver, channel, id, bodyHash, result, at, index, size, path, signature };
}

export function createDelivery(parts: DeliveryParts, options: DeliveryOptions): Delivery {
  const { directory, limits, occupancy, sent, apart } = options;
  const { db, clock, keys } = parts;
  /** the most messages of a request, by queue, where fewer are sent than usual: one that fails must not stop those beside it */
  const fewer = new Map<string, number>();

  async function record(settling: readonly Settling[]): Promise<void> {
    const { settled, failed } = await settle(parts, options, settling);
    for (const { message, result } of settled) {
      occupancy.leave(message.node_id, [message.size]);
      sent.add(message.channel, result.outcome);
    }
    const progress = settled.length > 0;
    if (failed.length === 0) return;
    // The receiver has them, so that others go first changes no order.
    await wait(failed.map(({ message }) => message));
    throw new Later('OUTCOME_NOT_RECORDED', 'This node could not record an outcome; see its log.', progress, true);
  }

  /** Messages that failed by themselves come again later than the others of their queue. */
  async function wait(messages: readonly WaitingMessage[]): Promise<void> {
    const now = clock.now();
    await transaction(parts, async (tx) => {
      for (const tries of new Set(messages.map((message) => message.tries))) {
        const places = messages.filter((message) => message.tries === tries).map(({ place }) => place);
        await putOff(tx.db, places, tries + 1, now + pauseAfter(tries + 1, limits.retryMs, parts.random));
      }
    });
  }

  async function end(messages: readonly WaitingMessage[], result: MessageOutcome, unsent = false): Promise<boolean> {
    await record(messages.map((message) => ({ message, result, receipt: undefined, unsent })));
    return messages.length > 0;
  }

  /** @throws Later when no message may be sent to the node now */
  async function assertMaySend(nodeId: string): Promise<'send' | 'end'> {
    if ((await directory.head(db)) === undefined) throw new Later('NO_POOL', 'This node has no pool yet.');
    const standing = await directory.standing(db, nodeId);
    if (standing === 'absent') return 'end';
    if (standing === 'expired') throw new Later('ADMISSION_EXPIRED', 'The admission of the node has expired.');
    if ((await directory.standing(db, keys.nodeId)) !== 'admitted')
      throw new Later('NOT_ADMITTED', 'This node is not admitted to the pool.');
    return 'send';
  }

  /** Notes what leaves now, and tells the channel in the same transaction. @returns the places of what is still in the outbox */
  async function leave({ nodeId, channel }: QueueName, fresh: readonly WaitingMessage[]): Promise<ReadonlySet<string>> {
    if (fresh.length === 0) return new Set();
    return await transaction(parts, async (tx) => {
      const rows = await markSent(
        tx.db,
        fresh.map(({ place }) => place),
        clock.now(),
      );
      const note = options.leaving.get(channel);
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await note?.({ db: tx.db, afterCommit: tx.afterCommit }, { nodeId, channel, ids });
      return new Set(rows.map(({ place }) => place));
    });
  }

  async function peerSays<T>(asking: Promise<T>): Promise<T> {
    try {
      return await asking;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const told = error.code === 'PEER_REFUSED' && error.cause instanceof Problem ? error.cause : error;
      throw new Later(told.code, told.message);
    }
  }

  /** The outcomes that count: the access list of the version that a receipt names must name the signer. */
  async function verified(
    nodeId: string,
    messages: readonly WaitingMessage[],
    { outcomes, apart: hasGaps }: BatchReply,
  ): Promise<{ good: Settling[]; unknownList: boolean }> {
    const head = await directory.head(db);
    const keyAt = new Map<number, ReturnType<typeof receiptVerifier>>();
    const good: Settling[] = [];
    let next = 0;
    for (const told of outcomes) {
      // In the order of the messages. Where these are handled apart, some may be left out.
      const at = messages.findIndex(({ id }, index) => index >= next && id === told.id);
      const message = messages[at];
      if (message === undefined || (at > next && !hasGaps) || told.poolId !== head?.poolId) break;
      next = at + 1;
      let verify = keyAt.get(told.version);
      if (verify === undefined) {
        if (told.version > (head?.version ?? 0)) return { good, unknownList: true };
        const key = await directory.keyAt(db, nodeId, told.version);
        if (key === undefined) break;
        verify = receiptVerifier(verifierOf(fromHex(key)));
        keyAt.set(told.version, verify);
      }
      const receipt = receiptOf(told, message, keys.nodeId);
      if (!verify(receipt)) break;
      good.push({ message, result: told.result, receipt: writtenReceipt(receipt) });
    }
    return { good, unknownList: false };
  }

  /** Sends messages and records what became of them. @throws Later unless all have an outcome */
  async function ask({ nodeId, channel }: QueueName, messages: readonly WaitingMessage[]): Promise<void> {
    const batch: SentBatch = {
      channel,
      messages: messages.map(({ id, body, expires_at: expiresAt }) => ({ id, body, expiresAt })),
      apart: apart.has(channel),
    };
    const told = readReply(await peerSays(options.request({ nodeId }, OUTBOX, batch)), messages.length);
    if (told === undefined) throw malformed(false);
    const reply = { ...told, apart: told.apart && batch.apart };
    const { good, unknownList } = await verified(nodeId, messages, reply);
    await record(good);
    const progress = good.length > 0;
    if (unknownList)
      throw new Later(
        'LIST_UNKNOWN',
        'The node signed under an access list that this node does not have yet.',
        progress,
      );
    if (good.length < reply.outcomes.length)
      throw new Later('RECEIPT_INVALID', 'The node did not sign as the access list names it.', progress);
    if (reply.failed) {
      const left = messages.filter((one) => !good.some(({ message }) => message === one));
      // An older version stops at the first that fails, or does nothing at all.
      const failing = reply.apart ? left : left.slice(0, batch.apart && (progress || messages.length === 1) ? 1 : 0);
      const isApart = failing.length > 0;
      if (isApart) await wait(failing);
      const which = isApart ? 'some messages' : 'the next message';
      throw new Later('HANDLING_FAILED', `The node could not handle ${which}; see its log.`, progress, isApart);
    }
    // A node says something of every message, or that it failed.
    if (good.length < messages.length) throw malformed(progress);
  }

  async function deliver(queue: QueueName): Promise<boolean> {
    const { nodeId, channel } = queue;
    const key = `${nodeId} ${channel}`;
    const most = fewer.get(key) ?? limits.batch.messages;
    const times = { now: clock.now(), longestMs: 2 * limits.retryMs.most };
    const { messages: waiting, nextAt } = await dueMessages(db, queue, { ...limits.batch, messages: most }, times);
    if (nextAt !== undefined) throw failedBefore(nextAt);
    if (waiting.length === 0) return false;
    if ((await assertMaySend(nodeId)) === 'end') return await end(waiting, notInPool);
    await peerSays(options.reach(nodeId));
    const fresh = waiting.filter(({ sent_at: sentAt }) => sentAt === null);
    // From here on the receiver may have them, so they can't simply expire any more. Those that just did are not sent.
    const marked = await leave(queue, fresh);
    const messages = waiting.filter(({ place, sent_at: sentAt }) => sentAt !== null || marked.has(place));
    if (messages.length === 0) return true;
    try {
      await ask(queue, messages);
    } catch (error) {
      if (!(error instanceof Later) || !failedWhole(error) || messages.length === 1) throw error;
      fewer.set(key, Math.ceil(messages.length / 2));
      return await deliver(queue);
    }
    if (2 * most < limits.batch.messages) fewer.set(key, 2 * most);
    else fewer.delete(key);
    return true;
  }

  return { end, deliver };
}

/** Whether the node did nothing with any message of a request. */
function failedWhole({ code, progress, apart }: Later): boolean {
  return !progress && !apart && (code === 'HANDLING_FAILED' || code === 'INTERNAL');
}

function failedBefore(dueAt: number): Later {
  return new Later(
    'HANDLING_FAILED',
    'Messages failed by themselves and come again later; see the logs.',
    false,
    true,
    dueAt,
  );
}

function malformed(progress: boolean): Later {
  return new Later('ANSWER_MALFORMED', 'The answer of the node is not valid.', progress);
}
