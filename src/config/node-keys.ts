import { ed25519KeyPair, type Ed25519KeyPair } from '../crypto/ed25519.ts';
import { deriveKey } from '../crypto/hkdf.ts';
import { keyPairFromSecret, type KeyPair } from '../crypto/key-pair.ts';
import { nodeIdOf } from '../crypto/public-key.ts';
import { ED25519_TYPE, logOriginOf, writeVerifierKey } from '../crypto/verifier-key.ts';

/** The keys derived from the node secret, with HKDF and a distinct info for each. Never log them or put them into a configuration. */
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
  /** seals the cursors of lists */
  readonly cursor: Uint8Array;
  /** signs the checkpoints of the ledger */
  readonly ledgerLog: Ed25519KeyPair;
  /** its public part in text form: the verifier key of the log, `origin+hash+key` */
  readonly ledgerLogKey: string;
  /** HMAC key of the tags in entries of the ledger */
  readonly ledgerTag: Uint8Array;
  /** HMAC key of the ledger's head in the store */
  readonly ledgerHead: Uint8Array;
}

/** @param secret the node secret, 32 bytes */
export function deriveNodeKeys(secret: Uint8Array): NodeKeys {
  const identity = keyPairFromSecret(secret, 'conclave/node/identity/v1');
  const nodeId = nodeIdOf(identity.publicKey);
  // This key is made on first use, because a second curve costs OpenSSL milliseconds at every start.
  const ledgerLogSeed = deriveKey(secret, 'conclave/node/ledger-log/v1');
  let ledgerLog: Ed25519KeyPair | undefined;
  return {
    identity,
    nodeId,
    token: deriveKey(secret, 'conclave/node/token/v1'),
    operatorToken: deriveKey(secret, 'conclave/node/operator-token/v1'),
    mnemonic: deriveKey(secret, 'conclave/node/mnemonic/v1'),
    backupCode: deriveKey(secret, 'conclave/node/backup-code/v1'),
    wrap: deriveKey(secret, 'conclave/node/wrap/v1'),
    cursor: deriveKey(secret, 'conclave/node/cursor/v2'),
    get ledgerLog() {
      return (ledgerLog ??= ed25519KeyPair(ledgerLogSeed));
    },
    get ledgerLogKey() {
      return writeVerifierKey(logOriginOf(nodeId), ED25519_TYPE, this.ledgerLog.publicKey);
    },
    ledgerTag: deriveKey(secret, 'conclave/node/ledger-tag/v1'),
    ledgerHead: deriveKey(secret, 'conclave/node/ledger-head/v1'),
  };
}
