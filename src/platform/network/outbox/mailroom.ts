import { outboxLimits, type OutboxLimits } from './limits.ts';
import { createOccupancy, type Occupancy } from './occupancy.ts';
import type { LeavingNote, MessageHandler, OutboxPort, OutcomeNote } from '../../../service/ports/outbox.ts';
import { addMessage, CHANNEL, withdrawMessage } from './send.ts';
import { createTally, type Tally } from './tally.ts';

/** What domains registered for messages, and the port through which they send. It exists whether or not a network is running. */
export interface Mailroom {
  readonly port: Omit<OutboxPort, 'directory'>;
  readonly limits: OutboxLimits;
  readonly handlers: ReadonlyMap<string, MessageHandler>;
  /** channels whose messages don't wait for each other */
  readonly apart: ReadonlySet<string>;
  readonly notes: ReadonlyMap<string, OutcomeNote>;
  readonly leaving: ReadonlyMap<string, LeavingNote>;
  readonly occupancy: Occupancy;
  /** outcomes of messages to other nodes, and of those that came from them */
  readonly sent: Tally;
  readonly received: Tally;
  /** the outbox that runs in this process and hears of new messages; undefined: none does */
  listen(ring: Ring | undefined): void;
}

type Ring = (nodeId: string, channel: string) => void;

export function createMailroom(limits: OutboxLimits = outboxLimits): Mailroom {
  const handlers = new Map<string, MessageHandler>();
  const apart = new Set<string>();
  const notes = new Map<string, OutcomeNote>();
  const leaving = new Map<string, LeavingNote>();
  const occupancy = createOccupancy(limits);
  let bell: Ring | undefined;
  const ring: Ring = (nodeId, channel) => bell?.(nodeId, channel);
  return {
    limits,
    handlers,
    apart,
    notes,
    leaving,
    occupancy,
    sent: createTally(),
    received: createTally(),
    listen: (to) => void (bell = to),
    port: {
      send: async (tx, nodeId, channel, message) =>
        await addMessage(tx, nodeId, channel, message, { limits, occupancy, ring }),
      receive(channel, handle, order = 'kept') {
        handlers.set(checked(channel), handle);
        if (order === 'apart') apart.add(channel);
      },
      onOutcome: (channel, note) => void notes.set(checked(channel), note),
      onLeaving: (channel, note) => void leaving.set(checked(channel), note),
      withdraw: async (tx, nodeId, channel, id) => await withdrawMessage(tx, { nodeId, channel, id }, occupancy),
    },
  };
}

function checked(channel: string): string {
  if (!CHANNEL.test(channel)) throw new Error('the name of a channel is lower-case letters, digits and dashes');
  return channel;
}
