import type { Context } from '../../service/context.ts';
import type { MessageOutcome } from '../../service/ports/outbox.ts';
import { waitingByChannel, type WaitingOfChannel } from '../../platform/network/outbox/outbox-rows.ts';
import type { Mailroom } from '../../platform/network/outbox/mailroom.ts';
import type { Measure } from './metrics.ts';

/** One look at the store for the gauges of one scrape. */
const FRESH_MS = 1_000;

/** Metrics of the messages between nodes, by channel. */
export function outboxMeasures({ sent, received }: Mailroom, { db, clock }: Pick<Context, 'db' | 'clock'>): Measure[] {
  let looked: { readonly at: number; readonly rows: Promise<readonly WaitingOfChannel[]> } | undefined;
  const waiting = async (): Promise<readonly WaitingOfChannel[]> => {
    const now = performance.now();
    if (looked === undefined || now - looked.at > FRESH_MS) looked = { at: now, rows: waitingByChannel(db) };
    return await looked.rows;
  };
  const counter = (name: string, help: string, values: () => ReadonlyMap<string, number>): Measure => {
    return { name, help, kind: 'counter', label: 'channel', read: values };
  };
  const outcomes: readonly [MessageOutcome['outcome'], string, string][] = [
    ['acknowledged', 'Messages to other nodes that were acknowledged.', 'Messages of other nodes that were handled.'],
    ['refused', 'Messages to other nodes that were refused.', 'Messages of other nodes that were refused.'],
    ['expired', 'Messages to other nodes that expired.', 'Messages of other nodes that came too late.'],
  ];
  return [
    {
      name: 'conclave_outbox_waiting',
      help: 'Messages that wait for other nodes.',
      kind: 'gauge',
      label: 'channel',
      read: async () => new Map((await waiting()).map(({ channel, messages }) => [channel, messages])),
    },
    {
      name: 'conclave_outbox_oldest_seconds',
      help: 'Age of the oldest message that waits for another node.',
      kind: 'gauge',
      label: 'channel',
      read: async () =>
        new Map((await waiting()).map(({ channel, since }) => [channel, Math.max(0, clock.now() - since) / 1_000])),
    },
    ...outcomes.flatMap(([outcome, ofOutbox, ofInbox]) => [
      counter(`conclave_outbox_${outcome}_total`, ofOutbox, () => sent.of(outcome)),
      counter(`conclave_inbox_${outcome}_total`, ofInbox, () => received.of(outcome)),
    ]),
  ];
}
