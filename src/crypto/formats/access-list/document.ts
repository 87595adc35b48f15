import * as v from 'valibot';
import { fromHex, toHex, utf8 } from '../../bytes.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { CryptoError } from '../../crypto-error.ts';
import { sha256 } from '../../hash.ts';
import { memberIdOf, nodeIdOf } from '../../public-key.ts';
import { exactTime } from '../../../base/exact-time.ts';
import { Problem } from '../../../base/problem.ts';
import { poolLimits } from '../../../contract/pool/limits.ts';

/** Far more than the limits below add up to. */
export const MAX_DOCUMENT = 1_048_576;
export const MAX_WRITERS = 2_000;
export const MAX_TOMBSTONES = 2_000;
export const MAX_ADMINS = poolLimits.administrators;

const POOL_ID_DOMAIN = 'conclave/pool-id/v1\n';

/** The only time format that this program writes. */
export const isoTimestamp = v.pipe(
  v.string(),
  v.maxLength(24),
  v.check((text) => exactTime(text) !== undefined, 'is not a timestamp in UTC with milliseconds'),
);
export const digits = (bytes: number) => v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`)));
/** RFC 1035 labels, in lower case; 253 is the longest name that fits DNS. */
export const mailDomain = v.pipe(
  v.string(),
  v.maxLength(253),
  v.regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/),
);
const name = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/));
const count = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));

export const modes = ['approval', 'open', 'closed'] as const;
export type PoolMode = (typeof modes)[number];

const writer = v.strictObject({
  nodeId: digits(20),
  publicKey: digits(33),
  mailDomain: v.exactOptional(mailDomain),
  addedAt: isoTimestamp,
  addedBy: digits(12),
  expiresAt: v.nullable(isoTimestamp),
});
export type AclWriter = v.InferOutput<typeof writer>;

const admin = v.strictObject({ memberId: digits(12), publicKey: digits(33) });
export type AclAdmin = v.InferOutput<typeof admin>;

/**
 * What is remembered of a node that an administrator refused: it was removed, its request was denied, or it is banned. In mode `open` such
 * a node isn't admitted on its own; an administrator can still approve one that isn't banned.
 */
const tombstone = v.strictObject({
  nodeId: digits(20),
  kind: v.picklist(['removed', 'denied', 'banned']),
  at: isoTimestamp,
  by: digits(12),
});
export type AclTombstone = v.InferOutput<typeof tombstone>;

const schema = v.strictObject({
  t: v.literal('pool-acl'),
  v: v.literal(1),
  poolId: digits(32),
  version: count(1, 2 ** 40),
  prev: v.nullable(digits(32)),
  mode: v.picklist(modes),
  scope: v.strictObject({ database: name, collection: v.exactOptional(name) }),
  writers: v.pipe(v.array(writer), v.maxLength(MAX_WRITERS)),
  // Left out when there is none, so that lists without any have the form that they always had.
  tombstones: v.exactOptional(v.pipe(v.array(tombstone), v.minLength(1), v.maxLength(MAX_TOMBSTONES))),
  admins: v.pipe(v.array(admin), v.minLength(1), v.maxLength(MAX_ADMINS)),
  threshold: count(1, MAX_ADMINS),
  issuedAt: isoTimestamp,
});
/** The access list: the nodes of a pool, its administrators and its rules. The signatures cover only what is in it. */
export type AclDocument = v.InferOutput<typeof schema>;

/** An access list that must not be trusted. The message gives the reason, without repeating the content. */
export function refusedList(why: string): Problem {
  return new Problem('invalid', 'ACCESS_LIST_REFUSED', `The access list is refused: ${why}.`);
}

/**
 * Reads a document as it was signed. A document that isn't canonical is refused; this includes one with a repeated key.
 * @param checkedKeys public keys known to be valid; this call adds to them, because the lists of one pool repeat them
 * @throws Problem invalid ACCESS_LIST_REFUSED
 */
export function parseAcl(text: string, checkedKeys: Set<string> = new Set()): AclDocument {
  if (text.length > MAX_DOCUMENT) throw refusedList('it is too large');
  const document = shaped(text);
  if (canonicalJson(document) !== text) throw refusedList('it is not canonical JSON');
  const { version, prev, writers, tombstones = [], admins, threshold } = document;
  if ((version === 1) !== (prev === null)) throw refusedList('only the first version has no previous one');
  if (threshold > admins.length) throw refusedList('its threshold is higher than the number of its administrators');
  // A node is either in the pool or refused.
  unique(
    'a node',
    [...writers, ...tombstones].map(({ nodeId }) => nodeId),
  );
  unique(
    'an administrator',
    admins.map(({ memberId }) => memberId),
  );
  unique(
    'a mail domain',
    writers.flatMap((one) => one.mailDomain ?? []),
  );
  for (const { nodeId, publicKey } of writers)
    checkKey(`${nodeId}/${publicKey}`, publicKey, nodeIdOf, nodeId, checkedKeys);
  for (const { memberId, publicKey } of admins)
    checkKey(`${memberId}/${publicKey}`, publicKey, memberIdOf, memberId, checkedKeys);
  if (version === 1 && document.poolId !== poolIdOf(document)) throw refusedList('it is not the first of its pool');
  return document;
}

/** The text whose bytes are signed and hashed. */
export function aclText(document: AclDocument): string {
  return canonicalJson(document);
}

/** SHA-256 of the document without its signatures: more signatures don't make another list. */
export function aclHash(text: string): string {
  return toHex(sha256(utf8(text)));
}

/** The id of a pool: SHA-256 of its first access list, with an empty pool id in it. */
export function poolIdOf(genesis: AclDocument): string {
  return toHex(sha256(utf8(POOL_ID_DOMAIN), utf8(canonicalJson({ ...genesis, poolId: '' }))));
}

function shaped(text: string): AclDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusedList('it is not JSON');
  }
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  if (!parsed.success) {
    const at = v.getDotPath(parsed.issues[0]) ?? '';
    throw refusedList(`its format is not valid${/^[\w.]{1,60}$/.test(at) ? ` at ${at}` : ''}`);
  }
  return parsed.output;
}

function unique(what: string, values: readonly string[]): void {
  if (new Set(values).size !== values.length) throw refusedList(`it names ${what} twice`);
}

function checkKey(
  known: string,
  publicKey: string,
  idOf: (key: Uint8Array) => string,
  id: string,
  checked: Set<string>,
): void {
  if (checked.has(known)) return;
  let actual: string;
  try {
    actual = idOf(fromHex(publicKey));
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw refusedList('a public key in it is not a point of the curve');
  }
  if (actual !== id) throw refusedList('an id in it does not belong to its public key');
  checked.add(known);
}
