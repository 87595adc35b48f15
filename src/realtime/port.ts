import type { Happened } from './happened.ts';

/** Sockets, as domains see them. Called after the commit that it follows from. */
export interface RealtimePort {
  /** of this process, among those on the store */
  readonly id: string;
  /** Closes the sockets of these sessions, in every process of this node. */
  endSessions(sessionIds: readonly string[]): Promise<void>;
  /** For `publish` and `drop`: goes to those who hear the topic, in every process, and waits for none of them. */
  deliver(happened: Happened): void;
}
