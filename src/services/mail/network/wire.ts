import * as v from 'valibot';
import { utf8 } from '../../../crypto/bytes.ts';
import { canonicalJsonBytes } from '../../../crypto/canonical-json.ts';

/** The channels of the outbox that mail takes. */
export const OFFERS = 'mail';
export const RECEIPTS = 'mail-receipts';
/** The protocol in which a node asks for small blocks that did not fit into an offer. */
export const PARTS = 'mail-part';

const base64 = v.pipe(v.string(), v.maxLength(200_000), v.regex(/^[A-Za-z0-9+/]*={0,2}$/));
const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{128}$/));
const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 40));
const address = v.pipe(v.string(), v.minLength(3), v.maxLength(1_000));

/** Blocks of one message: an attachment of 25 MiB has two, and a message has 100 attachments at most that are large. */
const MOST_BLOCKS = 2_000;

export const offerSchema = v.object({
  v: v.literal(1),
  /** names the message at its sender: offered again with another id, a mailbox that has it does not get it twice */
  message: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  /** who gets it, of the domains of the receiving node */
  recipients: v.pipe(v.array(address), v.minLength(1), v.maxLength(200)),
  /** address of the sender, whose domain the sending node serves */
  from: address,
  /** what the key of the offer comes from, ECIES to the receiving node */
  secret: base64,
  /** where the octets are, under the key of the offer */
  layout: base64,
  blocks: v.pipe(
    v.array(
      v.object({ part: count, piece: count, hash, size: count, inDatabase: v.boolean(), sealed: v.optional(base64) }),
    ),
    v.minLength(1),
    v.maxLength(MOST_BLOCKS),
  ),
});
export type Offer = v.InferOutput<typeof offerSchema>;

/** What of a layout another node needs: it reads the octets itself. */
export const sentLayoutSchema = v.object({
  v: v.literal(1),
  keys: v.pipe(v.array(base64), v.minLength(1), v.maxLength(MOST_BLOCKS)),
  octets: count,
  pieces: v.pipe(
    v.array(v.union([v.strictObject({ octets: count }), v.strictObject({ segment: count })])),
    v.maxLength(2 * MOST_BLOCKS),
  ),
  segments: v.pipe(
    v.array(v.object({ size: count, width: v.pipe(v.number(), v.integer(), v.minValue(4), v.maxValue(996)) })),
    v.maxLength(MOST_BLOCKS),
  ),
});
export type SentLayout = v.InferOutput<typeof sentLayoutSchema>;

const code = v.pipe(v.string(), v.regex(/^[A-Z][A-Z0-9_]{0,63}$/));
const outcome = v.object({
  address,
  delivered: v.boolean(),
  code: v.optional(code),
  reason: v.optional(v.pipe(v.string(), v.maxLength(500))),
});
export type Outcome = v.InferOutput<typeof outcome>;

/** What became of offers, signed by the node that got them. */
export const receiptsSchema = v.object({
  v: v.literal(1),
  receipts: v.pipe(
    v.array(
      v.object({
        offerId: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
        outcomes: v.pipe(v.array(outcome), v.maxLength(200)),
      }),
    ),
    v.minLength(1),
    v.maxLength(200),
  ),
  /** milliseconds since 1970 by the clock of the receiver */
  at: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 48)),
  signature: base64,
});
export type Receipts = v.InferOutput<typeof receiptsSchema>;

const DOMAIN = utf8('conclave/mail-receipts/v1\n');

/** What the receiver of offers signs: which node says what to which, so that it is of no use anywhere else. */
export function receiptsStatement(
  { receipts, at }: Pick<Receipts, 'receipts' | 'at'>,
  { receiver, sender }: { readonly receiver: string; readonly sender: string },
): Uint8Array {
  const stated = receipts.map(({ offerId, outcomes }) => ({
    offerId,
    outcomes: outcomes.map(({ address: who, delivered, code: failed = '' }) => ({
      address: who,
      code: failed,
      delivered,
    })),
  }));
  return Buffer.concat([
    DOMAIN,
    canonicalJsonBytes({ t: 'mail-receipts', v: 1, receiver, sender, at, receipts: stated }),
  ]);
}

/** What the secret is bound to that keys of offers come from. */
export function secretContext(sender: string, receiver: string): Uint8Array {
  return utf8(`conclave/mail-offer-secret/v1\0${sender}\0${receiver}`);
}

/** What the key of an offer is bound to. */
export function offerContext(offerId: string, sender: string, receiver: string): Uint8Array {
  return utf8(`conclave/mail-offer/v1\0${offerId}\0${sender}\0${receiver}`);
}
