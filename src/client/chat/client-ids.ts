import { concat, systemRandom, toHex, utf8 } from '../../crypto/bytes.ts';
import { sha256 } from '../../crypto/hash.ts';

const BYTES = 16;

/**
 * What a message is called that it is sealed for, 32 hex digits. The same name gives the same, so that a message that is sent again is one.
 * @param named how its sender called it; undefined: a new message
 */
export function clientIdFrom(conversationId: string, named: string | undefined): string {
  if (named === undefined) return toHex(systemRandom(BYTES));
  if (/^[0-9a-f]{32}$/.test(named)) return named;
  return toHex(sha256(concat(utf8(`conclave/chat-client-id/v1\0${conversationId}\0`), utf8(named))).subarray(0, BYTES));
}
