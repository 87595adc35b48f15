import type { NodeKeys } from '../config/node-keys.ts';
import { toHex, utf8 } from '../crypto/bytes.ts';
import { sha256 } from '../crypto/hash.ts';

export type LogKeys = Pick<NodeKeys, 'identity' | 'nodeId' | 'ledgerLog' | 'ledgerLogKey'>;

/** The verifier key that identifies the log, in its text form: `origin+hash+key`. */
export function logKeyOf({ ledgerLogKey }: Pick<LogKeys, 'ledgerLogKey'>): string {
  return ledgerLogKey;
}

/** The id of the log in other records: SHA-256 of the text form of its verifier key, hex. */
export function chainIdOf(logKey: string): string {
  return toHex(sha256(utf8(logKey)));
}
