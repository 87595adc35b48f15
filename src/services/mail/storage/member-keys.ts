import type { Context } from '../../../service/context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { eciesEncrypt } from '../../../crypto/ecies.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import { publicKeysOf } from '../../../shared/members/public-keys.ts';
import type { MailMemberKeyRow } from '../../../platform/store/tables/mail.ts';
import { insertRows, writtenList } from '../../../platform/store/written-query.ts';

/**
 * Each member has a mail key. It is encrypted to the public key of the member with ECIES, and sealed for the node, and it opens the keys of
 * the member's messages. So whoever has the recovery phrase can open the messages without the node, and a message costs no curve. Every 30
 * days a new one takes over.
 */
const KEY_BYTES = 32;
const RENEWAL_MS = 30 * 24 * 60 * 60 * 1000;

const memberContext = (memberId: string, number: number) => utf8(`conclave/mail/member-key/v1\0${memberId}\0${number}`);
const contentContext = (contentId: string, memberId: string) =>
  utf8(`conclave/mail/content-for-member/v1\0${contentId}\0${memberId}`);

/** Keeps the key of a content for members who have it, in the transaction that gives it to them. Members who have it already keep it. */
export async function wrapForMembers(
  tx: Context,
  { id, key }: { readonly id: string; readonly key: Uint8Array },
  memberIds: readonly string[],
): Promise<void> {
  const ids = [...new Set(memberIds)].toSorted();
  if (ids.length === 0) return;
  const mailKeys = await keysOf(tx, ids);
  const rows = ids.flatMap((memberId) => {
    const found = mailKeys.get(memberId);
    if (found === undefined) return [];
    const wrapped = sealWithKey(found.key, key, contentContext(id, memberId), tx.random);
    return [{ content_id: id, member_id: memberId, key_number: found.number, wrapped }];
  });
  if (rows.length === 0) return;
  await insertRows(tx.db, 'mail_content_keys', rows, 'on conflict (content_id, member_id) do nothing');
}

interface MailKey {
  readonly number: number;
  readonly key: Uint8Array;
}

const keysOfMembers = writtenList<MailMemberKeyRow>(
  0,
  (ids) => `select * from mail_member_keys where member_id in ${ids} order by member_id, number desc`,
);

async function keysOf(tx: Context, ids: readonly string[]): Promise<Map<string, MailKey>> {
  const { rows } = await tx.db.executeQuery(keysOfMembers(ids));
  const found = new Map<string, MailKey>();
  const young = tx.clock.now() - RENEWAL_MS;
  const newest = new Map<string, MailMemberKeyRow>();
  for (const row of rows) if (!newest.has(row.member_id)) newest.set(row.member_id, row);
  for (const [memberId, row] of newest) {
    if (row.created_at <= young) continue;
    const key = openWithKey(tx.keys.wrap, row.for_node, memberContext(memberId, row.number));
    found.set(memberId, { number: row.number, key });
  }
  const without = ids.filter((one) => !found.has(one));
  for (const { memberId, publicKey } of await publicKeysOf(tx, without)) {
    const number = (newest.get(memberId)?.number ?? 0) + 1;
    const key = tx.random(KEY_BYTES);
    const context = memberContext(memberId, number);
    await tx.db
      .insertInto('mail_member_keys')
      .values({
        member_id: memberId,
        number,
        for_member: eciesEncrypt(publicKey, key, context, 'basic', tx.random),
        for_node: sealWithKey(tx.keys.wrap, key, context, tx.random),
        created_at: tx.clock.now(),
      })
      .execute();
    found.set(memberId, { number, key });
  }
  return found;
}
