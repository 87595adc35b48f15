import * as v from 'valibot';
import { fromHex, toHex, utf8 } from '../../bytes.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { sign, verify } from '../../signature.ts';

/**
 * The proofs of the file vault as files: canonical JSON (RFC 8785) and a newline, so that there is one form of each proof. The identity of
 * the node signs all of it. So nothing in it can be changed, whether a check of its own covers it or not.
 */
const FORMAT = 'conclave/file-proof@v1';
const PREFIX = 'conclave/file-proof/v1\n';

/** In characters. A leaf takes 67, so there is room for the blocks of some terabytes. */
export const LONGEST_PROOF = 64 * 1024 ** 2;

const hex = (bytes: number) => v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`)));
const hash = hex(32);
const hashes = v.array(hash);
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const offline = {
  blockHeight: count,
  chainId: hash,
  logKey: v.string(),
  entry: v.string(),
  inclusionProof: hashes,
  checkpoint: v.string(),
  genesis: v.strictObject({ index: count, entry: v.string(), proof: hashes }),
  fileId: hex(16),
  fileTag: hash,
  signature: hex(64),
};

const nonAccess = v.strictObject({
  format: v.literal(FORMAT),
  kind: v.literal('non-access'),
  proof: v.strictObject({ bloomWitness: hex(91), merkleRoot: hash, merkleProof: hashes, timestamp: v.string() }),
  verificationBundle: v.strictObject({ ...offline, ledgerEntryHash: hash, coversTo: count, asOf: v.string() }),
});
const destruction = v.strictObject({
  format: v.literal(FORMAT),
  kind: v.literal('destruction'),
  proof: v.strictObject({ merkleRoot: hash, ledgerEntryHash: hash }),
  certificate: v.strictObject({ ...offline, leaves: hashes, statement: v.string() }),
});
const anyProof = v.variant('kind', [nonAccess, destruction]);

export type NonAccessFile = v.InferOutput<typeof nonAccess>;
export type DestructionFile = v.InferOutput<typeof destruction>;
export type FileProof = v.InferOutput<typeof anyProof>;

type Unsigned<T extends { readonly signature: string }> = Omit<T, 'signature'>;

type Identity = { readonly identity: { readonly privateKey: Uint8Array } };

/** @returns the signature of the node over a proof, hex */
export function signNonAccess(
  { identity }: Identity,
  proof: NonAccessFile['proof'],
  verificationBundle: Unsigned<NonAccessFile['verificationBundle']>,
): string {
  return toHex(sign(identity.privateKey, signedBytes({ kind: 'non-access', proof, verificationBundle })));
}

export function signDestruction(
  { identity }: Identity,
  proof: DestructionFile['proof'],
  certificate: Unsigned<DestructionFile['certificate']>,
): string {
  return toHex(sign(identity.privateKey, signedBytes({ kind: 'destruction', proof, certificate })));
}

function signedBytes(content: Readonly<Record<string, unknown>>): Uint8Array {
  return utf8(`${PREFIX}${canonicalJson({ format: FORMAT, ...content })}`);
}

/** @param nodeKey public key of the node, 33 bytes */
export function isSignedProof(file: FileProof, nodeKey: Uint8Array): boolean {
  if (file.kind === 'non-access') {
    const { kind, proof, verificationBundle } = file;
    const { signature, ...rest } = verificationBundle;
    return verify(nodeKey, signedBytes({ kind, proof, verificationBundle: rest }), fromHex(signature));
  }
  const { kind, proof, certificate } = file;
  const { signature, ...rest } = certificate;
  return verify(nodeKey, signedBytes({ kind, proof, certificate: rest }), fromHex(signature));
}

/** The file of a proof that the API answered. */
export function writeFileProof(proof: Omit<NonAccessFile, 'format'> | Omit<DestructionFile, 'format'>): string {
  return `${canonicalJson({ format: FORMAT, ...proof })}\n`;
}

/** Parses a proof in its one form; undefined for anything else. It does not check the proof. */
export function parseFileProof(text: string): FileProof | undefined {
  if (text.length > LONGEST_PROOF) return undefined;
  try {
    const { success, output } = v.safeParse(anyProof, JSON.parse(text));
    return success && `${canonicalJson(output)}\n` === text ? output : undefined;
  } catch {
    return undefined;
  }
}
