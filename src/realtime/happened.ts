import type { EventRow } from '../store/tables/events.ts';

/** Something in a topic, as it goes to those who hear it: an event, or members who may not hear it any more. */
export type Happened = EventHappened | DropHappened;

export interface EventHappened {
  readonly kind: 'event';
  readonly topic: string;
  /** undefined where it can't be replayed */
  readonly seq: number | undefined;
  /** the frame */
  readonly text: string;
}

export interface DropHappened {
  readonly kind: 'drop';
  readonly topic: string;
  readonly seq: number;
  readonly whom: Dropped;
}

/** ids of members */
export type Dropped = 'everybody' | readonly string[];

/** What a row is called that no client gets to see. No event can have the name: theirs have a colon. */
export const dropName = 'drop';

export function happenedOf(row: EventRow): Happened & { readonly seq: number } {
  const { topic, seq } = row;
  if (row.name === dropName) return { kind: 'drop', topic, seq, whom: JSON.parse(row.data) as Dropped };
  return { kind: 'event', topic, seq, text: frameText(row) };
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
