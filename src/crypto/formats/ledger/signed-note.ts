import { fromUtf8, utf8 } from '../../bytes.ts';
import { signEd25519, verifyEd25519 } from '../../ed25519.ts';
import { ED25519_TYPE, keyIdOf, base64, fromBase64, isKeyName, type VerifierKey } from '../../verifier-key.ts';

/** A signed note (https://c2sp.org/signed-note): text, an empty line, and a line for each signature. */
export interface SignedNote {
  /** including its last newline */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  /** name of the key, a schema-less URL */
  readonly name: string;
  /** 4 bytes that distinguish keys with the same name */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}

/** A limit far above the 16 signatures that a reader must accept, with room for large signatures. */
const longestNote = 1_000_000;
const mostSignatures = 100;

/** Whether a text may be signed: it ends with a newline and has no control characters except newlines. */
function isNoteText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- what the format forbids
  return text.endsWith('\n') && !/[\u0000-\u0009\u000b-\u001f]|\p{Surrogate}/u.test(text);
}

export function signatureLine({ name, keyId, signature }: NoteSignature): string {
  return `— ${name} ${base64(Uint8Array.of(...keyId, ...signature))}\n`;
}

/** The signature of an Ed25519 key over the text. */
export function signText(text: string, name: string, key: { privateKey: Uint8Array; publicKey: Uint8Array }) {
  const signature = signEd25519(key.privateKey, utf8(text));
  return { name, keyId: keyIdOf(name, ED25519_TYPE, key.publicKey), signature };
}

export function writeNote({ text, signatures }: SignedNote): string {
  return `${text}\n${signatures.map(signatureLine).join('')}`;
}

/** Parses a note with all rules of the format; undefined for anything else. It does not check the signatures. */
export function parseNote(bytes: Uint8Array | string): SignedNote | undefined {
  const note = typeof bytes === 'string' ? bytes : decode(bytes);
  if (note === undefined || note.length > longestNote || !isNoteText(note)) return undefined;
  const end = note.lastIndexOf('\n\n');
  if (end === -1) return undefined;
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > mostSignatures) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const [, name, encoded] = /^\u2014 (\S+) ([A-Za-z0-9+/]+=*)$/u.exec(line) ?? [];
    const content = encoded === undefined ? undefined : fromBase64(encoded);
    if (name === undefined || !isKeyName(name) || content === undefined || content.length < 5) return undefined;
    signatures.push({ name, keyId: content.slice(0, 4), signature: content.slice(4) });
  }
  return { text: note.slice(0, end + 1), signatures };
}

/** The signatures of a note with this key name and key id; the format identifies a key by both. */
export function signaturesBy({ signatures }: SignedNote, { name, keyId }: Pick<VerifierKey, 'name' | 'keyId'>) {
  return signatures.filter((one) => one.name === name && Buffer.compare(one.keyId, keyId) === 0);
}

/** Whether an Ed25519 key signed the note: it has at least one signature of the key, and all signatures of the key are valid. */
export function isSignedBy(note: SignedNote, key: VerifierKey): boolean {
  const by = signaturesBy(note, key);
  return by.length > 0 && by.every(({ signature }) => verifyEd25519(key.key, utf8(note.text), signature));
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return fromUtf8(bytes);
  } catch {
    return undefined;
  }
}
