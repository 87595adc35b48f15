import { fromHex, toHex, utf8 } from '../crypto/bytes.ts';
import { canonicalJson } from '../crypto/canonical-json.ts';
import { signEd25519, verifyEd25519 } from '../crypto/ed25519.ts';
import { nodeIdOf } from '../crypto/public-key.ts';
import { sign, verify } from '../crypto/signature.ts';
import { parseVerifierKey, logOriginOf } from '../crypto/verifier-key.ts';
import { GENESIS_TYPE, type JsonObject, type LedgerEntry } from './entry.ts';
import { logKeyOf, type LogKeys } from './log-key.ts';

/**
 * The data of a genesis entry, which is the first entry of a log and the first entry under another log key. The log key and the node's
 * identity both sign that they belong together. The keys and signatures are hex, except the log key, which is in its text form.
 */
export interface Genesis {
  readonly origin: string;
  readonly logKey: string;
  readonly nodeId: string;
  /** secp256k1, 33 bytes */
  readonly nodeKey: string;
  /** Ed25519 */
  readonly logSignature: string;
  /** ECDSA over secp256k1 and SHA-256 */
  readonly nodeSignature: string;
}

type Statement = Pick<Genesis, 'origin' | 'logKey' | 'nodeId' | 'nodeKey'>;

function signedBytes({ origin, logKey, nodeId, nodeKey }: Statement, time: string): Uint8Array {
  return utf8(`conclave/ledger-genesis/v1\n${canonicalJson({ origin, logKey, nodeId, nodeKey, time })}`);
}

export function makeGenesis(keys: LogKeys, time: string): JsonObject {
  const { identity, nodeId, ledgerLog } = keys;
  const statement = {
    origin: logOriginOf(nodeId),
    logKey: logKeyOf(keys),
    nodeId,
    nodeKey: toHex(identity.publicKey),
  };
  const bytes = signedBytes(statement, time);
  return {
    ...statement,
    logSignature: toHex(signEd25519(ledgerLog.privateKey, bytes)),
    nodeSignature: toHex(sign(identity.privateKey, bytes)),
  };
}

/** The genesis in an entry, if its fields are consistent and both signatures are valid; otherwise undefined. */
export function genesisOf(entry: LedgerEntry): Genesis | undefined {
  if (entry.type !== GENESIS_TYPE) return undefined;
  const { origin, logKey, nodeId, nodeKey, logSignature, nodeSignature } = entry.data ?? {};
  const texts = [origin, logKey, nodeId, nodeKey, logSignature, nodeSignature];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  const genesis = { origin, logKey, nodeId, nodeKey, logSignature, nodeSignature } as Genesis;
  try {
    return isTrue(genesis, entry.time) ? genesis : undefined;
  } catch {
    return undefined;
  }
}

function isTrue(genesis: Genesis, time: string): boolean {
  const key = parseVerifierKey(genesis.logKey);
  const nodeKey = fromHex(genesis.nodeKey, 33);
  const bytes = signedBytes(genesis, time);
  return (
    key !== undefined &&
    key.name === genesis.origin &&
    nodeIdOf(nodeKey) === genesis.nodeId &&
    logOriginOf(genesis.nodeId) === genesis.origin &&
    verifyEd25519(key.key, bytes, fromHex(genesis.logSignature, 64)) &&
    verify(nodeKey, bytes, fromHex(genesis.nodeSignature, 64))
  );
}
