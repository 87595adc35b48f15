import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { addOutcomes, takeOut, type WaitingMessage } from './outbox-rows.ts';
import type { Patience } from './patience.ts';
import type { MessageOutcome, OutcomeNote, SettledMessage } from '../../../service/ports/outbox.ts';

export type SettleParts = Pick<Context, 'store' | 'db' | 'clock' | 'log' | 'afterCommit'>;

export interface Settling {
  readonly message: WaitingMessage;
  readonly result: MessageOutcome;
  readonly receipt: string | undefined;
  /** only if it has not left this node meanwhile */
  readonly unsent?: boolean;
}

export interface Noting {
  readonly notes: ReadonlyMap<string, OutcomeNote>;
  readonly patience: Patience;
}

interface Settled {
  readonly settled: readonly Settling[];
  /** what the channel could not take note of; it is settled later */
  readonly failed: readonly Settling[];
}

/** What heard of an outcome threw, so the transaction was rolled back. */
class NoteFailed extends Error {
  readonly place: string;

  constructor(place: string, cause: unknown) {
    super('the outcome of a message was not recorded', { cause });
    this.place = place;
  }
}

/**
 * Records what became of messages: they leave the outbox, their outcomes are kept, and their channel hears of them, all in one transaction.
 * One that the channel can't take note of holds up none of the others, and nobody hears of it if that fails for a day.
 */
export async function settle(parts: SettleParts, noting: Noting, settling: readonly Settling[]): Promise<Settled> {
  const [first, ...others] = settling;
  if (first === undefined) return { settled: [], failed: [] };
  try {
    return { settled: await settleAll(parts, noting.notes, settling), failed: [] };
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (others.length === 0) return await settleFailing(parts, noting, first, error);
    // What failed here may be the fault of a note before, and what hid the error of a statement spoils the whole transaction.
    const at = error instanceof NoteFailed ? settling.findIndex(({ message }) => message.place === error.place) : -1;
    const groups =
      at < 0
        ? settling.map((one) => [one])
        : [settling.slice(0, at), settling.slice(at, at + 1), settling.slice(at + 1)];
    const all: { settled: Settling[]; failed: Settling[] } = { settled: [], failed: [] };
    for (const group of groups) {
      const { settled, failed } = await settle(parts, noting, group);
      all.settled.push(...settled);
      all.failed.push(...failed);
    }
    return all;
  }
}

async function settleFailing(
  parts: SettleParts,
  { patience }: Noting,
  one: Settling,
  error: unknown,
): Promise<Settled> {
  const { node_id: nodeId, channel, id } = one.message;
  const cause = error instanceof NoteFailed ? error.cause : error;
  parts.log.error('recording the outcome of a message failed', { error: cause, nodeId, channel, id });
  if (!patience.failed({ nodeId, channel }, id, cause)) return { settled: [], failed: [one] };
  parts.log.error('nobody hears of the outcome of a message, because recording it failed for a day', {
    nodeId,
    channel,
    id,
  });
  return { settled: await settleAll(parts, new Map(), [one]), failed: [] };
}

async function settleAll(
  parts: SettleParts,
  notes: ReadonlyMap<string, OutcomeNote>,
  settling: readonly Settling[],
): Promise<readonly Settling[]> {
  return await transaction(parts, async (tx) => {
    // Another process of this node may have settled some of them meanwhile.
    const places = await takeOut(
      tx.db,
      settling.map(({ message }) => message.place),
      settling.every(({ unsent }) => unsent === true),
    );
    const own = settling.filter(({ message }) => places.has(message.place));
    await addOutcomes(tx.db, own.map(settledMessage), tx.clock.now());
    for (const one of own) {
      try {
        await notes.get(one.message.channel)?.({ db: tx.db, afterCommit: tx.afterCommit }, settledMessage(one));
      } catch (error) {
        throw new NoteFailed(one.message.place, error);
      }
    }
    return own;
  });
}

function settledMessage({ message, result, receipt }: Settling): SettledMessage {
  return { nodeId: message.node_id, channel: message.channel, id: message.id, result, receipt };
}
