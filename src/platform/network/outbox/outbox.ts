import type { Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { listen } from '../../store/signals.ts';
import type { Responder } from '../../../service/ports/network.ts';
import { createDelivery, Later, type DeliveryOptions, type DeliveryParts } from './deliver.ts';
import { createInbox } from './inbox.ts';
import type { OutboxLimits } from './limits.ts';
import type { Mailroom } from './mailroom.ts';
import {
  expiredMessages,
  forgetFailure,
  listQueues,
  noteFailure,
  purgeOutbox,
  type QueueName,
  type WaitingMessage,
} from './outbox-rows.ts';
import type { MessageOutcome, NodeDirectory } from '../../../service/ports/outbox.ts';
import { createPatience, pauseAfter } from './patience.ts';
import { OUTBOX_SIGNAL } from './send.ts';

export interface OutboxOptions extends Pick<DeliveryOptions, 'request' | 'reach'> {
  readonly mailroom: Mailroom;
  readonly directory: NodeDirectory;
  readonly limits?: OutboxLimits;
}

/** The outbox and the inbox of a node while its network runs. */
export interface Outbox {
  /** answers the protocol of wire.ts */
  readonly responder: Responder;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** a connection with the node is open: everything that waits for it is sent now */
  connected(nodeId: string): void;
  /** nodes may have been removed or admitted */
  admissionChanged(): void;
  /** looks for messages that are due or expired, as the outbox does by itself every minute */
  look(): Promise<void>;
  /** resolves when nothing is being sent */
  idle(): Promise<void>;
}

interface Queue extends QueueName {
  attempts: number;
  nextAt: number;
  running: Promise<void> | undefined;
  /** messages came since the running attempt began */
  again: boolean;
  /** so much happened since then, such as a connection, that another attempt is worth it although this one fails */
  changed: boolean;
  /** what failed at last holds up no others, because each of them waits by itself */
  apart: boolean;
  /** why they do */
  failure: Later | undefined;
}

type Parts = DeliveryParts & Pick<Context, 'random'>;

/** How often the store is looked at, because a signal can be lost. */
const LOOK_MS = 60_000;
const PURGE_MS = 600_000;
const EXPIRED_AT_ONCE = 200;

export function createOutbox(
  parts: Parts,
  { mailroom, directory, request, reach, limits = mailroom.limits }: OutboxOptions,
): Outbox {
  const { store, db, clock, random, log } = parts;
  const { occupancy, notes, leaving, handlers, apart, sent, received } = mailroom;
  const inbox = createInbox(parts, { handlers, apart, received, directory, limits });
  const patience = createPatience(clock);
  const { deliver, end } = createDelivery(parts, {
    notes,
    leaving,
    apart,
    sent,
    patience,
    directory,
    limits,
    occupancy,
    ...withItself(parts.keys, inbox.responder, { request, reach }),
  });
  const queues = new Map<string, Queue>();
  const waiting: Queue[] = [];
  /** nodes that connected, maybe before their queues were read from the store */
  const met = new Set<string>();
  const work = new Set<Promise<void>>();
  let sending = 0;
  let stopped = true;
  let timer: NodeJS.Timeout | undefined;
  let listener: AsyncDisposable | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let purgedAt = Number.NEGATIVE_INFINITY;

  function isOn(): boolean {
    return !stopped;
  }

  function queueOf({ nodeId, channel }: QueueName): Queue {
    const key = `${nodeId} ${channel}`;
    let queue = queues.get(key);
    if (queue === undefined) {
      queue = {
        nodeId,
        channel,
        attempts: 0,
        nextAt: 0,
        running: undefined,
        again: false,
        changed: false,
        apart: false,
        failure: undefined,
      };
      queues.set(key, queue);
    }
    return queue;
  }

  function track(body: () => Promise<void>): Promise<void> {
    const done = body()
      .catch((error: unknown) => void (stopped || log.error('the outbox failed', { error })))
      .finally(() => work.delete(done));
    work.add(done);
    return done;
  }

  /** Sends a queue now, or as soon as not too many others are being sent. */
  function run(queue: Queue, changed = false): void {
    queue.again = true;
    queue.changed ||= changed;
    if (stopped || queue.running !== undefined || waiting.includes(queue)) return;
    if (sending >= limits.queuesAtOnce) {
      waiting.push(queue);
      return;
    }
    sending += 1;
    queue.running = track(async () => await empty(queue)).finally(() => {
      queue.running = undefined;
      sending -= 1;
      const next = waiting.shift();
      if (next !== undefined) run(next);
      // A message may have come after the last look at the queue, and a connection while a failure was noted.
      if (queue.changed || (queue.again && (queue.attempts === 0 || queue.apart))) run(queue);
      else if (queue.attempts === 0) queues.delete(`${queue.nodeId} ${queue.channel}`);
      plan();
    });
  }

  function heard(nodeId: string, channel: string): void {
    const queue = queueOf({ nodeId, channel });
    // After a failed attempt, new messages wait for the next one together with the others, unless those alone are what failed.
    if (queue.attempts === 0 || queue.apart) run(queue);
  }

  async function empty(queue: Queue): Promise<void> {
    while (queue.again && isOn()) {
      queue.again = false;
      queue.changed = false;
      try {
        while (isOn() && (await deliver(queue))) if (!queue.apart) await succeeded(queue);
        await succeeded(queue);
      } catch (error) {
        if (stopped) return;
        if (error instanceof Later && error.dueAt === undefined) queue.failure = error;
        // New messages alone are not worth it: with them, a node that can't be reached would be tried all the time.
        queue.again = isChanged(queue) || (error instanceof Later && error.apart && (queue.again || error.progress));
        if (queue.again && error instanceof Later) continue;
        await failed(queue, error);
        return;
      }
    }
  }

  async function succeeded(queue: Queue): Promise<void> {
    if (queue.attempts === 0) return;
    queue.attempts = 0;
    queue.nextAt = 0;
    queue.apart = false;
    await forgetFailure(store, queue);
  }

  async function failed(queue: Queue, error: unknown): Promise<void> {
    const { nodeId, channel } = queue;
    const ofPeer = error instanceof Later;
    const isFirst = queue.attempts === 0;
    queue.apart = ofPeer && error.apart;
    queue.attempts = ofPeer && (error.progress || error.apart) ? 1 : queue.attempts + 1;
    queue.nextAt =
      (ofPeer ? error.dueAt : undefined) ?? clock.now() + pauseAfter(queue.attempts, limits.retryMs, random);
    if (!ofPeer) log.error('sending messages failed', { error, nodeId, channel });
    else if (isFirst) log.info('messages wait for a node', { nodeId, channel, reason: error.message });
    const told = ofPeer && error.dueAt !== undefined ? (queue.failure ?? error) : error;
    const [code, reason] =
      told instanceof Later ? [told.code, told.message] : ['INTERNAL', 'This node could not send; see its log.'];
    queue.again = false;
    await noteFailure(store, {
      node_id: nodeId,
      channel,
      attempts: queue.attempts,
      next_at: queue.nextAt,
      code,
      reason,
    });
  }

  function plan(): void {
    if (stopped) return;
    clearTimeout(timer);
    let next = lookedAt + LOOK_MS;
    for (const { running, attempts, nextAt } of queues.values())
      if (running === undefined && attempts > 0) next = Math.min(next, nextAt);
    const pause = Math.min(LOOK_MS, Math.max(10, next - clock.now()));
    timer = setTimeout(() => void track(look).finally(plan), pause);
    timer.unref();
  }

  async function look(): Promise<void> {
    const now = clock.now();
    for (const queue of queues.values()) if (queue.attempts > 0 && queue.nextAt <= now) run(queue);
    if (Math.abs(now - lookedAt) < LOOK_MS) return;
    lookedAt = now;
    await lookAtStore(now);
  }

  async function lookAtStore(now: number): Promise<void> {
    await expire(now);
    await occupancy.count(store);
    for (const { nodeId, channel, attempts, nextAt } of await listQueues(db)) {
      const known = queues.has(`${nodeId} ${channel}`);
      const queue = queueOf({ nodeId, channel });
      if (!known) Object.assign(queue, { attempts, nextAt });
      // A clock that was set back must not keep messages waiting.
      queue.nextAt = Math.min(queue.nextAt, now + 2 * limits.retryMs.most);
      if (queue.attempts === 0 || queue.nextAt <= now || (!known && met.has(nodeId))) run(queue);
    }
    if (Math.abs(now - purgedAt) < PURGE_MS) return;
    purgedAt = now;
    await purgeOutbox(store, now, limits.outcomesMs);
    await inbox.count();
  }

  /** Ends messages that expired before they left this node, and those whose receiver never said what became of them. */
  async function expire(now: number): Promise<void> {
    let after: WaitingMessage | undefined;
    for (;;) {
      const found = await expiredMessages(db, now, { marginMs: limits.marginMs, most: EXPIRED_AT_ONCE, after });
      after = found.at(-1);
      if (after === undefined) return;
      await endExpired(found.filter(isUnsent), notSent, true);
      await endExpired(
        found.filter((one) => !isUnsent(one)),
        noAnswer,
      );
    }
  }

  async function endExpired(
    messages: readonly WaitingMessage[],
    result: MessageOutcome,
    unsent = false,
  ): Promise<void> {
    try {
      await end(messages, result, unsent);
    } catch (error) {
      // What a channel can't take note of ends later, and keeps no others from ending.
      if (!(error instanceof Later)) throw error;
    }
  }

  return {
    responder: inbox.responder,
    async start() {
      stopped = false;
      mailroom.listen(heard);
      listener = await listen(
        store,
        OUTBOX_SIGNAL,
        (payload) => {
          const [nodeId = '', channel = ''] = payload.split(' ');
          heard(nodeId, channel);
        },
        () => void track(async () => await lookAtStore(clock.now())),
      );
      void track(look).finally(plan);
    },
    async stop() {
      stopped = true;
      mailroom.listen(undefined);
      clearTimeout(timer);
      waiting.length = 0;
      await listener?.[Symbol.asyncDispose]();
      await Promise.all(work);
      queues.clear();
      met.clear();
    },
    connected(nodeId) {
      met.add(nodeId);
      for (const queue of queues.values()) if (queue.nodeId === nodeId) run(queue, true);
    },
    admissionChanged() {
      for (const queue of queues.values()) run(queue, true);
    },
    look: async () => {
      lookedAt = Number.NEGATIVE_INFINITY;
      await track(look);
    },
    async idle() {
      while (work.size > 0) await Promise.all(work);
    },
  };
}

type Asking = Pick<DeliveryOptions, 'request' | 'reach'>;

/** A node reaches itself without a network: its messages to itself go through its own inbox, with receipts and all. */
function withItself({ nodeId, identity }: Parts['keys'], inbox: Responder, { request, reach }: Asking): Asking {
  const self = { nodeId, publicKey: toHex(identity.publicKey), admitted: true, addresses: [] };
  const nobodyGoes = new AbortController().signal;
  return {
    reach: async (to) => (to === nodeId ? undefined : await reach(to)),
    request: async (peer, protocol, payload) =>
      'nodeId' in peer && peer.nodeId === nodeId
        ? await inbox.answer(payload, self, nobodyGoes)
        : await request(peer, protocol, payload),
  };
}

function isUnsent({ sent_at: sentAt }: WaitingMessage): boolean {
  return sentAt === null;
}

function isChanged({ changed }: Queue): boolean {
  return changed;
}

const notSent: MessageOutcome = {
  outcome: 'expired',
  code: 'NOT_SENT',
  reason: 'The node could not be reached before the message expired.',
};
const noAnswer: MessageOutcome = {
  outcome: 'expired',
  code: 'NO_ANSWER',
  reason: 'The node never said what became of the message.',
};
