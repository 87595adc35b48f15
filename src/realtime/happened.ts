import type { EventRow } from '../store/tables/events.ts';

/** Something that happened in a topic and goes to its listeners: an event, or members who may not hear the topic any more. */
export type Happened = EventHappened | DropHappened;

export interface EventHappened {
  readonly kind: 'event';
  readonly topic: string;
  /** undefined if the event can't be replayed */
  readonly seq: number | undefined;
  /** the text of the frame */
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

/** Name of a row that clients never see. Names of events have a colon, so no event can have this name. */
export const dropName = 'drop';

export function happenedOf(row: EventRow): Happened & { readonly seq: number } {
  const { topic, seq } = row;
  if (row.name === dropName) return { kind: 'drop', topic, seq, whom: JSON.parse(row.data) as Dropped };
  const withheldFrom = row.withheld === null ? undefined : (JSON.parse(row.withheld) as string[]);
  return { kind: 'event', topic, seq, text: frameText(row), withheldFrom };
}

/** @param data JSON */
export function frameText(event: {
  readonly name: string;
  readonly topic: string;
  readonly seq?: number;
  readonly created_at: number;
  readonly data: string;
}): string {
  const { name: type, topic, seq } = event;
  const head = JSON.stringify({ type, topic, seq, timestamp: new Date(event.created_at).toISOString() });
  return `${head.slice(0, -1)},"data":${event.data}}`;
}

export function isDropped(whom: Dropped, memberId: string): boolean {
  return whom === 'everybody' || whom.includes(memberId);
}
