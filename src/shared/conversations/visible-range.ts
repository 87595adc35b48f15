import type { Seat } from './conversation.ts';

/** The numbers of messages that a member may see: those above `after`, up to `to`. */
export interface VisibleRange {
  readonly after: number;
  readonly to: number;
}

type Ends = Pick<Seat, 'joined_seq' | 'left_seq' | 'cleared_seq'>;

/** Everything that shows messages asks this: lists, single messages, pins, replies, previews, searches and counts. */
export function visibleRange({ joined_seq: joined, left_seq: left, cleared_seq: cleared }: Ends): VisibleRange {
  return { after: Math.max(joined, cleared), to: left ?? Number.MAX_SAFE_INTEGER };
}

export function isVisible(ends: Ends, seq: number): boolean {
  const { after, to } = visibleRange(ends);
  return seq > after && seq <= to;
}

/** How many messages that a member may see they have not read. */
export function unreadIn(seat: Ends & Pick<Seat, 'last_seq' | 'read_seq'>): number {
  const { after, to } = visibleRange(seat);
  return Math.max(0, Math.min(seat.last_seq, to) - Math.max(seat.read_seq, after));
}

/** The same as SQL, for message `m` and the place `p` of a member. */
export const isVisibleSql =
  'm.seq > p.joined_seq and m.seq > p.cleared_seq and (p.left_seq is null or m.seq <= p.left_seq)';
