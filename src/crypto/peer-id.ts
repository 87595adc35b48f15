import { base58 } from '@scure/base';
import { concat, fromHex, toHex } from './bytes.ts';
import { compressPublicKey, nodeIdOf } from './public-key.ts';

/** Identity multihash of 37 bytes: the protobuf of a key of type 2 (secp256k1) with 33 bytes. Source: libp2p's specification of peer ids. */
const PREFIX = fromHex('002508021221');

/**
 * The libp2p peer id of a node: `16Uiu2…`. It contains the whole public key.
 *
 * @param publicKey 33 or 65 bytes
 * @throws CryptoError
 */
export function peerIdOf(publicKey: Uint8Array): string {
  return base58.encode(concat(PREFIX, compressPublicKey(publicKey)));
}

/** The public key (33 bytes) in a peer id; undefined for other kinds of ids and for any other text. */
export function keyOfPeerId(text: string): Uint8Array | undefined {
  if (!/^16Uiu2[1-9A-HJ-NP-Za-km-z]{47}$/.test(text)) return undefined;
  const bytes = base58.decode(text);
  if (bytes.length !== PREFIX.length + 33 || toHex(bytes.subarray(0, PREFIX.length)) !== toHex(PREFIX))
    return undefined;
  try {
    return compressPublicKey(bytes.subarray(PREFIX.length));
  } catch {
    return undefined;
  }
}

/** Nodes tell each other their addresses in every round, and checking the point of a key takes a tenth of a millisecond. */
const nodeIds = new Map<string, string>();
const MOST_NODE_IDS = 1_024;

/** The node id from the peer id at the end of a multiaddr; undefined if there is no peer id. */
export function nodeIdOfAddress(address: string): string | undefined {
  const peerId = /\/p2p\/([^/]+)$/.exec(address)?.[1];
  if (peerId === undefined) return undefined;
  const known = nodeIds.get(peerId);
  if (known !== undefined) return known;
  const key = keyOfPeerId(peerId);
  if (key === undefined) return undefined;
  const nodeId = nodeIdOf(key);
  if (nodeIds.size >= MOST_NODE_IDS) nodeIds.clear();
  nodeIds.set(peerId, nodeId);
  return nodeId;
}
