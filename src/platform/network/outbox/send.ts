import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { sha256 } from '../../../crypto/hash.ts';
import { Problem } from '../../../base/problem.ts';
import { notify } from '../../store/signals.ts';
import { writtenQuery } from '../../store/written-query.ts';
import type { OutboxLimits } from './limits.ts';
import type { Occupancy } from './occupancy.ts';
import type { MessageTransaction, OutgoingMessage, SendingTransaction } from '../../../service/ports/outbox.ts';

/** The signal that a message was added to a queue; it names the node and the channel. */
export const OUTBOX_SIGNAL = 'outbox';

export const CHANNEL = /^[a-z0-9-]{1,40}$/;
export const MESSAGE_ID = /^[A-Za-z0-9._:-]{1,100}$/;
const NODE_ID = /^[0-9a-f]{40}$/;

interface SendOptions {
  readonly limits: OutboxLimits;
  readonly occupancy: Occupancy;
  /** tells this process that a queue has a new message */
  readonly ring: (nodeId: string, channel: string) => void;
}

const add = writtenQuery(`
  insert into outbox_messages (place, node_id, channel, id, body, body_hash, size, created_at, expires_at, sent_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, null) on conflict (node_id, channel, id) do nothing returning place`);

/** Adds a message to the outbox; see the port. */
export async function addMessage(
  tx: SendingTransaction,
  nodeId: string,
  channel: string,
  { id, body, expiresAt }: OutgoingMessage,
  { limits, occupancy, ring }: SendOptions,
): Promise<void> {
  assertNames(nodeId, channel, id);
  if (!tx.config.network.enabled)
    throw new Problem(
      'unavailable',
      'NETWORK_OFF',
      'The network of this node is off. Turn it on with network.enabled.',
    );
  const text = JSON.stringify(body) as string | undefined;
  if (text === undefined) throw new Error('the body of a message is JSON');
  const bytes = utf8(text);
  if (bytes.length > limits.bodyBytes)
    throw new Problem('tooLarge', 'MESSAGE_TOO_LARGE', 'The message is larger than 256 KiB.');
  const now = tx.clock.now();
  if (expiresAt <= now) throw new Problem('invalid', 'MESSAGE_EXPIRED', 'The message has expired.');
  if (expiresAt > now + limits.lifeMs)
    throw new Problem('invalid', 'MESSAGE_EXPIRY_TOO_LATE', 'A message expires after 30 days at the latest.');
  const bodyHash = toHex(sha256(bytes));
  const place = await occupancy.take(tx, nodeId, bytes.length);
  // No look before the insertion: such looks would make all senders collide on PostgreSQL.
  const added = await tx.db.executeQuery(add(place, nodeId, channel, id, text, bodyHash, bytes.length, now, expiresAt));
  if (added.rows.length === 0) {
    occupancy.leave(nodeId, [bytes.length]);
    await refuseOther(tx, { nodeId, channel, id, bodyHash });
    return;
  }
  tx.afterCommit(() => ring(nodeId, channel));
  // Another process of this node may be the one that runs the network.
  await notify(tx.db, OUTBOX_SIGNAL, `${nodeId} ${channel}`);
}

/** Takes a message back that has not left this node; see the port. */
export async function withdrawMessage(
  tx: MessageTransaction,
  { nodeId, channel, id }: Record<'nodeId' | 'channel' | 'id', string>,
  occupancy: Occupancy,
): Promise<boolean> {
  const taken = await tx.db
    .deleteFrom('outbox_messages')
    .where('node_id', '=', nodeId)
    .where('channel', '=', channel)
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    .returning('size')
    .executeTakeFirst();
  if (taken === undefined) return false;
  tx.afterCommit(() => occupancy.leave(nodeId, [taken.size]));
  return true;
}

function assertNames(nodeId: string, channel: string, id: string): void {
  if (!NODE_ID.test(nodeId)) throw new Error('a message is for a node, named by its id');
  if (!CHANNEL.test(channel)) throw new Error('the name of a channel is lower-case letters, digits and dashes');
  if (!MESSAGE_ID.test(id)) throw new Error('the id of a message is 1 to 100 letters, digits, or . _ : -');
}

/** @throws Problem conflict MESSAGE_ID_REUSED unless the message that waits under this id is the same */
async function refuseOther(
  { db }: SendingTransaction,
  { nodeId, channel, id, bodyHash }: Record<'nodeId' | 'channel' | 'id' | 'bodyHash', string>,
): Promise<void> {
  const waiting = await db
    .selectFrom('outbox_messages')
    .select('body_hash')
    .where('node_id', '=', nodeId)
    .where('channel', '=', channel)
    .where('id', '=', id)
    .executeTakeFirst();
  if (waiting?.body_hash !== bodyHash)
    throw new Problem('conflict', 'MESSAGE_ID_REUSED', 'Another message with this id waits to be sent.');
}
