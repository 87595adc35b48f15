import { toHex } from '../../crypto/bytes.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { linkStatement } from '../../crypto/formats/quorum/statements.ts';
import { sign } from '../../crypto/signature.ts';

/** What links an account to the member of the quorum with this key. */
export function signedLink(nodeId: string, accountId: string, keys: KeyPair): { memberId: string; signature: string } {
  const memberId = memberIdOf(keys.publicKey);
  return { memberId, signature: toHex(sign(keys.privateKey, linkStatement({ nodeId, memberId, accountId }))) };
}
