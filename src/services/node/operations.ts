import type { Implementation } from '../../service/implement.ts';
import { isAbsolute, join } from 'node:path';
import { requireRole } from '../../service/actor.ts';
import { openNodeSecret } from '../../config/node-secret.ts';
import type { Context } from '../../service/context.ts';
import { node } from '../../contract/node.ts';
import { toHex } from '../../crypto/bytes.ts';
import { fieldProblem } from '../../base/problem.ts';
import { assertFree, fileProblem } from '../../platform/store/backup/place.ts';
import { writeBackup } from '../../platform/store/backup/write-backup.ts';
import { databaseBytes, tableCounts } from '../../platform/store/census.ts';
import { bytesOfAll, countedStorage } from '../../platform/store/member-storage.ts';
import { schemaVersion } from '../../platform/store/migrations.ts';
import { verifyStore as verify } from '../../platform/store/verify.ts';
import { version } from '../../base/version.ts';
import { checkBlockFolder, checkErasureKeys } from './checks.ts';
import { keysForBackup, refuseOtherKeys, type KeysInBackup } from './keys-in-backup.ts';
import { findProblems } from './problems.ts';
import { sealNodeSecret } from './sealed-secret.ts';

/** Operations of administrators on the node itself. */
type Node = Implementation<typeof node>;

export const status: Node['status'] = async (ctx, actor) => {
  requireRole(actor, node.status.auth);
  return {
    version,
    nodeId: ctx.keys.nodeId,
    publicKey: toHex(ctx.keys.identity.publicKey),
    engine: ctx.store.engine,
    schemaVersion: await schemaVersion(ctx.store),
    storeBytes: await databaseBytes(ctx.store, ctx.config.dataDir),
    storage: {
      perMemberBytes: ctx.config.storage.perMemberBytes,
      usedBytes: await bytesOfAll(ctx.db),
      counts: [...countedStorage],
    },
    members: await countMembers(ctx),
    sessions: await countSessions(ctx),
    addresses: [...ctx.instance.addresses],
    startedAt: new Date(ctx.instance.startedAt).toISOString(),
    problems: await findProblems(ctx),
  };
};

export const storeStatus: Node['storeStatus'] = async (ctx, actor) => {
  requireRole(actor, node.storeStatus.auth);
  const { blocks, bytes } = await ctx.blocks.stat();
  return {
    engine: ctx.store.engine,
    location: ctx.config.database ?? join(ctx.config.dataDir, 'store.db'),
    schemaVersion: await schemaVersion(ctx.store),
    databaseBytes: await databaseBytes(ctx.store, ctx.config.dataDir),
    blocks,
    blockBytes: bytes,
    tables: await tableCounts(ctx.store),
  };
};

export const verifyStore: Node['verifyStore'] = async (ctx, actor) => {
  requireRole(actor, node.verifyStore.auth);
  const checks = [...(await verify(ctx.store, ctx.blocks)), await checkBlockFolder(ctx), await checkErasureKeys(ctx)];
  const damaged = checks.filter(({ ok }) => !ok);
  for (const { name, detail } of damaged) ctx.log.error('the store is damaged', { check: name, detail });
  return { ok: damaged.length === 0, checks };
};

export const backUpStore: Node['backUpStore'] = async (ctx, actor, { path, passphrase }) => {
  requireRole(actor, node.backUpStore.auth);
  if (!isAbsolute(path)) throw fieldProblem('path', 'must be an absolute path');
  try {
    await assertFree(path);
  } catch (error) {
    throw fileProblem(error, 'path', path);
  }
  if (passphrase !== undefined) await refuseOtherKeys(ctx, path);
  let erasure = 'none' as KeysInBackup;
  const { damagedBlocks, ...report } = await writeBackup(
    { database: ctx.store, blocks: ctx.blocks },
    {
      file: path,
      identity: ctx.keys.identity,
      version,
      now: ctx.clock.now(),
      secret: passphrase === undefined ? undefined : await seal(ctx, passphrase),
      async erasureKeys() {
        const { outcome, ...keys } = await keysForBackup(ctx, passphrase);
        erasure = outcome;
        return keys;
      },
    },
  );
  ctx.log.info('backup written', { bytes: report.bytes, rows: report.rows, blocks: report.blocks });
  if (damagedBlocks.length > 0) ctx.log.error('damaged blocks are not in the backup', { blocks: damagedBlocks.length });
  if (erasure === 'unavailable') ctx.log.error('the erasure keys are not with the backup');
  return { ...report, damagedBlocks: [...damagedBlocks], erasure };
};

async function countMembers({ db }: Context): Promise<number> {
  const { members } = await db
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('members'))
    .executeTakeFirstOrThrow();
  return members;
}

async function countSessions({ db, clock }: Context): Promise<number> {
  const { sessions } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('sessions'))
    .where('expires_at', '>', clock.now())
    .executeTakeFirstOrThrow();
  return sessions;
}

async function seal(ctx: Context, passphrase: string) {
  const secret = await openNodeSecret(ctx.config.nodeSecretFile, { create: false });
  return await ctx.heavy.run(async () => await sealNodeSecret(secret, ctx.keys.nodeId, passphrase, ctx.random));
}
