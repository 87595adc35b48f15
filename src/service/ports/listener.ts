import type { CloseCode } from '../../contract/realtime/close-codes.ts';
import type { MemberType } from '../actor.ts';
import type { Bot } from '../bot.ts';

/** A signed-in socket. It doesn't keep the token's jti, so nothing in a socket can open a key. */
export interface Listener {
  readonly memberId: string;
  readonly username: string;
  readonly type: MemberType;
  /** or the id of the bot token */
  readonly sessionId: string;
  /** the bot token, for a program that signed in with one */
  readonly bot?: Bot | undefined;
  /** false as soon as the socket starts to close */
  readonly open: boolean;
  /** sends a text; closes the socket if too many bytes are unsent */
  send(text: string): void;
  /** @returns number of unsent bytes */
  unsent(): number;
  /** Counts work that is done for the listener. @returns false if that was too much and the listener is closed */
  spend(weight: number): boolean;
  close(code: CloseCode, reason: string): void;
}
