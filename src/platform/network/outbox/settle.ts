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
  readonly failed: boolean;
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
  { notes, patience }: Noting,
  settling: readonly Settling[],
): Promise<Settled> {
  if (settling.length === 0) return { settled: [], failed: false };
  try {
    return { settled: await settleAll(parts, notes, settling), failed: false };
  } catch (error) {
    if (error instanceof Problem) throw error;
    // What hid the error of a statement spoils the whole transaction, so each outcome is tried alone.
    if (!(error instanceof NoteFailed) && settling.length > 1)
      return await settleEach(parts, { notes, patience }, settling);
    const at = error instanceof NoteFailed ? settling.findIndex(({ message }) => message.place === error.place) : 0;
    const before = await settle(parts, { notes, patience }, settling.slice(0, at));
    if (before.failed) return before;
    const one = settling[at] as Settling;
    const { node_id: nodeId, channel, id } = one.message;
    const cause = error instanceof NoteFailed ? error.cause : error;
    parts.log.error('recording the outcome of a message failed', { error: cause, nodeId, channel, id });
    if (!patience.failed({ nodeId, channel }, id, cause)) return { ...before, failed: true };
    parts.log.error('nobody hears of the outcome of a message, because recording it failed for a day', {
      nodeId,
      channel,
      id,
    });
    const alone = await settleAll(parts, new Map(), [one]);
    const after = await settle(parts, { notes, patience }, settling.slice(at + 1));
    return { settled: [...before.settled, ...alone, ...after.settled], failed: after.failed };
  }
}

async function settleEach(parts: SettleParts, noting: Noting, settling: readonly Settling[]): Promise<Settled> {
  const settled: Settling[] = [];
  for (const each of settling) {
    const one = await settle(parts, noting, [each]);
    settled.push(...one.settled);
    if (one.failed) return { settled, failed: true };
  }
  return { settled, failed: false };
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
