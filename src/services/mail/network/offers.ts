import type { Context } from '../../../service/context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { sealWithKey } from '../../../crypto/sealing.ts';
import type { Peer, Responder } from '../../../service/ports/network.ts';
import { Problem } from '../../../base/problem.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { MailDeliveryRow, MailOfferRow } from '../../../platform/store/tables/mail.ts';
import { insertRows, writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { blocksOf, partRows } from '../storage/parts.ts';
import type { NewContent } from '../storage/contents.ts';
import { changeStatus } from '../sending/deliveries.ts';
import { offerKey, type Receiver } from './offer-keys.ts';
import { OFFERS, offerContext, type Offer, type SentLayout } from './wire.ts';

/** Bytes of blocks that go with an offer itself; the whole is at most 256 KiB of JSON. */
const WITH_OFFER = 150 * 1024;

/**
 * Offers a message to another node for deliveries that are PENDING, in their transaction: it waits in the outbox, and the node takes the
 * blocks that are too large for the offer by itself.
 */
export async function offerTo(
  tx: Context,
  receiver: Receiver,
  content: NewContent,
  from: string,
  rows: readonly MailDeliveryRow[],
): Promise<MailDeliveryRow[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const id = recordId(tx.clock.now(), tx.random);
  const { nodeId } = receiver;
  const body = offerOf(tx, { id, receiver, content, from, recipients: rows.map(({ address }) => address) });
  const offer: MailOfferRow = { id, node_id: nodeId, content_id: content.id, created_at: tx.clock.now() };
  await insertRows(tx.db, 'mail_offers', [offer]);
  await tx.gossip.send(tx, nodeId, OFFERS, { id, body, expiresAt: first.expires_at });
  return rows.map((row) => ({ ...row, node_id: nodeId, offer_id: id }));
}

interface OfferParts {
  readonly id: string;
  readonly receiver: Receiver;
  readonly content: NewContent;
  readonly from: string;
  readonly recipients: readonly string[];
}

function offerOf(ctx: Context, { id, receiver, content, from, recipients }: OfferParts): Offer {
  // A key of its own, since the key of the content opens what is kept here besides.
  const { key, encryptedSecret } = offerKey(ctx, id, receiver);
  const context = offerContext(id, ctx.keys.nodeId, receiver.nodeId);
  const { keys, octets, pieces, segments } = content.layout;
  const layout: SentLayout = { v: 1, keys: [...keys], octets, pieces: [...pieces], segments: [...segments] };
  let room = WITH_OFFER;
  const blocks = content.parts.flatMap(({ blocks: those }, part) =>
    those.map(({ hash, sealed, size }, piece) => {
      const fits = sealed !== undefined && (room -= sealed.length) >= 0;
      return {
        part,
        piece,
        hash,
        size,
        inDatabase: sealed !== undefined,
        ...(fits && { sealed: Buffer.from(sealed).toString('base64') }),
      };
    }),
  );
  return {
    v: 1,
    message: content.id,
    recipients: [...recipients],
    from,
    secret: Buffer.from(encryptedSecret).toString('base64'),
    layout: Buffer.from(sealWithKey(key, utf8(JSON.stringify(layout)), context, ctx.random)).toString('base64'),
    blocks,
  };
}

/**
 * Takes offers back that have not left this node, in the transaction that cancels their deliveries.
 * @returns whether none has left
 */
export async function withdrawOffers(tx: Context, rows: readonly MailDeliveryRow[]): Promise<boolean> {
  const offers = new Map(
    rows.flatMap(({ offer_id: id, node_id: nodeId }) => (id === null || nodeId === null ? [] : [[id, nodeId]])),
  );
  for (const [id, nodeId] of offers) {
    if (!(await tx.gossip.withdraw(tx, nodeId, OFFERS, id))) return false;
    await endOffer(tx, id);
  }
  return true;
}

const forget = writtenQuery('delete from mail_offers where id = $1');

/** Forgets an offer whose outcome is known. */
export async function endOffer(tx: Context, offerId: string): Promise<void> {
  await tx.db.executeQuery(forget(offerId));
}

const pendingOf = writtenList<MailDeliveryRow>(
  0,
  (ids) => `select * from mail_deliveries where offer_id in ${ids} and status = 'PENDING' order by id`,
);

/** Notes that offers leave this node. */
export async function noteLeaving(tx: Context, ids: readonly string[]): Promise<void> {
  const { rows } = await tx.db.executeQuery(pendingOf(ids));
  for (const row of rows) await changeStatus(tx, row, 'IN_TRANSIT');
}

/** Whether a node may have a block: it was offered a message with it, and has not said what became of it. */
export async function mayFetch(
  { db }: Pick<Context, 'db'>,
  blockId: string,
  { nodeId }: Pick<Peer, 'nodeId'>,
): Promise<boolean> {
  const found = await db
    .selectFrom('mail_parts as p')
    .innerJoin('mail_offers as o', 'o.content_id', 'p.content_id')
    .select('o.id')
    .where('p.block_id', '=', blockId)
    .where('o.node_id', '=', nodeId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Answers nodes that ask for small blocks of what they were offered. */
export function partResponder(ctx: Context): Responder {
  return {
    strangers: false,
    async answer(question, { nodeId }) {
      const { offerId, part, piece } = (question ?? {}) as Record<string, unknown>;
      if (typeof offerId !== 'string' || typeof part !== 'number' || typeof piece !== 'number') throw notFound();
      const offer = await ctx.db
        .selectFrom('mail_offers')
        .select('content_id')
        .where('id', '=', offerId)
        .where('node_id', '=', nodeId)
        .executeTakeFirst();
      if (offer === undefined) throw notFound();
      const sealed = blocksOf(await partRows(ctx, offer.content_id, part))[piece]?.sealed;
      if (sealed === undefined) throw notFound();
      return { sealed: Buffer.from(sealed).toString('base64') };
    },
  };
}

function notFound(): Problem {
  return new Problem('missing', 'BLOCK_NOT_FOUND', 'There is no block with this id');
}
