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

export function createRegistry<S extends Registered>(): Registry<S> {
  const bySession = new Map<string, Set<S>>();
  const counts = new Map<string, number>();
  let size = 0;

  return {
    add(socket) {
      const sockets = bySession.get(socket.sessionId) ?? new Set<S>();
      bySession.set(socket.sessionId, sockets.add(socket));
      counts.set(socket.memberId, (counts.get(socket.memberId) ?? 0) + 1);
      size += 1;
    },
    remove(socket) {
      const sockets = bySession.get(socket.sessionId);
      if (sockets?.delete(socket) !== true) return;
      if (sockets.size === 0) bySession.delete(socket.sessionId);
      const left = (counts.get(socket.memberId) ?? 1) - 1;
      if (left === 0) counts.delete(socket.memberId);
      else counts.set(socket.memberId, left);
      size -= 1;
    },
    ofSession: (sessionId) => [...(bySession.get(sessionId) ?? [])],
    countOf: (memberId) => counts.get(memberId) ?? 0,
    sessions: () => [...bySession.keys()],
    get size() {
      return size;
    },
  };
}
