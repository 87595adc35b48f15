import type { NodeKeys } from '../config/node-keys.ts';
import { toHex, utf8 } from '../crypto/bytes.ts';
import { sha256 } from '../crypto/hash.ts';

export type LogKeys = Pick<NodeKeys, 'identity' | 'nodeId' | 'ledgerLog' | 'ledgerLogKey'>;

/** The key that the log is known by, in its written form: `origin+hash+key`. */
export function logKeyOf({ ledgerLogKey }: Pick<LogKeys, 'ledgerLogKey'>): string {
  return ledgerLogKey;
}

/** What other records name the log by: SHA-256 of its written verifier key, hex. */
export function chainIdOf(logKey: string): string {
  return toHex(sha256(utf8(logKey)));
}
