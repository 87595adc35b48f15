import { fromHex, toHex, utf8 } from '../../bytes.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { signEd25519, verifyEd25519 } from '../../ed25519.ts';
import { nodeIdOf } from '../../public-key.ts';
import { sign, verify } from '../../signature.ts';
import { logTagOf, parseVerifierKey } from '../../verifier-key.ts';
import { GENESIS_TYPE, type Json, type JsonObject, type LedgerEntry } from './entry.ts';
import { logKeyOf, originOf, type LogKeys } from './log-key.ts';

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
  /** the end of the node's log before, if this one begins with a recovery */
  readonly recovers?: Recovered;
  /** Ed25519 */
  readonly logSignature: string;
  /** ECDSA over secp256k1 and SHA-256 */
  readonly nodeSignature: string;
}

/** The largest head of a log that is known when the node gives the log up. */
export interface Recovered {
  readonly logKey: string;
  readonly size: number;
  /** hex */
  readonly root: string;
}

type Statement = Pick<Genesis, 'origin' | 'logKey' | 'nodeId' | 'nodeKey' | 'recovers'>;

function signedBytes({ origin, logKey, nodeId, nodeKey, recovers }: Statement, time: string): Uint8Array {
  const statement = { origin, logKey, nodeId, nodeKey, time, ...(recovers !== undefined && { recovers }) };
  return utf8(`conclave/ledger-genesis/v1\n${canonicalJson(statement)}`);
}

/** The keys of a log that a recovery begins, and the end of the log before. */
export interface RecoveringKeys extends LogKeys {
  readonly recovers?: Recovered | undefined;
}

export function makeGenesis(keys: RecoveringKeys, time: string): JsonObject {
  const { identity, nodeId, ledgerLog, recovers } = keys;
  const statement = {
    origin: originOf(logKeyOf(keys)),
    logKey: logKeyOf(keys),
    nodeId,
    nodeKey: toHex(identity.publicKey),
    ...(recovers !== undefined && { recovers: { ...recovers } }),
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
  const { origin, logKey, nodeId, nodeKey, recovers: said, logSignature, nodeSignature } = entry.data ?? {};
  const texts = [origin, logKey, nodeId, nodeKey, logSignature, nodeSignature];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  const recovers = recoveredIn(said);
  if (said !== undefined && recovers === undefined) return undefined;
  const genesis = {
    ...({ origin, logKey, nodeId, nodeKey, logSignature, nodeSignature } as Genesis),
    ...(recovers !== undefined && { recovers }),
  };
  try {
    return isTrue(genesis, entry.time) ? genesis : undefined;
  } catch {
    return undefined;
  }
}

function recoveredIn(said: Json | undefined): Recovered | undefined {
  const { logKey, size, root, ...more } = (said ?? {}) as Record<string, unknown>;
  if (typeof logKey !== 'string' || !Number.isSafeInteger(size) || (size as number) < 0) return undefined;
  if (typeof root !== 'string' || !/^[0-9a-f]{64}$/.test(root) || Object.keys(more).length > 0) return undefined;
  return { logKey, size: size as number, root };
}

function isTrue(genesis: Genesis, time: string): boolean {
  const key = parseVerifierKey(genesis.logKey);
  const nodeKey = fromHex(genesis.nodeKey, 33);
  const bytes = signedBytes(genesis, time);
  return (
    key !== undefined &&
    key.name === genesis.origin &&
    nodeIdOf(nodeKey) === genesis.nodeId &&
    logTagOf(genesis.nodeId, genesis.origin) !== undefined &&
    verifyEd25519(key.key, bytes, fromHex(genesis.logSignature, 64)) &&
    verify(nodeKey, bytes, fromHex(genesis.nodeSignature, 64))
  );
}
