import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { RealtimePort } from '../../service/ports/realtime.ts';
import type { Seat } from './conversation.ts';

/** The numbers of messages that somebody has read, both included. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** What was read in a conversation since its senders were told. */
export interface Gathered {
  /** when they are told, in milliseconds since 1970 */
  readonly at: number;
  readonly readers: Map<string, Range>;
}

/** Readers who are noted for one telling. What is told are the counts of all, so further ones matter little. */
const READERS = 500;

const boards = new WeakMap<RealtimePort, Map<string, Gathered>>();

/** That of the process of a context: conversations with many members in which messages were read. */
export function readBoardOf({ realtime }: Pick<Context, 'realtime'>): Map<string, Gathered> {
  const board = boards.get(realtime) ?? new Map<string, Gathered>();
  boards.set(realtime, board);
  return board;
}

/** Notes after the commit that a member has read up to a message. Senders are told of what gathers for a while: `read-telling.ts`. */
export function noteRead(
  tx: Pick<Context, 'afterCommit' | 'clock' | 'realtime'>,
  { id, read_seq, joined_seq }: Pick<Seat, 'id' | 'read_seq' | 'joined_seq'>,
  memberId: string,
  to: number,
): void {
  const from = Math.max(read_seq, joined_seq) + 1;
  if (to < from) return;
  tx.afterCommit(() => {
    const board = readBoardOf(tx);
    const gathered = board.get(id) ?? {
      at: tx.clock.now() + chatLimits.readCountsMs,
      readers: new Map<string, Range>(),
    };
    board.set(id, gathered);
    const before = gathered.readers.get(memberId);
    if (before !== undefined || gathered.readers.size < READERS)
      gathered.readers.set(memberId, {
        from: Math.min(from, before?.from ?? from),
        to: Math.max(to, before?.to ?? to),
      });
  });
}
