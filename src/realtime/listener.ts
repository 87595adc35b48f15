import type { MemberType } from '../actor.ts';
import type { CloseCode } from './close-codes.ts';

/** A signed-in socket. It doesn't keep the token's jti: nothing that a socket holds opens a key. */
export interface Listener {
  readonly memberId: string;
  readonly username: string;
  readonly type: MemberType;
  readonly sessionId: string;
  /** false from the moment when it starts to close */
  readonly open: boolean;
  /** closes it where too much waits to be sent */
  send(text: string): void;
  /** @returns bytes that wait to be sent */
  unsent(): number;
  /** Counts what is done for it. @returns false when that is too much, and it is closed */
  spend(weight: number): boolean;
  close(code: CloseCode, reason: string): void;
}
