import { closeCodes } from '../../contract/realtime/close-codes.ts';
import { randomBytes } from 'node:crypto';
import { inParts } from '../../base/in-parts.ts';
import type { Caller } from '../../service/actor.ts';
import type { Clock } from '../../service/context.ts';
import type { ClientFrame, Event } from '../../contract/event.ts';
import { clientFrames } from '../../contract/realtime/frames.ts';
import type { Log } from '../../base/log.ts';
import type { Database } from '../store/database.ts';
import { eventsAfter, positionOf } from '../store/event-rows.ts';
import { listen, notify } from '../store/signals.ts';
import { allowances } from './allowance.ts';
import { limits } from './limits.ts';
import { connectProcesses } from './processes.ts';
import type { FrameRules, MemberSockets, RealtimePort, TopicKind } from '../../service/ports/realtime.ts';
import { createRegistry } from './registry.ts';
import { expiryOfSignIn, liveSignIns } from './sign-ins.ts';
import { Socket, type Connection, type SignedIn, type SocketDependencies } from './socket.ts';
import { createTopics, type Topics } from './topics.ts';

const CHANNEL = 'sessions_ended';
/** Ids of 32 digits, separated by spaces, stay below 8000 bytes in total. */
const IDS_PER_SIGNAL = 200;

export interface Hub extends RealtimePort {
  readonly topics: Topics;
  /** number of signed-in sockets */
  readonly size: number;
  /**
   * Registers the realtime part of a service: its events, the rules for its topics, and the frames that clients send.
   *
   * @throws Error if an event belongs to topics without rules, or a frame has no handler
   */
  register(part: RealtimePart): void;
  /** @param take counts frames to the rate limits that they name */
  connect(connection: Connection, caller: Caller, take?: SocketDependencies['take']): Socket;
  /** until disposed, follows sessions that ended and events that were published in other processes */
  followOthers(): Promise<AsyncDisposable>;
  closeAll(): void;
  /** resolves when all signals to other processes have been sent */
  settled(): Promise<void>;
}

export interface RealtimePart {
  readonly events?: readonly Event[];
  /** rules for topics, by kind */
  readonly topics?: Readonly<Record<string, TopicKind>> | undefined;
  /** frames that the contract declares; each needs a handler */
  readonly declared?: readonly ClientFrame[];
  readonly frames?: readonly FrameRules[] | undefined;
  readonly sockets?: MemberSockets | undefined;
}

export interface HubOptions {
  readonly store: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly authenticate: (token: string, caller: Caller) => Promise<SignedIn>;
  readonly redeem: (ticket: string) => Promise<SignedIn>;
}

/** The sockets of this process, which also get the events of other processes. */
export function createHub({ store, clock, log, authenticate, redeem }: HubOptions): Hub {
  const heard: MemberSockets[] = [];
  const seen = (memberId: string): void => heard.forEach((one) => one.seen(memberId));
  const registry = createRegistry<Socket>({
    came: (memberId) => heard.forEach((one) => one.came(memberId)),
    left: (memberId) => heard.forEach((one) => one.left(memberId)),
    seen,
  });
  const source = {
    positionOf: (topic: string) => positionOf(store.db, topic),
    eventsAfter: (topic: string, seq: number, limit: number) => eventsAfter(store.db, topic, seq, limit),
  };
  const topics = createTopics({ source, log });
  const frames = new Map<string, FrameRules>();
  const id = randomBytes(8).toString('hex');
  const processes = connectProcesses({ id, store, clock, log, topics });
  const sockets = new Set<Socket>();
  const members = allowances(limits.weightPerMember, limits.weightSeconds, clock);
  const passing = allowances(1, limits.passingSeconds, clock);

  const sessionExpiry = async (sessionId: string) => await expiryOfSignIn(store, sessionId);

  function closeSessions(ids: readonly string[]): void {
    for (const sessionId of ids)
      for (const socket of registry.ofSession(sessionId))
        socket.close(closeCodes.sessionEnded, 'the session has ended');
  }

  /** Signals were lost, so the session of every socket is checked. */
  async function lookUpSessions(): Promise<void> {
    for (const ids of inParts(registry.sessions(), IDS_PER_SIGNAL)) {
      const alive = await liveSignIns(store, ids);
      closeSessions(ids.filter((sessionId) => !alive.has(sessionId)));
    }
  }

  return {
    id,
    topics,
    register({ events = [], topics: kinds = {}, declared, frames: own = [], sockets: hears }) {
      const foreign = events.find(({ topic }) => kinds[topic.kind] === undefined);
      if (foreign !== undefined) throw new Error(`nobody says who may hear ${foreign.topic.kind}`);
      const missing = declared?.find((frame) => !own.some((rules) => rules.frame === frame));
      if (missing !== undefined) throw new Error(`nobody carries out the frame ${missing.type}`);
      for (const [kind, rules] of Object.entries(kinds)) {
        const replayable = events.some((event) => event.topic.kind === kind && event.replayable);
        topics.register(kind, rules, replayable);
      }
      for (const rules of own) {
        if (frames.has(rules.frame.type) || rules.frame.type in clientFrames)
          throw new Error(`the frame ${rules.frame.type} is registered already`);
        frames.set(rules.frame.type, rules);
      }
      if (hears !== undefined) heard.push(hears);
    },
    hears: (topic) => topics.hears(topic),
    passes: (key) => passing.take(key, 1),
    seen,
    deliver(happened) {
      topics.deliver(happened);
      processes.tell(happened);
    },
    spread(event) {
      topics.spread(event);
      if (event.here !== true) processes.spread(event);
    },
    settled: () => processes.settled(),
    get size() {
      return registry.size;
    },
    connect(connection, caller, take = async () => undefined) {
      const shared = { registry, sockets, members, topics, take };
      return new Socket(connection, caller, { authenticate, redeem, sessionExpiry, frames, ...shared, clock, log });
    },
    async endSessions(ids) {
      closeSessions(ids);
      if (store.engine !== 'postgres') return;
      for (const part of inParts(ids, IDS_PER_SIGNAL)) await notify(store.db, CHANNEL, part.join(' '));
    },
    async followOthers() {
      const sessions = await listen(
        store,
        CHANNEL,
        (payload) => closeSessions(payload.split(' ')),
        () =>
          void lookUpSessions().catch((error: unknown) =>
            log.error('checking the sessions of sockets failed', { error }),
          ),
      );
      const events = await processes.follow();
      return {
        async [Symbol.asyncDispose]() {
          await events[Symbol.asyncDispose]();
          await sessions[Symbol.asyncDispose]();
        },
      };
    },
    closeAll() {
      for (const socket of sockets) socket.close(closeCodes.goingAway, 'the server is stopping');
    },
  };
}
