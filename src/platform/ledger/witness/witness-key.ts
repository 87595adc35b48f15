import type { NodeKeys } from '../../../config/node-keys.ts';
import { fromHex, toHex, utf8 } from '../../../crypto/bytes.ts';
import { nodeIdOf } from '../../../crypto/public-key.ts';
import { sign, verify } from '../../../crypto/signature.ts';
import { COSIGNATURE_TYPE, parseVerifierKey, witnessNameOf, type VerifierKey } from '../../../crypto/verifier-key.ts';

/** The key with which a node cosigns, and the signature of the node's identity over it. */
export interface WitnessKey {
  /** verifier key in text form, as policies name it */
  readonly key: string;
  /** hex */
  readonly signature: string;
}

function signedBytes(key: string): Uint8Array {
  return utf8(`conclave/ledger-witness-key/v1\n${key}\n`);
}

export function bindWitnessKey({ identity, witnessKey: key }: Pick<NodeKeys, 'identity' | 'witnessKey'>): WitnessKey {
  return { key, signature: toHex(sign(identity.privateKey, signedBytes(key))) };
}

/** The key of a witness, if the node's identity signed that it is its own. */
export function witnessKeyOf(
  said: unknown,
  publicKey: string,
): { readonly text: string; readonly verifier: VerifierKey } | undefined {
  const { key, signature } = (said ?? {}) as Record<keyof WitnessKey, unknown>;
  if (
    typeof key !== 'string' ||
    key.length > 200 ||
    typeof signature !== 'string' ||
    !/^[0-9a-f]{128}$/.test(signature)
  )
    return undefined;
  const verifier = parseVerifierKey(key, COSIGNATURE_TYPE);
  const node = fromHex(publicKey, 33);
  if (verifier?.name !== witnessNameOf(nodeIdOf(node))) return undefined;
  return verify(node, signedBytes(key), fromHex(signature)) ? { text: key, verifier } : undefined;
}
