import * as v from 'valibot';
import { fetchBlock, type FetchedBlock } from '../../../shared/attachments/peer-blocks.ts';
import type { Context } from '../../../service/context.ts';
import { mailLimits } from '../../../contract/mail/limits.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { contentHash } from '../../../crypto/hash.ts';
import { openWithKey } from '../../../crypto/sealing.ts';
import { sealedSize } from '../../../shared/attachments/sealed-frames.ts';
import { Problem } from '../../../base/problem.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { MailArrivalRow } from '../../../platform/store/tables/mail.ts';
import type { MessageFacts } from '../boxes/items.ts';
import { addressKey, mailboxIn } from '../message/address.ts';
import { mailboxOf } from '../message/addresses.ts';
import { messageSize } from '../message/segments.ts';
import { parsedContent } from '../reading/body.ts';
import { addContent, dropUnused, newContent, type NewContent } from '../storage/contents.ts';
import { readPart, type Part, type PartBlock } from '../../../shared/attachments/sealed-parts.ts';
import { factsOf, structureOf } from '../storage/structure.ts';
import { wrapForMembers } from '../storage/member-keys.ts';
import type { Failure } from '../sending/deliveries.ts';
import {
  deliver,
  hasCopy,
  inOrder,
  localRecipients,
  noSuchMailbox,
  prepareAll,
  recipientIds,
} from '../sending/local.ts';
import { newMessageId } from '../sending/composing.ts';
import { isAutomatic } from '../sending/raw.ts';
import { usernameIn } from '../../../shared/members/names.ts';
import { keyOfOffer } from './offer-keys.ts';
import { listedNode, nodeServing } from './routes.ts';
import {
  offerContext,
  offerSchema,
  PARTS,
  sentLayoutSchema,
  type Offer,
  type Outcome,
  type SentLayout,
} from './wire.ts';

/** An offer that was read, and what its transaction does. */
export interface Accepted {
  readonly recipients: readonly string[];
  /** those of them who are members of this node */
  readonly memberIds: readonly string[];
  /** block files that were fetched for it, and that no row refers to */
  readonly files: readonly string[];
  /**
   * Whoever calls it has locked the members.
   * @param kept block files that this transaction refers to already: other offers of the same batch may have the same content. Those of
   *   this one are added.
   */
  deliver(tx: Context, kept: Set<string>): Promise<Outcome[]>;
}

const LARGEST_BLOCK = 16 * 1024 ** 2 + 1024;
const MOST_INLINE = 64 * 1024;

export function refusalOfAll(recipients: readonly string[], { code, reason }: Failure): Outcome[] {
  return recipients.map((address) => ({ address, delivered: false, code, reason }));
}

function refused(recipients: readonly string[], failure: Failure): Accepted {
  return { recipients, memberIds: [], files: [], deliver: async () => refusalOfAll(recipients, failure) };
}

/** Why an offer is refused for ever. */
class Refused extends Error {
  readonly failure: Failure;

  constructor(code: string, reason: string) {
    super(reason);
    this.failure = { code, reason };
  }
}

const malformed = () => new Refused('MALFORMED', 'The offer is not valid.');

/**
 * Reads what another node offered: fetches its blocks, opens and checks them, and makes the copies for its recipients.
 * @throws Problem unavailable and others when it has to wait, as for a node that can't be reached
 */
export async function acceptOffer(ctx: Context, row: MailArrivalRow, signal: AbortSignal): Promise<Accepted> {
  const offer = readOffer(row.offer);
  if (offer === undefined) return refused([], malformed().failure);
  const { recipients } = offer;
  try {
    if (row.expires_at <= ctx.clock.now()) throw new Refused('EXPIRED', 'The message arrived too late.');
    await checkSender(ctx, row.node_id, offer);
    const { layout, parts, fetched } = await contentOf(ctx, row, offer, signal);
    const files = fetched.flatMap(({ id, referred }) => (referred ? [] : [id]));
    const made = await readContent(ctx, offer, layout, parts);
    return { recipients, files, ...(await deliverer(ctx, row, offer, made, fetched)) };
  } catch (error) {
    if (error instanceof Refused) return refused(recipients, error.failure);
    if (error instanceof CryptoError) return refused(recipients, malformed().failure);
    throw error;
  }
}

function readOffer(text: string): Offer | undefined {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    // The row was damaged. It would wait for ever, because what it says of its end is never reached.
    return undefined;
  }
  const read = v.safeParse(offerSchema, given);
  return read.success ? read.output : undefined;
}

/** @throws Refused unless the access list names the sending node for the domain of the sender */
async function checkSender(ctx: Context, nodeId: string, { from }: Offer): Promise<void> {
  const mailbox = mailboxIn(from);
  if (mailbox === undefined) throw malformed();
  const serving = await listedNode(ctx, mailbox.domain);
  if (serving?.nodeId !== nodeId)
    throw new Refused('SENDER_MISMATCH', 'The node does not serve the domain of the sender.');
}

interface Arrived {
  readonly layout: SentLayout;
  readonly parts: readonly Part[];
  readonly fetched: readonly FetchedBlock[];
}

async function contentOf(ctx: Context, row: MailArrivalRow, offer: Offer, signal: AbortSignal): Promise<Arrived> {
  const { node_id: nodeId, offer_id: offerId } = row;
  const context = offerContext(offerId, nodeId, ctx.keys.nodeId);
  const key = keyOfOffer(ctx, offerId, nodeId, offer.secret);
  const text = Buffer.from(openWithKey(key, Buffer.from(offer.layout, 'base64'), context)).toString('utf8');
  const read = v.safeParse(sentLayoutSchema, JSON.parse(text));
  if (!read.success) throw malformed();
  const layout = read.output;
  if (layout.keys.length !== layout.segments.length + 1) throw malformed();
  if (layout.pieces.some((piece) => 'segment' in piece && piece.segment >= layout.segments.length)) throw malformed();
  if (sizeOf(layout) > mailLimits.messageBytes)
    throw new Refused('MESSAGE_TOO_LARGE', 'The message is larger than 50 MiB.');
  const fetched: FetchedBlock[] = [];
  const parts: Part[] = [];
  for (const [part, text64] of layout.keys.entries()) {
    const size = part === 0 ? layout.octets : (layout.segments[part - 1]?.size ?? 0);
    const blocks: PartBlock[] = [];
    const those = offer.blocks.filter((one) => one.part === part).toSorted((one, other) => one.piece - other.piece);
    if (those.length === 0 || those.reduce((sum, one) => sum + one.size, 0) !== size) throw malformed();
    for (const [piece, one] of those.entries()) {
      if (one.piece !== piece) throw malformed();
      if (!one.inDatabase) {
        const found = await fetchBlock(ctx, { nodeId, blockId: one.hash, maxBytes: LARGEST_BLOCK, signal });
        if (found.size !== sealedSize(one.size)) throw malformed();
        fetched.push(found);
        blocks.push({ hash: one.hash, sealed: undefined, size: one.size });
        continue;
      }
      const sealed =
        one.sealed === undefined
          ? await askForPart(ctx, nodeId, { offerId, part, piece }, signal)
          : Buffer.from(one.sealed, 'base64');
      if (sealed.length > MOST_INLINE || contentHash(sealed) !== one.hash) throw malformed();
      blocks.push({ hash: one.hash, sealed, size: one.size });
    }
    parts.push({ key: keyOf(text64), size, blocks });
  }
  return { layout, parts, fetched };
}

function keyOf(text: string): Uint8Array {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) throw malformed();
  return key;
}

function sizeOf({ pieces, segments }: SentLayout): number {
  return pieces.reduce((sum, piece) => sum + ('octets' in piece ? piece.octets : messageSize([piece], segments)), 0);
}

async function askForPart(
  ctx: Context,
  nodeId: string,
  question: { readonly offerId: string; readonly part: number; readonly piece: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const answer = (await ctx.gossip.request({ nodeId }, PARTS, question, { signal })) as {
    readonly sealed?: unknown;
  } | null;
  const sealed = answer?.sealed;
  if (typeof sealed !== 'string' || sealed.length > 2 * MOST_INLINE) throw malformed();
  return Buffer.from(sealed, 'base64');
}

interface Made {
  readonly content: NewContent;
  readonly facts: MessageFacts;
  readonly automatic: boolean;
}

/** @throws Refused unless the message is from the mailbox that the offer names */
async function readContent(ctx: Context, offer: Offer, layout: SentLayout, parts: readonly Part[]): Promise<Made> {
  await checkWhole(ctx, parts);
  const { pieces, segments } = layout;
  const size = sizeOf(layout);
  const parsed = await parsedContent(ctx, { pieces, segments, parts });
  const [author, ...others] = parsed.from;
  const written = author === undefined || others.length > 0 ? undefined : mailboxOf(author);
  const named = mailboxIn(offer.from);
  if (written === undefined || named === undefined || addressKey(written) !== addressKey(named))
    throw new Refused('SENDER_MISMATCH', 'The message has another From than its sender.');
  const id = recordId(ctx.clock.now(), ctx.random);
  const content = newContent(ctx, id, { pieces, segments, structure: structureOf(parsed), parts, size });
  return { content, facts: factsOf(parsed, size, newMessageId(ctx)), automatic: isAutomatic(parsed) };
}

/** Opens every frame, since what can't be opened must not count as delivered. */
async function checkWhole(ctx: Context, parts: readonly Part[]): Promise<void> {
  for (const part of parts) {
    let size = 0;
    try {
      for await (const piece of readPart(ctx, part)) size += piece.length;
    } catch (error) {
      if (error instanceof Problem && error.code === 'BLOCK_DAMAGED') throw malformed();
      throw error;
    }
    if (size !== part.size) throw malformed();
  }
}

async function deliverer(
  ctx: Context,
  row: MailArrivalRow,
  offer: Offer,
  { content, facts, automatic }: Made,
  fetched: readonly FetchedBlock[],
): Promise<Pick<Accepted, 'memberIds' | 'deliver'>> {
  const { recipients } = offer;
  const mailboxes = recipients.flatMap((one) => mailboxIn(one) ?? []);
  const members = await localRecipients(ctx, mailboxes);
  const prepared = await prepareAll(ctx, members, facts, { automatic });
  // An offer comes once, but a message can be offered again: a domain that moves away and back takes it along.
  const origin = `${row.node_id}:${offer.message}`;
  const memberIds = recipientIds(prepared.values());
  const deliverAll: Accepted['deliver'] = async (tx, kept) => {
    const fresh = new Set(fetched.flatMap(({ id, referred }) => (referred || kept.has(id) ? [] : [id])));
    const outcomes: Outcome[] = [];
    const holders = new Set<string>();
    let added = false;
    // Checked again in the transaction: a node that was removed, or that lost the domain meanwhile, delivers nothing any more.
    try {
      await checkSender(tx, row.node_id, offer);
    } catch (error) {
      if (error instanceof Refused) return refusalOfAll(recipients, error.failure);
      throw error;
    }
    const named = recipients.map((address) => {
      const mailbox = mailboxIn(address);
      return { address, mailbox, found: mailbox && prepared.get(usernameIn(mailbox.localPart)) };
    });
    for (const { address, mailbox, found } of inOrder(named)) {
      const served = mailbox === undefined ? undefined : await nodeServing(tx, mailbox.domain);
      if (served !== 'here') {
        outcomes.push({
          address,
          delivered: false,
          code: 'NOT_SERVED',
          reason: 'This node does not serve the domain.',
        });
        continue;
      }
      if (found === undefined) {
        outcomes.push({ address, delivered: false, ...noSuchMailbox });
        continue;
      }
      const { memberId } = found.recipient;
      if (holders.has(memberId) || (await hasCopy(tx, memberId, origin))) {
        outcomes.push({ address, delivered: true });
        continue;
      }
      if (!added) await addContent(tx, content, [], fresh);
      added = true;
      const failure = await deliver(tx, content.id, found, { origin });
      if (failure === undefined) holders.add(memberId);
      outcomes.push(failure === undefined ? { address, delivered: true } : { address, delivered: false, ...failure });
    }
    await wrapForMembers(tx, content, [...holders]);
    if (added && holders.size === 0) await dropUnused(tx, content.id);
    else if (added) for (const { id } of fetched) kept.add(id);
    const placeOf = ({ address }: Outcome): number => recipients.indexOf(address);
    return outcomes.toSorted((one, other) => placeOf(one) - placeOf(other));
  };
  return { memberIds, deliver: deliverAll };
}
