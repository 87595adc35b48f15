import { transaction, type Context } from '../../../service/context.ts';
import { eciesEncrypt, eciesEncrypter } from '../../../crypto/ecies.ts';
import { containerKeyContext } from '../../../crypto/formats/file-content/file-content.ts';
import { sealWithKey } from '../../../crypto/sealing.ts';
import { publicKeysOf } from '../../../shared/members/public-keys.ts';
import { apart } from '../../../service/sweep.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import type {
  FileContainerKeyRow,
  FileContainerRow,
  FileContentRow,
} from '../../../platform/store/tables/filevault.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import { readersOfAll } from '../access/readers.ts';
import { opened, wrapContentKey } from './keys.ts';

/**
 * The key of a container is random. It is sealed for the node, because the node decrypts downloads. It is encrypted as well to the public
 * keys of the owner and of everybody who may download all that is in the container, so that their recovery phrases open it without the
 * node. Whoever may download a part of it alone doesn't get it, because it opens everything. When somebody loses that access, their
 * messages are deleted in the same transaction, and what is finished from then on is under a new key, also when it had begun before.
 */
const KEY_BYTES = 32;

type Container = Pick<FileContainerRow, 'id' | 'owner_id' | 'root_id'>;

interface NumberedKey {
  readonly number: number;
  readonly key: Uint8Array;
}

const findNewestKey = writtenQuery<Pick<FileContainerKeyRow, 'number' | 'for_node'>>(
  'select number, for_node from file_container_keys where container_id = $1 order by number desc limit 1',
);
const findHolders = writtenQuery<{ member_id: string }>(
  'select distinct member_id from file_member_keys where container_id = $1 and member_id <> $2',
);
const setWrap = writtenQuery('update file_contents set key_number = $1, wrapped_key = $2 where id = $3');

/** The key for what begins now, or is finished. It is made when it is first needed. It must run in a transaction. */
export async function containerKey(tx: Context, container: Container): Promise<NumberedKey> {
  // An entry of a list can end by itself, with the file or folder that it was for.
  await dropLapsedHolders(tx, container);
  const newest = await newestKey(tx, container.id);
  return newest === undefined ? await makeKey(tx, container, 1) : keyOf(tx, container.id, newest);
}

/**
 * Puts the key of a content that is being finished under the newest key of its container: somebody who had the older one may have lost the
 * access since. It must run in a transaction.
 */
export async function rewrapUnderNewest(
  tx: Context,
  container: Container,
  content: FileContentRow,
  keys: { readonly content: Uint8Array; readonly erasure: Uint8Array },
): Promise<void> {
  const newest = await containerKey(tx, container);
  if (newest.number === content.key_number) return;
  const named = { ...content, key_number: newest.number };
  const wrapped = wrapContentKey(tx, named, { ...keys, container: newest.key });
  await tx.db.executeQuery(setWrap(newest.number, wrapped, content.id));
}

/**
 * Brings the holders of the key in line with the lists of the container: it takes the key from those who may not download everything any
 * more, and plans a job that gives it to those who may now. It must run in the transaction that changes a list.
 */
export async function changeHolders(tx: Context, container: Container): Promise<void> {
  await dropLapsedHolders(tx, container);
  if ((await newestKey(tx, container.id)) !== undefined) await planGiving(tx, container.id);
}

async function dropLapsedHolders(tx: Context, container: Container): Promise<void> {
  const { rows } = await tx.db.executeQuery(findHolders(container.id, container.owner_id));
  if (rows.length === 0) return;
  const readers = await readersOfAll(tx, container);
  const lapsed = rows.map(({ member_id }) => member_id).filter((id) => !readers.has(id));
  if (lapsed.length === 0) return;
  await tx.db
    .deleteFrom('file_member_keys')
    .where('container_id', '=', container.id)
    .where('member_id', 'in', lapsed)
    .execute();
  const newest = await newestKey(tx, container.id);
  // They may have kept copies.
  if (newest !== undefined) await makeKey(tx, container, newest.number + 1);
}

async function newestKey({ db }: Pick<Context, 'db'>, id: string) {
  const { rows } = await db.executeQuery(findNewestKey(id));
  return rows[0];
}

type StoredKey = Pick<FileContainerKeyRow, 'number' | 'for_node'>;

function keyOf({ keys }: Pick<Context, 'keys'>, id: string, { number, for_node }: StoredKey): NumberedKey {
  return { number, key: opened(keys.wrap, for_node, containerKeyContext(id, number)) };
}

async function makeKey(tx: Context, { id, owner_id }: Container, number: number): Promise<NumberedKey> {
  const key = tx.random(KEY_BYTES);
  const context = containerKeyContext(id, number);
  const for_node = sealWithKey(tx.keys.wrap, key, context, tx.random);
  await insertRows(tx.db, 'file_container_keys', [{ container_id: id, number, for_node, created_at: tx.clock.now() }]);
  for (const { memberId, publicKey } of await publicKeysOf(tx, [owner_id])) {
    const wrapped = eciesEncrypt(publicKey, key, context, 'basic', tx.random);
    await insertRows(tx.db, 'file_member_keys', [{ container_id: id, number, member_id: memberId, wrapped }]);
  }
  await planGiving(tx, id);
  return { number, key };
}

async function planGiving(tx: Context, id: string): Promise<void> {
  const now = tx.clock.now();
  await planJob(tx.db, { id: `file-member-keys/${id}`, kind: 'file-member-keys', payload: { id }, runAt: now, now });
}

const findComplete = writtenQuery<{ member_id: string }>(`
  select member_id from file_member_keys where container_id = $1
  group by member_id having count(*) = (select count(*) from file_container_keys where container_id = $1)`);

/** A transaction for each member who lacks a key, so that a list of hundreds delays nobody. */
export function memberKeysHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const { id } = payload as { id: string };
    const container = await containerOf(ctx, id);
    if (container === undefined) return;
    const complete = new Set((await ctx.db.executeQuery(findComplete(id))).rows.map(({ member_id }) => member_id));
    const lacking = [...(await readersOfAll(ctx, container))].filter((reader) => !complete.has(reader));
    const giving = apart(ctx, 'giving a member the key of a container');
    for (const { memberId, publicKey } of await publicKeysOf(ctx, lacking)) {
      if (signal.aborted) return;
      await giving.run(
        { id, memberId },
        async () => await transaction(ctx, async (tx) => await giveKeys(tx, id, memberId, publicKey)),
      );
    }
    // It is tried again, for those who lack it.
    giving.end();
  };
}

async function giveKeys(tx: Context, id: string, memberId: string, publicKey: Uint8Array): Promise<void> {
  const container = await containerOf(tx, id);
  if (container === undefined || !(await readersOfAll(tx, container, memberId)).has(memberId)) return;
  const missing = await tx.db
    .selectFrom('file_container_keys as k')
    .select(['k.number', 'k.for_node'])
    .where('k.container_id', '=', id)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('file_member_keys as m')
            .select('m.number')
            .whereRef('m.container_id', '=', 'k.container_id')
            .whereRef('m.number', '=', 'k.number')
            .where('m.member_id', '=', memberId),
        ),
      ),
    )
    .execute();
  if (missing.length === 0) return;
  const encrypt = eciesEncrypter(tx.random);
  const rows = missing.map((stored) => {
    const { number, key } = keyOf(tx, id, stored);
    const wrapped = encrypt(publicKey, key, containerKeyContext(id, number));
    return { container_id: id, number, member_id: memberId, wrapped };
  });
  await insertRows(tx.db, 'file_member_keys', rows);
}

/** @returns undefined for one that is being destroyed, or whose members have the keys alone */
async function containerOf({ db }: Pick<Context, 'db'>, id: string): Promise<Container | undefined> {
  return await db
    .selectFrom('file_containers')
    .select(['id', 'owner_id', 'root_id'])
    .where('id', '=', id)
    .where('state', '!=', 'destroyed')
    .where('client_encrypted', '=', 0)
    .executeTakeFirst();
}
