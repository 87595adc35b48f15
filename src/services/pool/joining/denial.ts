import * as v from 'valibot';
import { fromHex, toHex, utf8 } from '../../../crypto/bytes.ts';
import { canonicalJson } from '../../../crypto/canonical-json.ts';
import { sign, verify } from '../../../crypto/signature.ts';
import { digits, isoTimestamp, type AclAdmin } from '../../../crypto/formats/access-list/document.ts';
import type { Signer } from '../acl/signer.ts';
import { poolLimits } from '../../../contract/pool/limits.ts';

const DOMAIN = 'conclave/pool-denial/v1\n';
const MAX_REASON = poolLimits.reason;

const denial = v.strictObject({
  poolId: digits(32),
  nodeId: digits(20),
  /** time of the denied request; a later request needs its own decision */
  requestedAt: isoTimestamp,
  reason: v.pipe(
    v.string(),
    v.check((text) => Array.from(text).length <= MAX_REASON),
  ),
  deniedAt: isoTimestamp,
  deniedBy: digits(12),
});
export type Denial = v.InferOutput<typeof denial>;

export const signedDenial = v.strictObject({ denial, signature: digits(64) });
/** A statement, signed by an administrator, that a node was refused. */
export type SignedDenial = v.InferOutput<typeof signedDenial>;

export function signDenial(content: Denial, { privateKey }: Signer): SignedDenial {
  return { denial: content, signature: toHex(sign(privateKey, signedBytes(content))) };
}

/** Reads a denial; undefined unless one of these administrators signed it. */
export function readDenial(wire: unknown, admins: readonly AclAdmin[]): SignedDenial | undefined {
  const parsed = v.safeParse(signedDenial, wire, { abortEarly: true });
  if (!parsed.success) return undefined;
  const { denial: content, signature } = parsed.output;
  const admin = admins.find(({ memberId }) => memberId === content.deniedBy);
  if (admin === undefined) return undefined;
  return verify(fromHex(admin.publicKey), signedBytes(content), fromHex(signature)) ? parsed.output : undefined;
}

function signedBytes(content: Denial): Uint8Array {
  return utf8(DOMAIN + canonicalJson(content));
}
