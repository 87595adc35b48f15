import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { openWithSecret, sealWithSecret } from '../../../crypto/sealing.ts';

const INFO = 'conclave/passvault/unlock-key/v1';

/**
 * What a session keeps of an open vault, sealed under the key that the client brings, if it does. The session seals it once
 * more under its token: that takes both to open, and a refreshed token can take it over without the client's key.
 *
 * @param name under which the session keeps it
 */
export function sealForClient(ctx: Context, actor: Actor, name: string, secret: Uint8Array): Uint8Array {
  return actor.unlockKey === undefined ? secret : sealWithSecret(actor.unlockKey, INFO, secret, utf8(name), ctx.random);
}

/** @returns undefined when the client doesn't bring the key that it was sealed under */
export function openForClient(actor: Actor, name: string, sealed: Uint8Array): Uint8Array | undefined {
  if (actor.unlockKey === undefined) return undefined;
  try {
    return openWithSecret(actor.unlockKey, INFO, sealed, utf8(name));
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}
