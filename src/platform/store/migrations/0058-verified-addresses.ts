import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { ColumnTypes } from './column-types.ts';

/** The address that was confirmed takes the place of a flag, which could outlive it; and links that only an unverified address made are noted. */
export async function up(db: Db, types: ColumnTypes): Promise<void> {
  const { text } = types;
  const { schema } = db;
  await schema.alterTable('members').addColumn('verified_email_key', text).execute();
  await sql`update members set verified_email_key = email_key where email_verified = 1`.execute(db);
  await schema.alterTable('members').dropColumn('email_verified').execute();
  await schema
    .createTable('quorum_unverified_links')
    .addColumn('member_id', text, (column) => column.primaryKey().notNull().references('quorum_members.id'))
    .addColumn('account_id', text, (column) => column.notNull().references('members.id'))
    .modifyEnd(types.keyedTable)
    .execute();
  await noteLinks(db);
}

interface Link {
  readonly id: string;
  readonly public_key: string;
  readonly account_id: string;
  readonly email: string | null;
  readonly email_key: string;
}

/**
 * An account was linked by its key, by a signature, or because it had the e-mail address that was given. Only signatures were recorded as
 * such, and a member who was proposed by an address alone got the key of the account that had it.
 */
async function noteLinks(db: Db): Promise<void> {
  const { rows: links } = await sql<Link>`
    select q.id, q.public_key, q.account_id, q.email, m.email_key from quorum_members q join members m on m.id = q.account_id
    where q.active = 1 and q.email is not null`.execute(db);
  if (links.length === 0) return;
  const signed = new Set(
    await texts(db, sql`select subject || details as text from quorum_audit where action = 'MEMBER_LINKED'`),
  );
  const payloads = await texts(
    db,
    sql`select action_payload as text from quorum_proposals where action_type = 'ADD_MEMBER' and status = 'executed'`,
  );
  const proposed = new Set(payloads.map((payload) => keyAndAddress(readPayload(payload))));
  for (const { id, public_key: publicKey, account_id: accountId, email, email_key: emailKey } of links) {
    const given = keyOf(email ?? '');
    const isSigned = signed.has(`member/${id}${JSON.stringify({ accountId, memberId: id })}`);
    const isByAddress =
      id === accountId ? proposed.has(keyAndAddress({ publicKey, email: given })) && given === emailKey : !isSigned;
    if (isByAddress)
      await sql`insert into quorum_unverified_links (member_id, account_id) values (${id}, ${accountId})`.execute(db);
  }
}

interface Payload {
  readonly publicKey: string;
  readonly email: string;
}

/** What can't be read says nothing of a link. A row that was damaged must not keep the store from being brought up to date. */
function readPayload(text: string): Partial<Payload> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Payload>;
  } catch {
    return {};
  }
}

function keyAndAddress({ publicKey = '', email = '' }: Partial<Payload>): string {
  return `${publicKey} ${keyOf(email)}`;
}

/** As the column `email_key` has it. */
function keyOf(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

async function texts(db: Db, query: ReturnType<typeof sql<{ text: string }>>): Promise<string[]> {
  const { rows } = await query.execute(db);
  return rows.map(({ text }) => text);
}
