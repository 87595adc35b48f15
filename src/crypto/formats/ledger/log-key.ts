import type { Ed25519KeyPair } from '../../ed25519.ts';
import type { KeyPair } from '../../key-pair.ts';
import { toHex, utf8 } from '../../bytes.ts';
import { sha256 } from '../../hash.ts';

/** What a node signs its log with. */
export interface LogKeys {
  /** secp256k1 */
  readonly identity: KeyPair;
  readonly nodeId: string;
  readonly ledgerLog: Ed25519KeyPair;
  /** its public part in text form: `origin+hash+key` */
  readonly ledgerLogKey: string;
}

/** The verifier key that identifies the log, in its text form: `origin+hash+key`. */
export function logKeyOf({ ledgerLogKey }: Pick<LogKeys, 'ledgerLogKey'>): string {
  return ledgerLogKey;
}

/** The id of the log in other records: SHA-256 of the text form of its verifier key, hex. */
export function chainIdOf(logKey: string): string {
  return toHex(sha256(utf8(logKey)));
}

/** The name of the log that a key signs. */
export function originOf(logKey: string): string {
  return logKey.slice(0, logKey.indexOf('+'));
}
