import type { ClientFrame } from '../../contract/event.ts';
import type { EventRow } from '../../platform/store/tables/events.ts';
import type { Listener } from './listener.ts';

/** Sockets, as domains see them. Domains call these functions after their transaction is committed. */
export interface RealtimePort {
  /** the id of this process among the processes on the store */
  readonly id: string;
  /** Closes the sockets of these sessions, or of bot tokens, in every process of this node. */
  endSessions(sessionIds: readonly string[]): Promise<void>;
  /** whether anybody in this process hears a topic */
  hears(topic: string): boolean;
  /** Whether something that is told again and again, such as that somebody is typing, may be told now: once in a few seconds, in this process. */
  passes(key: string): boolean;
  /** A member has given a sign of themselves over HTTP. Their sockets do so by themselves. */
  seen(memberId: string): void;
  /** For `publish` and `drop`: sends to the listeners of the topic in every process, without waiting for them. */
  deliver(happened: Happened): void;
  /** For `publishToMany`, likewise. */
  spread(event: SpreadEvent): void;
}

/** What a service hears of the sockets of this process. */
export interface MemberSockets {
  /** the first socket of a member has signed in */
  came(memberId: string): void;
  /** the last one has closed */
  left(memberId: string): void;
  /** the member has given a sign of themselves, over a socket or HTTP: not by a program of theirs, and nothing that clients do by themselves */
  seen(memberId: string): void;
}

/** An event that can't be replayed and goes to the listeners of many topics. Each of them hears it as an event of its own topic. */
export interface SpreadEvent {
  readonly topics: readonly string[];
  readonly name: string;
  /** JSON */
  readonly data: string;
  /** milliseconds since 1970 */
  readonly created_at: number;
  /** only for listeners of this process: the others tell theirs by themselves */
  readonly here?: boolean;
}

/** Something that happened in a topic and goes to its listeners: an event, or members who may not hear the topic any more. */
export type Happened = EventHappened | DropHappened;

export interface EventHappened {
  readonly kind: 'event';
  readonly topic: string;
  /** undefined if the event can't be replayed */
  readonly seq: number | undefined;
  /** the text of the frame; empty if it is made when somebody hears it, or is not told any more */
  readonly text: string;
  /** ids of members who are not told, though they hear the topic */
  readonly withheldFrom?: readonly string[] | undefined;
}

export interface DropHappened {
  readonly kind: 'drop';
  readonly topic: string;
  readonly seq: number;
  readonly whom: Dropped;
}

/** ids of members */
export type Dropped = 'everybody' | readonly string[];

type Told = Pick<EventRow, 'name' | 'data'>;

/** What an event says at this moment. */
export interface HeardEvent {
  /** JSON */
  readonly data: string;
  /** ids of members who may not be told at this moment, though they hear the topic */
  readonly withheldFrom?: readonly string[];
}

/**
 * What events of a topic say at this moment, in their order; undefined for one that is not told any more.
 * @param events with what they said when they happened; see `later`
 */
export type AsHeard = (topic: string, events: readonly Told[]) => Promise<readonly (HeardEvent | undefined)[]>;

/** The rules of a domain for one kind of topics, such as `chat:…`. */
export interface TopicKind {
  /** whether this listener may hear the topic now; code that removes the right must call `drop` */
  allows(listener: Listener, topic: string): Promise<boolean>;
  /**
   * The number of the topic after which a listener who may hear it is sent events again. Without it there is none: whoever may hear a topic
   * may hear all of it.
   */
  hearsAfter?(listener: Listener, topic: string): Promise<number>;
  /** whether programs with a bot token may ask for it */
  readonly forBots?: true;
  /** What is told of events of the past, or of some that were published without data. Without it that is what they said when they happened. */
  readonly asHeard?: AsHeard;
}

/** The sender of a frame, for services. */
export interface FrameSender {
  readonly listener: Listener;
  /** @returns false if the rules of the topic refuse */
  subscribe(topic: string): Promise<boolean>;
  unsubscribe(topic: string): void;
}

/** A frame of a service and the work for it. The permission check comes first, as everywhere. */
export interface FrameRules {
  readonly frame: ClientFrame;
  /** @returns the fields of the answer; undefined if the frame has no answer */
  perform(sender: FrameSender, input: unknown): Promise<Readonly<Record<string, unknown>> | undefined>;
}
