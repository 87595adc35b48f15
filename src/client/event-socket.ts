import { realtime } from '../contract/realtime.ts';
import { Problem } from '../base/problem.ts';
import { networkProblem } from './network-problem.ts';
import type { Caller } from './perform.ts';
import type { Dialled } from './transport.ts';

/** An event as the server tells it. The data is what the server says, and not checked. */
export interface HeardEvent {
  /** `resync`: events of the topic are missing */
  readonly type: string;
  readonly topic: string;
  /** the number in the topic, of an event that is stored */
  readonly seq: number | undefined;
  readonly data: unknown;
}

export interface EventSocketOptions {
  /** names of topics. @param accountId of the caller */
  readonly topics: (accountId: string) => readonly string[];
  /** the number of the last event that was heard, by topic: what came after it is heard first. The socket keeps it up to date */
  readonly positions?: Map<string, number>;
  readonly onEvent: (event: HeardEvent) => void;
  /** called when nothing will be heard any more, unless the caller disposes of the socket first */
  readonly onEnd: () => void;
}

export interface EventSocket extends Disposable {
  /** whether the caller may hear all of the topics */
  readonly hearsAll: boolean;
  /** subscribes to another topic, whose events come after those of the others if it is taken */
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  /** sends another frame of the contract; nothing tells whether it arrived */
  send(frame: Readonly<Record<string, unknown>>): void;
}

/** What we use of the package, which has no types of its own. */
interface WebSocketLike {
  on(event: 'open' | 'close', listener: () => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  on(event: 'message', listener: (data: Buffer) => void): this;
  send(text: string): void;
  terminate(): void;
}
type WebSocketClass = new (
  address: string,
  options: Readonly<Record<string, unknown>> & { readonly createConnection: () => Dialled['socket'] },
) => WebSocketLike;

/** Bytes of one frame. Events are smaller. */
const LONGEST = 256 * 1024;
/** Milliseconds for the sign-in and the subscription, and of silence on an open socket. The server sends a ping every half minute. */
const OPENING_MS = 10_000;
const SILENCE_MS = 95_000;

/**
 * Subscribes to events.
 *
 * @returns undefined where there is no connection to a server
 * @throws Problem network
 */
export async function openEventSocket(caller: Caller, options: EventSocketOptions): Promise<EventSocket | undefined> {
  const { transport, place, userAgent } = caller;
  if (transport.dial === undefined) return undefined;
  const token = await caller.tokenFor(realtime.createTicket);
  // Loaded here, because one command alone needs it.
  // @ts-expect-error -- the package has no types of its own, and those of others for it would be in each other's way
  const { WebSocket } = (await import('ws')) as { readonly WebSocket: WebSocketClass };
  const { socket, host, prefix } = await transport.dial();
  const ws = new WebSocket(`ws://${host}${prefix}/ws`, {
    createConnection: () => socket,
    headers: { authorization: `Bearer ${token ?? ''}`, 'user-agent': userAgent },
    handshakeTimeout: OPENING_MS,
    maxPayload: LONGEST,
    perMessageDeflate: false,
  });
  let over = false;
  const end = (): void => {
    over = true;
    ws.terminate();
  };
  const { positions = new Map<string, number>() } = options;
  const say = (frame: Readonly<Record<string, unknown>>): void => {
    if (!over) ws.send(JSON.stringify(frame));
  };
  const subscribe = (topics: readonly string[]): void => {
    const known = topics.flatMap((topic) => {
      const seq = positions.get(topic);
      return seq === undefined ? [] : [[topic, seq] as const];
    });
    const others = topics.filter((topic) => !positions.has(topic));
    if (known.length > 0) say({ type: 'resume', topics: Object.fromEntries(known) });
    if (others.length > 0 || known.length === 0) say({ type: 'subscribe', topics: others });
  };
  let left = 0;
  let refusedAny = false;
  const hearsAll = await new Promise<boolean>((resolve, reject) => {
    const fail = (error?: Error): void => {
      if (!over) end();
      reject(networkProblem(place, error));
    };
    const late = setTimeout(() => fail(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })), OPENING_MS);
    let isOpen = false;
    ws.on('open', () => socket.setTimeout(SILENCE_MS, () => ws.terminate()));
    // Once it is open, the close that follows says all.
    ws.on('error', (error) => void (isOpen || fail(error)));
    ws.on('close', () => {
      clearTimeout(late);
      if (!isOpen) fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
      else if (!over) options.onEnd();
      over = true;
    });
    ws.on('message', (bytes) => {
      if (over) return;
      const frame = frameIn(bytes);
      if (frame.type === 'ready') {
        const topics = options.topics(String(frame['memberId']));
        const resumed = topics.filter((topic) => positions.has(topic)).length;
        left = resumed === 0 || resumed === topics.length ? 1 : 2;
        subscribe(topics);
      } else if (frame.type === 'subscribed') {
        for (const [topic, seq] of positionsIn(frame['positions']))
          if (!positions.has(topic)) positions.set(topic, seq);
        refusedAny ||= frame['refused'] !== 0;
        left -= 1;
        if (left > 0 || isOpen) return;
        isOpen = true;
        clearTimeout(late);
        resolve(!refusedAny);
      } else if (typeof frame['topic'] === 'string') {
        const event = eventIn(frame.type, frame['topic'], frame);
        if (event.seq !== undefined) positions.set(event.topic, event.seq);
        options.onEvent(event);
      } else if (frame.type === 'error' && !isOpen)
        fail(new Problem('network', 'BAD_REPLY', `${place} refused a frame: ${String(frame['message'])}`));
    });
  });
  return {
    hearsAll,
    subscribe: (topic) => subscribe([topic]),
    unsubscribe: (topic) => say({ type: 'unsubscribe', topics: [topic] }),
    send: say,
    [Symbol.dispose]: end,
  };
}

function eventIn(type: string, topic: string, frame: Readonly<Record<string, unknown>>): HeardEvent {
  const { seq, data } = frame;
  return { type, topic, seq: typeof seq === 'number' ? seq : undefined, data };
}

function positionsIn(value: unknown): [topic: string, seq: number][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).filter((one): one is [string, number] => typeof one[1] === 'number');
}

/** @returns an object with an empty type for what is no frame */
function frameIn(bytes: Buffer): Readonly<Record<string, unknown>> & { readonly type: string } {
  try {
    const frame = JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, unknown>> | null;
    const type = frame?.['type'];
    return { ...frame, type: typeof type === 'string' ? type : '' };
  } catch {
    return { type: '' };
  }
}
