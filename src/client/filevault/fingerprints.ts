import { fromHex } from '../../crypto/bytes.ts';
import { fingerprintOfKey, type Fingerprint } from '../../crypto/fingerprint.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import type { Holder } from './keyring.ts';

/** A member to whom a key was encrypted, and what two people compare to know that it was this member's key. */
export interface Recipient {
  readonly memberId: string;
  readonly username: string;
  readonly fingerprint: Fingerprint;
}

export function recipientOf({ memberId, username, publicKey }: Holder): Recipient {
  return { memberId, username, fingerprint: fingerprintOfKey(fromHex(publicKey)) };
}

export function ownFingerprint({ publicKey }: KeyPair): Fingerprint {
  return fingerprintOfKey(publicKey);
}
