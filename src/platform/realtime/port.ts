import type { Happened } from './happened.ts';

/** Sockets, as domains see them. Domains call these functions after their transaction is committed. */
export interface RealtimePort {
  /** the id of this process among the processes on the store */
  readonly id: string;
  /** Closes the sockets of these sessions, in every process of this node. */
  endSessions(sessionIds: readonly string[]): Promise<void>;
  /** whether anybody in this process hears a topic */
  hears(topic: string): boolean;
  /** For `publish` and `drop`: sends to the listeners of the topic in every process, without waiting for them. */
  deliver(happened: Happened): void;
}
