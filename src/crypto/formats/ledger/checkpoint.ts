import { concat, utf8 } from '../../bytes.ts';
import { HASH_LENGTH } from '../../merkle.ts';
import { sign, verify } from '../../signature.ts';
import { keyIdOf, base64, fromBase64 } from '../../verifier-key.ts';
import { originOf, type LogKeys } from './log-key.ts';
import { signaturesBy, signText, writeNote, type SignedNote } from './signed-note.ts';
import { wholeNumber } from '../../../base/whole-number.ts';

/** The content of a checkpoint (https://c2sp.org/tlog-checkpoint): the head of a log at one size. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** 32 bytes */
  readonly root: Uint8Array;
}

/** The format of signed notes reserves this type for keys without their own type, such as secp256k1. An identifier follows it. */
const UNASSIGNED_TYPE = 0xff;
const identityType = utf8('conclave/secp256k1-node-identity/v1\n');
/** A prefix, so that a signature over a checkpoint is not valid for any other message that the identity signs. */
const identityPrefix = utf8('conclave/ledger-checkpoint/v1\n');

export function writeCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${base64(root)}\n`;
}

/** Parses the text of a checkpoint; undefined for anything else. Extension lines are allowed and ignored. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin, size, root, ...extensions] = text.split('\n');
  if (extensions.pop() !== '' || extensions.includes('')) return undefined;
  const entries = /^(?:0|[1-9]\d*)$/.test(size ?? '') ? wholeNumber(size) : undefined;
  if (!origin || entries === undefined) return undefined;
  const hash = fromBase64(root ?? '');
  return hash?.length === HASH_LENGTH ? { origin, size: entries, root: hash } : undefined;
}

/** The signed note of a log's head, with signatures of the log key and of the node's identity. The same head gives the same note. */
export function signCheckpoint(keys: LogKeys, size: number, root: Uint8Array): string {
  const origin = originOf(keys.ledgerLogKey);
  const text = writeCheckpoint({ origin, size, root });
  const identity = {
    name: origin,
    keyId: identityKeyId(origin, keys.identity.publicKey),
    signature: sign(keys.identity.privateKey, concat(identityPrefix, utf8(text))),
  };
  return writeNote({ text, signatures: [signText(text, origin, keys.ledgerLog), identity] });
}

/** Whether the identity of this node also signed the note. */
export function isSignedByNode(note: SignedNote, origin: string, nodeKey: Uint8Array): boolean {
  const by = signaturesBy(note, { name: origin, keyId: identityKeyId(origin, nodeKey) });
  const bytes = concat(identityPrefix, utf8(note.text));
  return by.length > 0 && by.every(({ signature }) => verify(nodeKey, bytes, signature));
}

function identityKeyId(origin: string, nodeKey: Uint8Array): Uint8Array {
  return keyIdOf(origin, UNASSIGNED_TYPE, concat(identityType, nodeKey));
}
