import type { MemberSockets } from '../../service/ports/realtime.ts';

/** Signed-in sockets by session and by member. */
export interface Registry<S extends Registered> {
  add(socket: S): void;
  remove(socket: S): void;
  ofSession(sessionId: string): readonly S[];
  countOf(memberId: string): number;
  sessions(): readonly string[];
  readonly size: number;
}

export interface Registered {
  readonly memberId: string;
  readonly sessionId: string;
}

/** @param heard hears of each member's first and last socket */
export function createRegistry<S extends Registered>(heard?: MemberSockets): Registry<S> {
  const bySession = new Map<string, Set<S>>();
  const counts = new Map<string, number>();
  let size = 0;

  return {
    add(socket) {
      const sockets = bySession.get(socket.sessionId) ?? new Set<S>();
      bySession.set(socket.sessionId, sockets.add(socket));
      const before = counts.get(socket.memberId) ?? 0;
      counts.set(socket.memberId, before + 1);
      size += 1;
      if (before === 0) heard?.came(socket.memberId);
    },
    remove(socket) {
      const sockets = bySession.get(socket.sessionId);
      if (sockets?.delete(socket) !== true) return;
      if (sockets.size === 0) bySession.delete(socket.sessionId);
      const left = (counts.get(socket.memberId) ?? 1) - 1;
      if (left === 0) counts.delete(socket.memberId);
      else counts.set(socket.memberId, left);
      size -= 1;
      if (left === 0) heard?.left(socket.memberId);
    },
    ofSession: (sessionId) => [...(bySession.get(sessionId) ?? [])],
    countOf: (memberId) => counts.get(memberId) ?? 0,
    sessions: () => [...bySession.keys()],
    get size() {
      return size;
    },
  };
}
