import type { Context } from '../../../service/context.ts';
import type { SettledMessage } from '../../../service/ports/outbox.ts';
import { sweep } from '../../../service/sweep.ts';
import type { MailDeliveryRow } from '../../../platform/store/tables/mail.ts';
import { changeStatus, planSending } from '../sending/deliveries.ts';
import { dropUnused } from '../storage/contents.ts';
import { endOffer } from './offers.ts';
import { OFFERS } from './wire.ts';
import { nodeServing } from './routes.ts';

/**
 * Takes a delivery off its route, because the domain has another node now, or the node is none of the pool any more. A job sends it to the
 * node that the list names then, or ends it.
 */
export async function reroute(tx: Context, row: MailDeliveryRow): Promise<void> {
  if (row.status !== 'PENDING' && row.status !== 'IN_TRANSIT') return;
  await tx.db
    .updateTable('mail_deliveries')
    .set({ status: 'PENDING', node_id: null, offer_id: null, updated_at: tx.clock.now() })
    .where('id', '=', row.id)
    .execute();
  await planSending(tx, row.item_id, tx.clock.now());
}

/** What became of an offer itself, before anybody said what became of the message. */
export async function noteOutcome(tx: Context, { id, result }: SettledMessage): Promise<void> {
  // The node has it, and says later what became of it.
  if (result.outcome === 'acknowledged') return;
  const offer = await tx.db.selectFrom('mail_offers').selectAll().where('id', '=', id).executeTakeFirst();
  const rows = await tx.db.selectFrom('mail_deliveries').selectAll().where('offer_id', '=', id).orderBy('id').execute();
  for (const row of rows) {
    if (result.outcome === 'expired')
      await changeStatus(tx, row, 'FAILED', {
        code: 'EXPIRED',
        reason: 'The node of the recipient did not acknowledge the message in time.',
      });
    else if (result.code === 'NOT_IN_POOL') await reroute(tx, row);
    else
      await changeStatus(tx, row, 'FAILED', {
        code: 'REFUSED',
        reason: 'The node of the recipient refused the message.',
      });
  }
  await endOffer(tx, id);
  if (offer !== undefined) await dropUnused(tx, offer.content_id);
}

/** Deliveries that one transaction looks at. */
const BATCH = 100;

/** Sends deliveries on whose domain has another node than the one that they are on their way to. */
export async function rerouteMoved(ctx: Context): Promise<void> {
  let after = '';
  await sweep(ctx, {
    what: 'sending a message on to another node',
    most: BATCH,
    async step(tx, { most, without, found }) {
      const rows = await tx.db
        .selectFrom('mail_deliveries')
        .selectAll()
        .where('status', 'in', ['PENDING', 'IN_TRANSIT'])
        .where('offer_id', 'is not', null)
        .where('id', '>', after)
        .where('id', 'not in', without)
        .orderBy('id')
        .limit(most)
        .execute();
      found(rows.map(({ id }) => id));
      for (const row of rows) {
        const served = await nodeServing(tx, row.domain);
        if (served !== undefined && served !== 'here' && served.nodeId === row.node_id) continue;
        await leaveRoute(tx, row);
      }
      tx.afterCommit(() => void (after = rows.at(-1)?.id ?? after));
    },
  });
}

async function leaveRoute(tx: Context, row: MailDeliveryRow): Promise<void> {
  const { offer_id: offerId, node_id: nodeId } = row;
  await reroute(tx, row);
  if (offerId === null || nodeId === null) return;
  const others = await tx.db
    .selectFrom('mail_deliveries')
    .select('id')
    .where('offer_id', '=', offerId)
    .limit(1)
    .executeTakeFirst();
  if (others !== undefined) return;
  // If it has left, what the node says of it does not count any more, because no delivery names the offer.
  await tx.gossip.withdraw(tx, nodeId, OFFERS, offerId);
  await endOffer(tx, offerId);
}
