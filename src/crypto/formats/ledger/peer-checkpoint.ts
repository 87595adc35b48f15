import { nodeIdOf } from '../../public-key.ts';
import { logTagOf } from '../../verifier-key.ts';
import { isSignedByNode, parseCheckpoint, writeCheckpoint, type Checkpoint } from './checkpoint.ts';
import { parseNote, writeNote, type SignedNote } from './signed-note.ts';

/** A note of a node has two signatures, and some cosignatures when it is passed on. */
const LONGEST_NOTE = 8_192;
/** The log key and the node's identity sign; a note with many more would not fit where it is told. */
const MOST_SIGNATURES = 3;
/** In bytes. Both signatures are shorter. */
const LONGEST_SIGNATURE = 128;

/** A checkpoint of a node, signed by the node's identity. */
export interface PeerCheckpoint extends Checkpoint {
  readonly nodeId: string;
  readonly note: SignedNote;
  /** the signed note, with the signatures of the log alone */
  readonly text: string;
}

/**
 * Reads a checkpoint that a node signed with its identity.
 *
 * @param nodeKey of the node: secp256k1, 33 bytes
 * @returns undefined for anything else
 */
export function checkpointOf(text: unknown, nodeKey: Uint8Array): PeerCheckpoint | undefined {
  if (typeof text !== 'string' || text.length > LONGEST_NOTE) return undefined;
  const note = parseNote(text);
  const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
  if (note === undefined || checkpoint === undefined || note.text !== writeCheckpoint(checkpoint)) return undefined;
  const nodeId = nodeIdOf(nodeKey);
  if (logTagOf(nodeId, checkpoint.origin) === undefined) return undefined;
  const signatures = note.signatures.filter(({ name }) => name === checkpoint.origin);
  const isShort = signatures.every(({ signature }) => signature.length <= LONGEST_SIGNATURE);
  if (signatures.length > MOST_SIGNATURES || !isShort || !isSignedByNode(note, checkpoint.origin, nodeKey))
    return undefined;
  const own = { text: note.text, signatures };
  return { ...checkpoint, nodeId, note: own, text: writeNote(own) };
}
