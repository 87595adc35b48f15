/** Sockets, as domains see them. Called after the commit that it follows from. */
export interface RealtimePort {
  /** Closes the sockets of these sessions, in every process of this node. */
  endSessions(sessionIds: readonly string[]): Promise<void>;
}
