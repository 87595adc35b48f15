import { ed25519KeyPair, type Ed25519KeyPair } from '../crypto/ed25519.ts';
import { deriveKey } from '../crypto/hkdf.ts';
import { keyPairFromSecret, type KeyPair } from '../crypto/key-pair.ts';
import { p256FromSecret, type P256KeyPair } from '../crypto/p256.ts';
import { nodeIdOf } from '../crypto/public-key.ts';
import {
  COSIGNATURE_TYPE,
  ED25519_TYPE,
  logOriginOf,
  witnessNameOf,
  writeVerifierKey,
} from '../crypto/verifier-key.ts';

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
  /** The key of one log of this node. A node has one log after another: the first has no tag, and each recovery begins one with a random tag. */
  logOf(tag: string): LogOfNode;
  /** makes another log the one that `ledgerLog` and `ledgerLogKey` are of */
  useLog(tag: string): void;
  /** signs cosignatures of other nodes' checkpoints */
  readonly witness: Ed25519KeyPair;
  /** its public part in text form, as policies name it */
  readonly witnessKey: string;
  /** HMAC key of the tags in entries of the ledger */
  readonly ledgerTag: Uint8Array;
  /** HMAC key of the ledger's head in the store */
  readonly ledgerHead: Uint8Array;
  /** seals what a verification of the quorum's audit trail found */
  readonly quorumAudit: Uint8Array;
  /** seals the endpoints and keys of push subscriptions */
  readonly push: Uint8Array;
  /** by which push services know the node (VAPID) */
  readonly vapid: P256KeyPair;
}

export type LogOfNode = Pick<NodeKeys, 'ledgerLog' | 'ledgerLogKey'>;

/** @param secret the node secret, 32 bytes */
export function deriveNodeKeys(secret: Uint8Array): NodeKeys {
  const identity = keyPairFromSecret(secret, 'conclave/node/identity/v1');
  const nodeId = nodeIdOf(identity.publicKey);
  // Keys of this curve are made on first use, because a second curve costs OpenSSL milliseconds at every start.
  const pairs = new Map<string, Ed25519KeyPair>();
  function pairOf(info: string): Ed25519KeyPair {
    const pair = pairs.get(info) ?? ed25519KeyPair(deriveKey(secret, info));
    pairs.set(info, pair);
    return pair;
  }
  function logOf(tag: string): LogOfNode {
    const ledgerLog = pairOf(tag === '' ? 'conclave/node/ledger-log/v1' : `conclave/node/ledger-log/v1/${tag}`);
    const ledgerLogKey = writeVerifierKey(logOriginOf(nodeId, tag), ED25519_TYPE, ledgerLog.publicKey);
    return { ledgerLog, ledgerLogKey };
  }
  let log: LogOfNode | undefined;
  let vapid: P256KeyPair | undefined;
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
      return (log ??= logOf('')).ledgerLog;
    },
    get ledgerLogKey() {
      return (log ??= logOf('')).ledgerLogKey;
    },
    logOf,
    useLog: (tag) => void (log = logOf(tag)),
    get witness() {
      return pairOf('conclave/node/ledger-witness/v1');
    },
    get witnessKey() {
      return writeVerifierKey(witnessNameOf(nodeId), COSIGNATURE_TYPE, this.witness.publicKey);
    },
    ledgerTag: deriveKey(secret, 'conclave/node/ledger-tag/v1'),
    ledgerHead: deriveKey(secret, 'conclave/node/ledger-head/v1'),
    quorumAudit: deriveKey(secret, 'conclave/node/quorum-audit/v1'),
    push: deriveKey(secret, 'conclave/node/push/v1'),
    get vapid() {
      return (vapid ??= p256FromSecret(secret, 'conclave/node/vapid/v1'));
    },
  };
}
