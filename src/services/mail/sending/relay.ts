import type { Context } from '../../../service/context.ts';
import type { Relay } from '../../../platform/outbound/relay.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { ownDomain } from '../own-mailbox.ts';

/** Of a step of SMTP. */
const TIMEOUT_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;

export function hasRelay({ config }: Pick<Context, 'config'>): boolean {
  return config.mail.relayHost !== undefined;
}

/** @returns undefined if the operator has chosen none */
export function relayOf(ctx: Pick<Context, 'config'>): Relay | undefined {
  const { relayHost, relayPort, relayTls, relayUser, relayPasswordFile } = ctx.config.mail;
  if (relayHost === undefined) return undefined;
  return {
    host: relayHost,
    port: relayPort,
    tls: relayTls,
    user: relayUser,
    passwordFile: relayPasswordFile,
    name: ownDomain(ctx),
    timeoutMs: TIMEOUT_MS,
  };
}

const count = writtenQuery<{ count: number }>(`
  insert into mail_relayed (id, since, count) values ('all', $1, $2)
  on conflict (id) do update set
    since = case when mail_relayed.since <= $3 then excluded.since else mail_relayed.since end,
    count = case when mail_relayed.since <= $3 then excluded.count else mail_relayed.count + excluded.count end
  returning count`);

/** Counts what goes over the relay, in the transaction that sends it. @returns how many of the recipients may still be mailed to */
export async function takeFromDay(tx: Context, recipients: number): Promise<number> {
  const now = tx.clock.now();
  const [row] = (await tx.db.executeQuery(count(now, recipients, now - DAY_MS))).rows;
  const before = (row?.count ?? 0) - recipients;
  return Math.max(0, Math.min(recipients, tx.config.mail.relayPerDay - before));
}
