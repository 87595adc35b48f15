import type { Context } from '../../../service/context.ts';
import type { MailDeliveryRow } from '../../../platform/store/tables/mail.ts';
import type { MessageFacts } from '../boxes/items.ts';
import { mailboxIn, type Mailbox } from '../message/address.ts';
import { offerTo } from '../network/offers.ts';
import { nodeServing, type Served } from '../network/routes.ts';
import { usernameIn } from '../../../shared/members/names.ts';
import { ownDomain } from '../own-mailbox.ts';
import type { NewContent } from '../storage/contents.ts';
import { wrapForMembers } from '../storage/member-keys.ts';
import { planExpiry, planRelay, type Failure } from './deliveries.ts';
import { hasRelay, takeFromDay } from './relay.ts';
import {
  deliver,
  hasCopy,
  inOrder,
  localRecipients,
  noSuchMailbox,
  prepareAll,
  type PreparedDelivery,
} from './local.ts';

/** What is ready for deliveries on this node, by the username that they name. */
export type PreparedDeliveries = ReadonlyMap<string, PreparedDelivery>;

/** What is sent. */
interface Dispatched {
  readonly content: NewContent;
  /** address of the sender */
  readonly from: string;
  readonly prepared: PreparedDeliveries;
  /** members who have the content besides its recipients */
  readonly owners?: readonly string[];
}

const noRoute: Failure = {
  code: 'NO_ROUTE',
  reason: 'No node of the pool serves the domain of the address.',
};

/** Does what takes long before the transaction: looks for the members of this node, and makes their copies. */
export async function prepareDeliveries(
  ctx: Context,
  mailboxes: readonly Mailbox[],
  facts: MessageFacts,
  more: { readonly automatic: boolean },
): Promise<PreparedDeliveries> {
  const own = mailboxes.filter(({ domain }) => domain === ownDomain(ctx));
  return await prepareAll(ctx, await localRecipients(ctx, own), facts, more);
}

/**
 * Sends deliveries that are PENDING, in a transaction: members of this node have the message with its commit, other nodes are offered it.
 * What no node serves fails at once.
 * @returns the deliveries as they are now; the caller writes them
 */
export async function dispatch(
  tx: Context,
  { content, from, prepared, owners = [] }: Dispatched,
  rows: readonly MailDeliveryRow[],
): Promise<MailDeliveryRow[]> {
  const done: MailDeliveryRow[] = [];
  const holders = new Set(owners);
  const here: Local[] = [];
  const relayed: MailDeliveryRow[] = [];
  const away = new Map<string, { receiver: Exclude<Served, 'here' | undefined>; rows: MailDeliveryRow[] }>();
  for (const row of rows) {
    const place = await nodeServing(tx, row.domain);
    if (place === 'here') here.push({ row, found: preparedFor(row, prepared) });
    else if (place === undefined && row.relay === 1 && hasRelay(tx)) relayed.push(row);
    else if (place === undefined) done.push(ended(row, noRoute));
    else {
      // Those in Bcc get a message of their own, so that no other recipient's node learns of them from it.
      const key = row.kind === 'bcc' ? `${place.nodeId} ${row.id}` : place.nodeId;
      const group = away.get(key) ?? { receiver: place, rows: [] };
      group.rows.push(row);
      away.set(key, group);
    }
  }
  for (const one of inOrder(here)) done.push(await deliverHere(tx, content, one, holders));
  for (const { receiver, rows: those } of away.values())
    done.push(...(await offerTo(tx, receiver, content, from, those)));
  await wrapForMembers(tx, content, [...holders]);
  done.push(...(await toRelay(tx, relayed)));
  const [first] = rows;
  if (away.size + relayed.length > 0 && first !== undefined) await planExpiry(tx, first.item_id, first.expires_at);
  return done.toSorted((one, other) => one.number - other.number);
}

const overLimit: Failure = {
  code: 'RELAY_LIMIT',
  reason: 'This node has mailed to as many addresses elsewhere as it may in a day.',
};

/** A job hands them over. Whoever sent them is told if they fail, also of what a program sends: nobody else would say so. */
async function toRelay(tx: Context, rows: readonly MailDeliveryRow[]): Promise<MailDeliveryRow[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const taken = await takeFromDay(tx, rows.length);
  if (taken > 0) await planRelay(tx, first.item_id);
  return rows.map((row, index) => ({ ...(index < taken ? row : ended(row, overLimit)), notice: 1 }));
}

/** A delivery on this node. */
interface Local {
  readonly row: MailDeliveryRow;
  readonly found: PreparedDelivery | undefined;
}

function preparedFor({ address }: MailDeliveryRow, prepared: PreparedDeliveries): PreparedDelivery | undefined {
  const mailbox = mailboxIn(address);
  return mailbox === undefined ? undefined : prepared.get(usernameIn(mailbox.localPart));
}

async function deliverHere(
  tx: Context,
  content: Pick<NewContent, 'id' | 'key'>,
  { row, found }: Local,
  holders: Set<string>,
): Promise<MailDeliveryRow> {
  if (found === undefined) return ended(row, noSuchMailbox);
  // One member may be named twice, by an address with a plus sign. One copy is enough.
  const origin = `local:${row.item_id}`;
  if (!(await hasCopy(tx, found.recipient.memberId, origin))) {
    const failure = await deliver(tx, content.id, found, { senderId: row.sender_id, origin });
    if (failure !== undefined) return ended(row, failure);
    holders.add(found.recipient.memberId);
  }
  return { ...row, status: 'DELIVERED' };
}

function ended(row: MailDeliveryRow, { code, reason }: Failure): MailDeliveryRow {
  return { ...row, status: 'FAILED', code, reason };
}
