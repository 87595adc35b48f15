import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { verifyGenesis, verifySuccessor } from '../../../crypto/formats/access-list/chain.ts';
import { refusedList, type AclDocument, type AclWriter } from '../../../crypto/formats/access-list/document.ts';
import { rulesInForce } from './open-decisions.ts';
import { refusePassedOver } from './list-mark.ts';
import { currentList, listAt, nameWriters, poolHead } from './store.ts';

type Stores = Pick<Context, 'db' | 'log'>;
type Marked = Stores & Pick<Context, 'config' | 'keys'>;

/** The nodes that the signed access list names, without those that another branch of it removed. The table of writers is only an index of it: a row that somebody adds there admits nobody. */
export interface ProvenWriters {
  readonly byId: ReadonlyMap<string, AclWriter>;
}

/** What a list says that cannot be trusted. Other problems, as of a store that is busy, say nothing about the list. */
const untrusted: ReadonlySet<string> = new Set(['STORE_DAMAGED', 'ACCESS_LIST_REFUSED', 'LEDGER_DAMAGED']);

/**
 * Reads the nodes of the active access list, and checks that administrators signed it, and that this node followed no later one. A list in
 * the store of which that isn't true admits nobody, and the log says so.
 *
 * @returns undefined if this node has no pool yet
 */
export async function provenWriters(ctx: Marked): Promise<ProvenWriters | undefined> {
  return await trusted(ctx, async () => await refusePassedOver(ctx));
}

/** The same without looking at the mark, for a transaction that tells only nodes which were admitted otherwise. */
export async function signedWriters(ctx: Stores): Promise<ProvenWriters | undefined> {
  return await trusted(ctx, async () => undefined);
}

async function trusted(ctx: Stores, check: () => Promise<void>): Promise<ProvenWriters | undefined> {
  try {
    const list = await currentList(ctx.db);
    if (list === undefined) return undefined;
    const { poolId, version } = list.document;
    if (version === 1) verifyGenesis(list);
    else {
      const before = await listAt(ctx.db, poolId, version - 1);
      if (before === undefined) throw refusedList('the version before it is missing');
      verifySuccessor(before, list);
    }
    await check();
    const { writers } = await rulesInForce(ctx.db, list.document);
    return { byId: new Map(writers.map((writer) => [writer.nodeId, writer])) };
  } catch (error) {
    if (!(error instanceof Problem && untrusted.has(error.code))) throw error;
    ctx.log.error('no node is admitted: the access list in the store cannot be trusted', {
      code: error.code,
      reason: error.message,
    });
    return { byId: new Map() };
  }
}

/** Remembers the nodes of a list until another list is active, because every connection and every announcement asks for them. */
export function rememberedWriters(ctx: Marked): () => Promise<ProvenWriters | undefined> {
  let known: ProvenWriters | undefined;
  let state: string | undefined;
  return async () => {
    const head = await poolHead(ctx.db);
    const now = head === undefined ? undefined : `${head.hash} ${head.decisions}`;
    if (now === undefined || now !== state) known = await provenWriters(ctx);
    state = now;
    return known;
  };
}

/** The rows of the table that differ from what the list says, by the ids of their nodes. */
export async function differingRows({ db }: Pick<Context, 'db'>, document: AclDocument): Promise<string[]> {
  const rows = await db
    .selectFrom('pool_writers')
    .select(['node_id', 'public_key', 'mail_domain', 'expires_at'])
    .where('pool_id', '=', document.poolId)
    .where('removed_version', 'is', null)
    .execute();
  const stored = new Map(
    rows.map((row) => [row.node_id, [row.public_key, row.mail_domain, row.expires_at].join(' ')] as const),
  );
  const listed = new Map(
    document.writers.map((one) => [one.nodeId, [one.publicKey, one.mailDomain ?? null, endOf(one)].join(' ')] as const),
  );
  const ids = new Set([...stored.keys(), ...listed.keys()]);
  return [...ids].filter((nodeId) => stored.get(nodeId) !== listed.get(nodeId));
}

/** When the admission of a node ends, in milliseconds since 1970; null: never */
export function endOf({ expiresAt }: Pick<AclWriter, 'expiresAt'>): number | null {
  return expiresAt === null ? null : Date.parse(expiresAt);
}

/** Writes the table of writers anew from the signed list if somebody changed it. */
export async function mendWriters(ctx: Context): Promise<void> {
  const list = await currentList(ctx.db);
  if (list === undefined) return;
  if ((await differingRows(ctx, list.document)).length === 0) return;
  await transaction(ctx, async (tx) => {
    const now = await currentList(tx.db);
    const nodeIds = now === undefined ? [] : await differingRows(tx, now.document);
    if (now === undefined || nodeIds.length === 0) return;
    await nameWriters(tx.db, now.document);
    tx.afterCommit(() =>
      tx.log.error('the table of nodes was changed in the store; it is written anew from the signed access list', {
        nodeIds: nodeIds.slice(0, 20),
        rows: nodeIds.length,
      }),
    );
  });
}
