import type { MemberSockets } from '../../service/ports/realtime.ts';

/** Signed-in sockets by session and by member. */
export interface Registry<S extends Registered> {
  add(socket: S): void;
  remove(socket: S): void;
  /** the socket has sent what clients do not send by themselves */
  seen(socket: S): void;
  ofSession(sessionId: string): readonly S[];
  countOf(memberId: string): number;
  sessions(): readonly string[];
  readonly size: number;
}

export interface Registered {
  readonly memberId: string;
  readonly sessionId: string;
  /** a program, which does not make its member present */
  readonly bot?: object | undefined;
}

/** @param heard hears of each member's first and last socket, and what they do, those of bots left out */
export function createRegistry<S extends Registered>(heard?: MemberSockets): Registry<S> {
  const bySession = new Map<string, Set<S>>();
  const counts = new Map<string, number>();
  const present = new Map<string, number>();
  let size = 0;

  /** @returns how many there are then */
  function change(of: Map<string, number>, memberId: string, by: 1 | -1): number {
    const now = (of.get(memberId) ?? 0) + by;
    if (now === 0) of.delete(memberId);
    else of.set(memberId, now);
    return now;
  }

  return {
    add(socket) {
      const sockets = bySession.get(socket.sessionId) ?? new Set<S>();
      bySession.set(socket.sessionId, sockets.add(socket));
      change(counts, socket.memberId, 1);
      size += 1;
      if (socket.bot === undefined && change(present, socket.memberId, 1) === 1) heard?.came(socket.memberId);
    },
    remove(socket) {
      const sockets = bySession.get(socket.sessionId);
      if (sockets?.delete(socket) !== true) return;
      if (sockets.size === 0) bySession.delete(socket.sessionId);
      change(counts, socket.memberId, -1);
      size -= 1;
      if (socket.bot === undefined && change(present, socket.memberId, -1) === 0) heard?.left(socket.memberId);
    },
    seen({ memberId, bot }) {
      if (bot === undefined) heard?.seen(memberId);
    },
    ofSession: (sessionId) => [...(bySession.get(sessionId) ?? [])],
    countOf: (memberId) => counts.get(memberId) ?? 0,
    sessions: () => [...bySession.keys()],
    get size() {
      return size;
    },
  };
}
