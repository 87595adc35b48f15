import * as v from 'valibot';
import type { Context } from '../../../service/context.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { sign, verify } from '../../../crypto/signature.ts';
import type { ReceivedMessage } from '../../../service/ports/outbox.ts';
import { Problem } from '../../../base/problem.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { MailDeliveryRow, MailOfferRow } from '../../../platform/store/tables/mail.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import { addressKey, mailboxIn } from '../message/address.ts';
import { changeStatus } from '../sending/deliveries.ts';
import { dropUnused } from '../storage/contents.ts';
import { endOffer } from './offers.ts';
import { reroute } from './rerouting.ts';
import { listedNode } from './routes.ts';
import { RECEIPTS, receiptsSchema, receiptsStatement, type Outcome, type Receipts } from './wire.ts';

/** As long as the outbox takes a message for. */
const LIFE_MS = 29 * 24 * 60 * 60 * 1000;

type Receipt = Receipts['receipts'][number];

/** Tells a node what became of its offers, in the transaction in which that happened. */
export async function sendReceipts(
  tx: Context,
  nodeId: string,
  receipts: readonly { readonly offerId: string; readonly outcomes: readonly Outcome[] }[],
): Promise<void> {
  const at = tx.clock.now();
  const told = receipts.map(({ offerId, outcomes }): Receipt => ({ offerId, outcomes: [...outcomes] }));
  const statement = receiptsStatement({ receipts: told, at }, { receiver: tx.keys.nodeId, sender: nodeId });
  const signature = Buffer.from(sign(tx.keys.identity.privateKey, statement)).toString('base64');
  const body: Receipts = { v: 1, receipts: told, at, signature };
  await tx.gossip.send(tx, nodeId, RECEIPTS, { id: recordId(at, tx.random), body, expiresAt: at + LIFE_MS });
}

/**
 * Takes note of what another node says of offers of this node. What it doesn't sign, or says of a domain that the access list names another
 * node for, does not count.
 * @throws Problem invalid RECEIPT_INVALID, which refuses it for ever
 */
export async function noteReceipts(tx: Context, { nodeId, body }: ReceivedMessage): Promise<void> {
  const read = v.safeParse(receiptsSchema, body);
  if (!read.success) throw invalid();
  const { receipts, at, signature } = read.output;
  const publicKey = await keyOf(tx, nodeId);
  const statement = receiptsStatement({ receipts, at }, { receiver: nodeId, sender: tx.keys.nodeId });
  if (publicKey === undefined || !verify(publicKey, statement, Buffer.from(signature, 'base64'))) throw invalid();
  // In the order of the senders, whose topics they write: see `lockMembers`.
  for (const receipt of await bySender(tx, receipts)) await noteReceipt(tx, nodeId, receipt);
}

const sendersOf = writtenList<{ offer_id: string; sender_id: string }>(
  0,
  (ids) => `select offer_id, sender_id from mail_deliveries where offer_id in ${ids}`,
);

async function bySender(tx: Context, receipts: readonly Receipt[]): Promise<Receipt[]> {
  if (receipts.length < 2) return [...receipts];
  const { rows } = await tx.db.executeQuery(sendersOf(receipts.map(({ offerId }) => offerId)));
  const senders = new Map(rows.map((row) => [row.offer_id, row.sender_id]));
  const idOf = ({ offerId }: Receipt): string => senders.get(offerId) ?? '';
  return receipts.toSorted((one, other) => idOf(one).localeCompare(idOf(other)));
}

async function keyOf(tx: Context, nodeId: string): Promise<Uint8Array | undefined> {
  const directory = tx.gossip.directory();
  const head = await directory?.head(tx.db);
  const key = head === undefined ? undefined : await directory?.keyAt(tx.db, nodeId, head.version);
  return key === undefined ? undefined : fromHex(key);
}

const offerOf = writtenQuery<MailOfferRow>('select * from mail_offers where id = $1 and node_id = $2');
const deliveriesOf = writtenQuery<MailDeliveryRow>('select * from mail_deliveries where offer_id = $1 order by id');

async function noteReceipt(tx: Context, nodeId: string, { offerId, outcomes }: Receipt): Promise<void> {
  const [offer] = (await tx.db.executeQuery(offerOf(offerId, nodeId))).rows;
  if (offer === undefined) return;
  const { rows } = await tx.db.executeQuery(deliveriesOf(offerId));
  for (const row of rows) {
    const outcome = outcomes.find(({ address }) => sameAddress(address, row.address));
    const serving = await listedNode(tx, row.domain);
    if (outcome === undefined) continue;
    if (serving?.nodeId !== nodeId) await reroute(tx, row);
    else if (outcome.delivered) await changeStatus(tx, row, 'DELIVERED');
    else await changeStatus(tx, row, 'FAILED', failureOf(outcome));
  }
  await endOffer(tx, offerId);
  await dropUnused(tx, offer.content_id);
}

function sameAddress(one: string, other: string): boolean {
  const [first, second] = [mailboxIn(one), mailboxIn(other)];
  return first !== undefined && second !== undefined && addressKey(first) === addressKey(second);
}

/** Only what this program knows is shown as it was told; a node can say anything. */
const reasons: Readonly<Record<string, string>> = {
  NO_SUCH_MAILBOX: 'The node has no mailbox of this name.',
  BLOCKED: 'The recipient does not take messages from this sender.',
  MAILBOX_FULL: 'The mailbox of the recipient is full.',
  MESSAGE_TOO_LARGE: 'The node does not take messages of this size.',
  SENDER_MISMATCH: 'The node does not take messages of this sender from this node.',
  NOT_SERVED: 'The node does not serve the domain of the address.',
  EXPIRED: 'The message arrived too late.',
};

function failureOf({ code = 'REFUSED' }: Outcome) {
  return { code, reason: reasons[code] ?? 'The node of the recipient refused the message.' };
}

function invalid(): Problem {
  return new Problem('invalid', 'RECEIPT_INVALID', 'The receipts are not signed as the access list names the node.');
}
