import { transaction, type Context } from '../../context.ts';
import { addOutcomes, takeOut, type WaitingMessage } from './outbox-rows.ts';
import type { MessageOutcome, OutcomeNote, SettledMessage } from './port.ts';

export type SettleParts = Pick<Context, 'store' | 'db' | 'clock' | 'log' | 'afterCommit'>;

export interface Settling {
  readonly message: WaitingMessage;
  readonly result: MessageOutcome;
  readonly receipt: string | undefined;
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
 * @returns what was settled, and whether that is less than everything because a channel could not take note
 */
export async function settle(
  parts: SettleParts,
  notes: ReadonlyMap<string, OutcomeNote>,
  settling: readonly Settling[],
): Promise<{ settled: readonly Settling[]; failed: boolean }> {
  if (settling.length === 0) return { settled: [], failed: false };
  try {
    return { settled: await settleAll(parts, notes, settling), failed: false };
  } catch (error) {
    if (!(error instanceof NoteFailed)) throw error;
    const at = settling.findIndex(({ message }) => message.place === error.place);
    const { node_id: nodeId, channel, id } = (settling[at] as Settling).message;
    parts.log.error('recording the outcome of a message failed', { error: error.cause, nodeId, channel, id });
    const { settled } = await settle(parts, notes, settling.slice(0, at));
    return { settled, failed: true };
  }
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
