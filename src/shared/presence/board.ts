import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { PresenceStatus } from '../../contract/chat/presence.ts';
import type { Listener } from '../../service/ports/listener.ts';
import type { MemberSockets, RealtimePort } from '../../service/ports/realtime.ts';

/** What one process knows of its sockets, between two steps of `step.ts`. */
interface PresenceBoard {
  /** members with sockets */
  readonly here: Set<string>;
  /** members whose last socket has closed, and until when they count as online, in milliseconds since 1970 */
  readonly closing: Map<string, number>;
  /** members of whom the rows do not say yet what the two above do */
  readonly moved: Set<string>;
  /** when members last gave a sign of themselves: those with sockets, and those of whom the rows do not say yet */
  readonly seen: Map<string, number>;
  /** those of them of whom the rows do not say yet */
  readonly unwritten: Set<string>;
  /** when the rows of members were last told of a sign, the oldest first */
  readonly written: Map<string, number>;
  /** members whose status may be another one than was told, and when that is looked at */
  readonly due: Map<string, number>;
  /** what members of this process are to be told */
  readonly changes: Map<string, PresenceStatus>;
  /** whom sockets watch */
  readonly watches: Map<Listener, ReadonlySet<string>>;
  /** when this process gives its next sign of life */
  beatAt: number;
}

const boards = new WeakMap<RealtimePort, PresenceBoard>();

/** That of the process of a context. */
export function boardOf({ realtime }: Pick<Context, 'realtime'>): PresenceBoard {
  let board = boards.get(realtime);
  if (board === undefined) {
    board = {
      here: new Set(),
      closing: new Map(),
      seen: new Map(),
      unwritten: new Set(),
      written: new Map(),
      moved: new Set(),
      due: new Map(),
      changes: new Map(),
      watches: new Map(),
      beatAt: 0,
    };
    boards.set(realtime, board);
  }
  return board;
}

type Touching = Pick<Context, 'afterCommit' | 'clock' | 'realtime'>;

/** What a member shows may be something else after the commit. It is told when that has not changed for a while. */
export function touchPresence(tx: Touching, memberId: string): void {
  tx.afterCommit(() => void boardOf(tx).due.set(memberId, tx.clock.now() + chatLimits.restMs));
}

/** Notes whose sockets come and go, and who gives signs of themselves. */
export function presenceSockets(ctx: Context): MemberSockets {
  const board = boardOf(ctx);
  const moves = (memberId: string): void => {
    board.moved.add(memberId);
    board.due.set(memberId, ctx.clock.now() + chatLimits.restMs);
  };
  const seen = (memberId: string): void => {
    board.seen.set(memberId, ctx.clock.now());
    board.unwritten.add(memberId);
  };
  return {
    seen,
    came(memberId) {
      // A client that connects again is no sign.
      if (!board.closing.has(memberId)) seen(memberId);
      board.here.add(memberId);
      board.closing.delete(memberId);
      moves(memberId);
    },
    left(memberId) {
      board.here.delete(memberId);
      board.closing.set(memberId, ctx.clock.now() + chatLimits.offlineMs);
      // Also of whoever was suspended, and so is offline at once.
      moves(memberId);
    },
  };
}
