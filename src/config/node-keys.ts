import { deriveKey } from '../crypto/hkdf.ts';
import { keyPairFromSecret, type KeyPair } from '../crypto/key-pair.ts';
import { nodeIdOf } from '../crypto/public-key.ts';

/** All that follows from the node secret, by HKDF with distinct infos. Never logged, never in a configuration. */
export interface NodeKeys {
  /** secp256k1, the node's identity */
  readonly identity: KeyPair;
  /** first 20 bytes of SHA-256 over the uncompressed public key, hex */
  readonly nodeId: string;
  /** HS256 key of session tokens */
  readonly token: Uint8Array;
  /** HS256 key of the operator's one-minute tokens */
  readonly operatorToken: Uint8Array;
  /** HMAC key of mnemonic tags */
  readonly mnemonic: Uint8Array;
  /** HMAC key of backup code tags */
  readonly backupCode: Uint8Array;
  /** wraps server-side content keys */
  readonly wrap: Uint8Array;
  /** HMAC key of list cursors */
  readonly cursor: Uint8Array;
}

/** @param secret the node secret, 32 bytes */
export function deriveNodeKeys(secret: Uint8Array): NodeKeys {
  const identity = keyPairFromSecret(secret, 'conclave/node/identity/v1');
  return {
    identity,
    nodeId: nodeIdOf(identity.publicKey),
    token: deriveKey(secret, 'conclave/node/token/v1'),
    operatorToken: deriveKey(secret, 'conclave/node/operator-token/v1'),
    mnemonic: deriveKey(secret, 'conclave/node/mnemonic/v1'),
    backupCode: deriveKey(secret, 'conclave/node/backup-code/v1'),
    wrap: deriveKey(secret, 'conclave/node/wrap/v1'),
    cursor: deriveKey(secret, 'conclave/node/cursor/v1'),
  };
}
