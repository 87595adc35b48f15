import { requireRole, type Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { AccessList, AccessListEvidence, AccessListSummary } from '../../../contract/pool/shapes.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { fingerprintOfHash } from '../../../crypto/fingerprint.ts';
import { Problem } from '../../../base/problem.ts';
import { asc, desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { PoolEvidenceRow, PoolListRow } from '../../../platform/store/tables/pool.ts';
import type { AclSignature } from '../../../crypto/formats/access-list/chain.ts';
import { administrators } from './signer.ts';
import { ensureList } from './commit.ts';
import { listRow, storedList } from './store.ts';
import { note } from '../note.ts';

/** The active access list, or an earlier one of the same pool. */
export async function acl(ctx: Context, actor: Actor, input: { version?: number | undefined }): Promise<AccessList> {
  requireRole(actor, administrators);
  const { document } = await ensureList(ctx);
  const version = input.version ?? document.version;
  const row = version > document.version ? undefined : await listRow(ctx.db, document.poolId, version);
  if (row === undefined)
    throw new Problem('missing', 'POOL_VERSION_NOT_FOUND', `The access list has no version ${version}.`);
  note(ctx, actor, 'pool.acl', undefined, version);
  return listDto(row);
}

function listDto(row: PoolListRow): AccessList {
  const { document, signatures } = storedList(row);
  const { hex, words } = fingerprintOfHash(fromHex(row.hash));
  return {
    poolId: row.pool_id,
    version: row.version,
    hash: row.hash,
    fingerprint: { hex, words: [...words] },
    acl: document,
    document: row.document,
    signatures: [...signatures],
    acceptedAt: new Date(row.accepted_at).toISOString(),
    source: row.source,
  };
}

export interface HistoryPage extends Next {
  versions: AccessListSummary[];
}

/** Versions of the access list, newest first. */
export async function aclHistory(ctx: Context, actor: Actor, page: PageRequest): Promise<HistoryPage> {
  requireRole(actor, administrators);
  const { document } = await ensureList(ctx);
  const { poolId } = document;
  const { rows, next } = await readPage(
    ctx,
    ctx.db.selectFrom('pool_lists').selectAll().where('pool_id', '=', poolId).where('version', '<=', document.version),
    {
      list: 'pool.acl-history',
      memberId: actor.memberId,
      filter: { poolId },
      by: [desc('version', (row) => row.version)],
    },
    page,
  );
  note(ctx, actor, 'pool.acl-history');
  return { versions: rows.map(summary), ...next };
}

function summary(row: PoolListRow): AccessListSummary {
  const { document, signatures } = storedList(row);
  return {
    version: row.version,
    hash: row.hash,
    issuedAt: document.issuedAt,
    acceptedAt: new Date(row.accepted_at).toISOString(),
    mode: document.mode,
    writers: document.writers.length,
    admins: document.admins.length,
    signers: signatures.map(({ memberId }) => memberId),
    source: row.source,
  };
}

/** Access lists signed by administrators that lost against another list of the same version. */
export async function aclEvidence(
  ctx: Context,
  actor: Actor,
  page: PageRequest,
): Promise<{ evidence: AccessListEvidence[] } & Next> {
  requireRole(actor, administrators);
  const { document } = await ensureList(ctx);
  const { poolId } = document;
  const query = ctx.db
    .selectFrom('pool_evidence as e')
    .leftJoin('pool_lists as l', (on) => on.onRef('l.pool_id', '=', 'e.pool_id').onRef('l.version', '=', 'e.version'))
    .selectAll('e')
    .select('l.hash as counting')
    .where('e.pool_id', '=', poolId)
    .where((e) => e.or([e('l.hash', 'is', null), e('l.hash', '!=', e.ref('e.hash'))]));
  const { rows, next } = await readPage(
    ctx,
    query,
    {
      list: 'pool.acl-evidence',
      memberId: actor.memberId,
      filter: { poolId },
      by: [asc('e.version', (row) => row.version), asc('e.hash', (row) => row.hash)],
    },
    page,
  );
  note(ctx, actor, 'pool.acl-evidence');
  return { evidence: rows.map(evidenceDto), ...next };
}

function evidenceDto(row: Omit<PoolEvidenceRow, 'recorded'> & { counting: string | null }): AccessListEvidence {
  const signatures = JSON.parse(row.signatures) as AclSignature[];
  return {
    version: row.version,
    hash: row.hash,
    ...(row.counting !== null && { countingHash: row.counting }),
    foundAt: new Date(row.found_at).toISOString(),
    source: row.source,
    signers: signatures.map(({ memberId }) => memberId),
    document: row.document,
    signatures,
  };
}
