import { transaction } from '../../../service/context.ts';
import type { Context } from '../../../service/context.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { sha256 } from '../../../crypto/hash.ts';
import { Problem } from '../../../base/problem.ts';
import type { Peer, Responder } from '../../../service/ports/network.ts';
import { addKnown, countKnown, knownMessages, replaceReceipt } from './inbox-rows.ts';
import { CLOCKS_MS, type OutboxLimits } from './limits.ts';
import { createPatience, isPassing } from './patience.ts';
import type { MessageHandler, MessageOutcome, NodeDirectory } from '../../../service/ports/outbox.ts';
import { signReceipts, type Receipt, type Statement } from './receipt.ts';
import type { Tally } from './tally.ts';
import { createTurns } from './turns.ts';
import { largestBatch, plainReason, readBatch, type BatchReply, type SentMessage, type SentOutcome } from './wire.ts';

export type InboxParts = Pick<Context, 'store' | 'db' | 'clock' | 'log' | 'keys' | 'afterCommit'>;

export interface InboxOptions {
  readonly handlers: ReadonlyMap<string, MessageHandler>;
  readonly apart: ReadonlySet<string>;
  readonly received: Tally;
  readonly directory: NodeDirectory;
  readonly limits: OutboxLimits;
}

export interface Inbox {
  readonly responder: Responder;
  /** counts anew how much is kept for each sender */
  count(): Promise<void>;
}

interface Incoming extends SentMessage {
  readonly bodyHash: string;
  readonly value: unknown;
}

/** How the messages of a batch are handled. */
interface Kind {
  readonly channel: string;
  /** none of them waits for another */
  readonly isApart: boolean;
}

/** Batches of one peer that may be in memory at the same time, on all channels. */
const BATCHES_AT_ONCE = 4;
/** Another process of this node may have handled the same message meanwhile. */
const TRIES = 3;

/** The handler of a message threw, so the transaction was rolled back. */
class HandlerFailed extends Error {
  readonly id: string;

  constructor(id: string, cause: unknown) {
    super('a message was not handled', { cause });
    this.id = id;
  }
}

class Raced extends Error {}

/**
 * Handles messages of other nodes exactly once. What a handler writes, the row that says that the message was handled, and the signed
 * receipt are one transaction; normally that of a whole batch. A repeated message gets the receipt that is kept.
 */
export function createInbox(parts: InboxParts, { handlers, apart, received, directory, limits }: InboxOptions): Inbox {
  const { keys, clock, log } = parts;
  const turns = createTurns();
  const patience = createPatience(clock);
  let kept = new Map<string, number>();

  /** What was said of each message, in one transaction for all; the handlers run one after another. */
  async function take(
    peer: Peer,
    channel: string,
    messages: readonly Incoming[],
    refusal?: MessageOutcome,
  ): Promise<Receipt[]> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await tryTake(peer, channel, messages, refusal);
      } catch (error) {
        if (!(error instanceof Raced) || tried === TRIES) throw error;
      }
    }
  }

  async function tryTake(
    { nodeId: sender }: Peer,
    channel: string,
    messages: readonly Incoming[],
    refusal: MessageOutcome | undefined,
  ): Promise<Receipt[]> {
    const head = await directory.head(parts.db);
    if (head === undefined) throw notAdmitted();
    const now = clock.now();
    const known = await knownMessages(
      parts.db,
      sender,
      channel,
      messages.map(({ id }) => id),
    );
    const state = ({ id, bodyHash }: Incoming, result: MessageOutcome): Statement => {
      const { poolId, version } = head;
      return { poolId, version, sender, receiver: keys.nodeId, channel, id, bodyHash, result, at: now };
    };
    const said = messages.map((message) => {
      const before = known.get(message.id);
      if (before === undefined)
        return { message, fresh: true, statement: state(message, refusal ?? outcomeOf(message, now)) };
      if (before.bodyHash !== message.bodyHash) return { message, fresh: false, statement: state(message, reused) };
      const { poolId, version, result } = before.receipt;
      // The sender can check a key only in the list that it has. After a change of the list, the same outcome is signed anew.
      const stands = poolId === head.poolId && version === head.version;
      return stands
        ? { message, receipt: before.receipt }
        : { message, again: true, statement: state(message, result) };
    });
    // The signature is made before the transaction, because a transaction must not keep the store from others for long.
    const toSign = said.filter((one) => one.statement !== undefined);
    if (toSign.length > 0) await directory.assertSigning(parts.db);
    const signed = signReceipts(
      keys.identity,
      toSign.map(({ statement }) => statement),
    );
    const receiptOf = new Map(toSign.map(({ message }, at) => [message.id, signed[at] as Receipt]));
    const fresh = said.filter((one) => one.fresh === true).map(({ message }) => message);
    const again = said.filter((one) => one.again === true).map(({ message }) => message);
    const times = new Map(messages.map(({ id, expiresAt }) => [id, expiresAt]));
    const latest = now + limits.lifeMs + CLOCKS_MS;
    const keepUntil = (id: string) => Math.min(times.get(id) ?? latest, latest) + limits.marginMs + CLOCKS_MS;
    if (fresh.length + again.length > 0) {
      await transaction(parts, async (tx) => {
        if ((await directory.standing(tx.db, sender)) !== 'admitted') throw notAdmitted();
        await directory.assertSigning(tx.db);
        const added = fresh.map(({ id }) => receiptOf.get(id) as Receipt);
        if (!(await addKnown(tx.db, added, keepUntil))) throw new Raced();
        for (const { id } of again) await replaceReceipt(tx.db, receiptOf.get(id) as Receipt);
        const handle = handlers.get(channel);
        for (const { id, value, expiresAt } of fresh) {
          if (receiptOf.get(id)?.result.outcome !== 'acknowledged') continue;
          try {
            await handle?.(
              { db: tx.db, afterCommit: tx.afterCommit },
              { nodeId: sender, channel, id, body: value, expiresAt },
            );
          } catch (error) {
            throw new HandlerFailed(id, error);
          }
        }
      });
      kept.set(sender, (kept.get(sender) ?? 0) + fresh.length);
      for (const { id } of fresh) received.add(channel, (receiptOf.get(id) as Receipt).result.outcome);
    }
    return said.map(({ message, receipt }) => receipt ?? (receiptOf.get(message.id) as Receipt));
  }

  function outcomeOf({ expiresAt }: SentMessage, now: number): MessageOutcome {
    if (expiresAt <= now) return expired;
    return expiresAt > now + limits.lifeMs + CLOCKS_MS ? tooLate : { outcome: 'acknowledged' };
  }

  /**
   * Handles as many messages as possible: one that is refused does not undo the others, and one that failed stops those after it unless they
   * come apart.
   */
  async function takeAll(
    peer: Peer,
    { channel, isApart }: Kind,
    messages: readonly Incoming[],
  ): Promise<{ receipts: Receipt[]; failed: boolean }> {
    const receipts: Receipt[] = [];
    let failed = false;
    let rest = messages;
    while (rest.length > 0) {
      try {
        receipts.push(...(await take(peer, channel, rest)));
        break;
      } catch (error) {
        if (error instanceof Problem || error instanceof Raced) throw error;
        // A handler that hid the error of a statement spoils the whole transaction, so each message is tried alone.
        if (!(error instanceof HandlerFailed) && rest.length > 1) {
          const each = await takeEach(peer, { channel, isApart }, rest);
          return { receipts: [...receipts, ...each.receipts], failed: failed || each.failed };
        }
        const at = error instanceof HandlerFailed ? rest.findIndex(({ id }) => id === error.id) : 0;
        if (at > 0) {
          // What fails here may be the fault of a handler before. Only the first of a transaction fails by itself.
          const before = await takeAll(peer, { channel, isApart }, rest.slice(0, at));
          receipts.push(...before.receipts);
          failed ||= before.failed;
          if (before.failed && !isApart) break;
          rest = rest.slice(at);
          continue;
        }
        const refused = rest.slice(0, 1);
        const refusal = refusalFor(peer.nodeId, channel, refused[0]?.id ?? '', error);
        if (refusal !== undefined) receipts.push(...(await take(peer, channel, refused, refusal)));
        else {
          failed = true;
          if (!isApart) break;
        }
        rest = rest.slice(1);
      }
    }
    return { receipts, failed };
  }

  async function takeEach(peer: Peer, kind: Kind, messages: readonly Incoming[]) {
    const receipts: Receipt[] = [];
    let failed = false;
    for (const message of messages) {
      const one = await takeAll(peer, kind, [message]);
      receipts.push(...one.receipts);
      failed ||= one.failed;
      if (failed && !kind.isApart) break;
    }
    return { receipts, failed };
  }

  /** undefined: the message comes again */
  function refusalFor(nodeId: string, channel: string, id: string, thrown: unknown): MessageOutcome | undefined {
    const error = thrown instanceof HandlerFailed ? thrown.cause : thrown;
    const refusal = refusalOf(error);
    if (refusal !== undefined) return refusal;
    log.error('handling a message failed', { error, channel, nodeId, id });
    if (!patience.failed({ nodeId, channel }, id, error)) return undefined;
    log.error('a message was refused, because handling it failed for a day', { channel, nodeId, id });
    return givenUp;
  }

  async function answer(question: unknown, peer: Peer, signal: AbortSignal): Promise<BatchReply> {
    const { channel, messages, apart: takesGaps } = readBatch(question, limits);
    const isApart = takesGaps && apart.has(channel);
    if (!handlers.has(channel))
      throw new Problem('missing', 'CHANNEL_UNKNOWN', 'This node does not know the channel of the messages.');
    if ((kept.get(peer.nodeId) ?? 0) >= limits.inboxRows)
      throw new Problem('tooMany', 'RATE_LIMITED', 'This node keeps too many answers for your node. Try again later.');
    const incoming = messages.map(parsed);
    // The sender has one batch of a channel under way. A second one means that it lost its connection, or gave up waiting for the first.
    return await turns.take(`${peer.nodeId} ${channel}`, signal, async () => {
      const { receipts, failed } = await takeAll(peer, { channel, isApart }, incoming);
      return { outcomes: receipts.map(sentOutcome), failed, apart: isApart };
    });
  }

  return {
    responder: { strangers: false, maxBytes: largestBatch(limits), atOnce: BATCHES_AT_ONCE, answer },
    async count() {
      kept = await countKnown(parts.db);
    },
  };
}

const expired: MessageOutcome = {
  outcome: 'expired',
  code: 'MESSAGE_EXPIRED',
  reason: 'The message arrived after it had expired.',
};
const tooLate: MessageOutcome = {
  outcome: 'refused',
  code: 'MESSAGE_EXPIRY_TOO_LATE',
  reason: 'A message expires after 30 days at the latest.',
};
const givenUp: MessageOutcome = {
  outcome: 'refused',
  code: 'HANDLING_FAILED',
  reason: 'The node failed to handle the message for a day.',
};
const reused: MessageOutcome = {
  outcome: 'refused',
  code: 'MESSAGE_ID_REUSED',
  reason: 'Another message had the same id.',
};

function notAdmitted(): Problem {
  return new Problem('forbidden', 'NOT_ADMITTED', 'This node is not admitted.');
}

function parsed(message: SentMessage): Incoming {
  try {
    return { ...message, bodyHash: toHex(sha256(utf8(message.body))), value: JSON.parse(message.body) as unknown };
  } catch (cause) {
    throw new Problem('invalid', 'QUESTION_MALFORMED', 'The messages are not valid.', { cause });
  }
}

/** undefined: not a refusal */
function refusalOf(error: unknown): MessageOutcome | undefined {
  if (!(error instanceof Problem) || isPassing(error)) return undefined;
  return { outcome: 'refused', code: error.code, reason: plainReason(error.message) };
}

function sentOutcome({ id, poolId, version, result, at, index, size, path, signature }: Receipt): SentOutcome {
  return { id, poolId, version, result, at, index, size, path, signature };
}
