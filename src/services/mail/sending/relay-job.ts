import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { connectRelay, RelayUnusable, type RelayConnection } from '../../../platform/outbound/relay.ts';
import { maximumAttempts } from '../../../platform/store/jobs/job-rows.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import type { MailDeliveryRow } from '../../../platform/store/tables/mail.ts';
import { nodeServing } from '../network/routes.ts';
import { reroute } from '../network/rerouting.ts';
import { octetsOf } from '../reading/content.ts';
import { openContent, type OpenContent } from '../storage/contents.ts';
import { changeStatus, type Failure } from './deliveries.ts';
import { relayOf } from './relay.ts';

/** Messages about events have at most some MiB, and are in memory while they are handed over. */
const LARGEST = 10 * 1024 * 1024;

const unusable: Failure = { code: 'RELAY_FAILED', reason: 'The mail relay of this node could not be used.' };
const gone: Failure = { code: 'NO_ROUTE', reason: 'No node of the pool serves the domain of the address.' };

/**
 * Hands a message to the mail relay, for each recipient by itself. One that the relay does not take now is tried again with the others of the job; what
 * is left after the last time has failed.
 *
 * A recipient is done in the transaction after the relay has said so. If the process or the connection ends between the two, the message is handed over
 * once more: SMTP has no way to ask (RFC 1047). Its Message-ID stays the same.
 */
export function relayHandler(ctx: Context): JobHandler {
  return async (payload, { attempt, signal }) => {
    const { itemId } = payload as { readonly itemId: string };
    const rows: MailDeliveryRow[] = [];
    for (const row of await waiting(ctx, itemId)) if (!(await goesElsewhere(ctx, row))) rows.push(row);
    const [first] = rows;
    const relay = relayOf(ctx);
    if (first === undefined) return;
    if (relay === undefined) return await failAll(ctx, rows, gone);
    const content = await openContent(ctx, first.content_id);
    if (content.size > LARGEST) return await failAll(ctx, rows, tooLarge());
    const message = await wholeOf(ctx, content);
    // What is not handed over yet, and why.
    const left = new Map(rows.map((row) => [row, unusable]));
    let why = '';
    try {
      await using connection = await connectRelay(relay, ctx.outgoing, signal);
      for (const row of rows) {
        const reply = await hand(ctx, connection, { row, content, message });
        if (reply === undefined) left.delete(row);
        else left.set(row, { code: 'RELAY_FAILED', reason: `The mail relay did not take the message: ${reply}` });
        why = reply ?? why;
      }
    } catch (error) {
      if (!(error instanceof RelayUnusable) && !(error instanceof Problem)) throw error;
      signal.throwIfAborted();
      why = error.message;
      ctx.log.warn('the mail relay can not be used', { host: relay.host, port: relay.port, reason: why });
    }
    if (left.size > 0 && attempt < maximumAttempts) throw new Error(`the mail relay did not take the message: ${why}`);
    await transaction(ctx, async (tx) => {
      for (const [row, failure] of left) await changeStatus(tx, row, 'FAILED', failure);
    });
  };
}

async function waiting({ db }: Pick<Context, 'db'>, itemId: string): Promise<MailDeliveryRow[]> {
  return await db
    .selectFrom('mail_deliveries')
    .selectAll()
    .where('item_id', '=', itemId)
    .where('status', 'in', ['PENDING', 'IN_TRANSIT'])
    .where('offer_id', 'is', null)
    .where('relay', '=', 1)
    .orderBy('number')
    .execute();
}

/** A domain that a node serves meanwhile gets its mail there. */
async function goesElsewhere(ctx: Context, row: MailDeliveryRow): Promise<boolean> {
  if ((await nodeServing(ctx, row.domain)) === undefined) return false;
  await transaction(ctx, async (tx) => await reroute(tx, row));
  return true;
}

interface Handed {
  readonly row: MailDeliveryRow;
  readonly content: OpenContent;
  readonly message: Uint8Array;
}

/** @returns undefined when the recipient is done with; otherwise what the relay says for now */
async function hand(
  ctx: Context,
  connection: RelayConnection,
  { row, content, message }: Handed,
): Promise<string | undefined> {
  // Whoever sees it on its way can't take it back any more. What was taken back, or has expired, stays here.
  if (!(await begin(ctx, row))) return undefined;
  const from = content.structure.from[0]?.address ?? '';
  const outcome = await connection.send(from, row.address, message);
  if (outcome !== 'taken' && !outcome.forGood) return outcome.reply;
  const failure = outcome === 'taken' ? undefined : refused(outcome.reply);
  await transaction(ctx, async (tx) => {
    await changeStatus(tx, row, failure === undefined ? 'RELAYED' : 'FAILED', failure);
  });
  return undefined;
}

async function begin(ctx: Context, row: MailDeliveryRow): Promise<boolean> {
  return await transaction(ctx, async (tx) => {
    const there = await tx.db
      .selectFrom('mail_deliveries')
      .select('status')
      .where('id', '=', row.id)
      .where('status', 'in', ['PENDING', 'IN_TRANSIT'])
      .where('offer_id', 'is', null)
      .executeTakeFirst();
    if (there?.status === 'PENDING') return await changeStatus(tx, row, 'IN_TRANSIT');
    return there !== undefined;
  });
}

async function failAll(ctx: Context, rows: readonly MailDeliveryRow[], failure: Failure): Promise<void> {
  await transaction(ctx, async (tx) => {
    for (const row of rows) await changeStatus(tx, row, 'FAILED', failure);
  });
}

function refused(reply: string): Failure {
  return { code: 'REFUSED', reason: `The mail relay refused the message: ${reply}` };
}

function tooLarge(): Failure {
  return { code: 'MESSAGE_TOO_LARGE', reason: 'The message is too large for the mail relay.' };
}

async function wholeOf(ctx: Context, content: OpenContent): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of octetsOf(ctx, content)) pieces.push(piece);
  return Buffer.concat(pieces);
}
