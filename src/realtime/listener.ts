import type { MemberType } from '../actor.ts';

/** A signed-in socket. It doesn't keep the token's jti: nothing that a socket holds opens a key. */
export interface Listener {
  readonly memberId: string;
  readonly username: string;
  readonly type: MemberType;
  readonly sessionId: string;
  /** false from the moment when it starts to close */
  readonly open: boolean;
  send(text: string): void;
}
