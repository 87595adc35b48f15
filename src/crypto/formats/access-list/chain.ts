import * as v from 'valibot';
import { fromHex, toHex, utf8 } from '../../bytes.ts';
import { sign, verify } from '../../signature.ts';
import {
  aclHash,
  aclText,
  digits,
  MAX_ADMINS,
  MAX_DOCUMENT,
  parseAcl,
  refusedList,
  type AclAdmin,
  type AclDocument,
} from './document.ts';

const SIGNATURE_DOMAIN = 'conclave/pool-acl/v1\n';

const signature = v.strictObject({ memberId: digits(12), signature: digits(64) });
export type AclSignature = v.InferOutput<typeof signature>;

/** The wire form of an access list: the document byte for byte, and its signatures. */
export const wireList = v.strictObject({
  document: v.pipe(v.string(), v.maxLength(MAX_DOCUMENT)),
  signatures: v.pipe(v.array(signature), v.maxLength(MAX_ADMINS)),
});
export type WireList = v.InferOutput<typeof wireList>;

/** An access list whose form has been checked. The list before it determines which signatures count. */
export interface SignedList {
  readonly document: AclDocument;
  readonly text: string;
  readonly hash: string;
  readonly signatures: readonly AclSignature[];
}

/** @throws Problem invalid ACCESS_LIST_REFUSED */
export function readList(wire: unknown, checkedKeys?: Set<string>): SignedList {
  const shape = v.safeParse(wireList, wire, { abortEarly: true });
  if (!shape.success) throw refusedList('its format is not valid');
  const { document: text, signatures } = shape.output;
  return { document: parseAcl(text, checkedKeys), text, hash: aclHash(text), signatures };
}

export function wireOf({ text, signatures }: SignedList): WireList {
  return { document: text, signatures: [...signatures] };
}

/** @param privateKey the administrator's, 32 bytes */
export function signList(document: AclDocument, memberId: string, privateKey: Uint8Array): SignedList {
  const text = aclText(document);
  const made = toHex(sign(privateKey, signedBytes(text)));
  return { document, text, hash: aclHash(text), signatures: [{ memberId, signature: made }] };
}

/** The signatures of these administrators, each once. */
export function validSignatures(list: SignedList, admins: readonly AclAdmin[]): AclSignature[] {
  const keys = new Map(admins.map(({ memberId, publicKey }) => [memberId, publicKey]));
  const bytes = signedBytes(list.text);
  const valid = new Map<string, AclSignature>();
  for (const one of list.signatures) {
    const key = keys.get(one.memberId);
    if (key === undefined || valid.has(one.memberId)) continue;
    if (verify(fromHex(key), bytes, fromHex(one.signature))) valid.set(one.memberId, one);
  }
  return [...valid.values()];
}

/**
 * Verifies the first access list of a pool. Enough of its own administrators must have signed it, by its own threshold.
 * @returns the list without signatures that don't count
 * @throws Problem invalid ACCESS_LIST_REFUSED
 */
export function verifyGenesis(list: SignedList): SignedList {
  if (list.document.version !== 1) throw refusedList('it is not the first of its pool');
  return signedBy(list, list.document);
}

/**
 * Verifies an access list that follows another one. It must name that list as its previous one, and enough of the *previous* list's
 * administrators must have signed it, by the previous threshold.
 * @returns the list without signatures that don't count
 * @throws Problem invalid ACCESS_LIST_REFUSED
 */
export function verifySuccessor(previous: SignedList, next: SignedList): SignedList {
  if (next.document.poolId !== previous.document.poolId) throw refusedList('it is of another pool');
  if (next.document.version !== previous.document.version + 1) throw refusedList('a version is missing before it');
  if (next.document.prev !== previous.hash) throw refusedList('its previous version is not ours');
  return signedBy(next, previous.document);
}

/** Verifies each list against the one before it. @throws Problem invalid ACCESS_LIST_REFUSED */
export function verifyChain(start: SignedList, following: readonly SignedList[]): SignedList[] {
  const verified: SignedList[] = [];
  for (const next of following) verified.push(verifySuccessor(verified.at(-1) ?? start, next));
  return verified;
}

/** Verifies all access lists of a pool, from the first on. @throws Problem invalid ACCESS_LIST_REFUSED */
export function verifyWhole(lists: readonly SignedList[]): [SignedList, ...SignedList[]] {
  const [first, ...rest] = lists;
  if (first === undefined) throw refusedList('there is no list');
  const genesis = verifyGenesis(first);
  return [genesis, ...verifyChain(genesis, rest)];
}

function signedBy(list: SignedList, { admins, threshold }: AclDocument): SignedList {
  const signatures = validSignatures(list, admins);
  if (signatures.length < threshold)
    throw refusedList(`it has ${signatures.length} of the ${threshold} signatures that it needs`);
  return { ...list, signatures };
}

function signedBytes(text: string): Uint8Array {
  return utf8(SIGNATURE_DOMAIN + text);
}
