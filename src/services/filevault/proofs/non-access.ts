import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { NonAccessProof } from '../../../contract/filevault/proofs.ts';
import { writeWitness } from '../../../crypto/bloom-filter.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { parseEntry } from '../../../crypto/formats/ledger/entry.ts';
import { signNonAccess } from '../../../crypto/formats/file-proofs/format.ts';
import { proveOffline, type ProvenEntry } from '../../../platform/ledger/offline.ts';
import { Problem } from '../../../base/problem.ts';
import { requirePlace } from '../access/places.ts';
import { fileTagOf, proveNotAccessed, type Cover, type Proven } from './filter.ts';

export async function proveNonAccess(
  ctx: Context,
  actor: Actor,
  { id, checkpoint }: { readonly id: string; readonly checkpoint: 'newest' | 'cosigned' },
): Promise<NonAccessProof> {
  const { container } = await requireUnopened(ctx, actor, id);
  const proven = await proveNotAccessed(
    ctx,
    container.id,
    id,
    async (tx) => void (await requireUnopened(tx, actor, id)),
  );
  const { filter, witness, path } = proven;
  const entries = await proveOffline(ctx, [filter.ledger_entry], {
    cosigned: checkpoint === 'cosigned',
    least: proven.cover.coversTo,
  });
  const committed = entries.get(filter.ledger_entry);
  if (committed === undefined) throw noEntry();
  const { coversTo, asOf } = coverIn(proven, committed);
  const proof = {
    bloomWitness: writeWitness(witness),
    merkleRoot: filter.root,
    merkleProof: path.map(toHex),
    timestamp: timeIn(committed),
  };
  const bundle = {
    ledgerEntryHash: committed.leafHash,
    ...committed.offline,
    fileId: id,
    fileTag: fileTagOf(ctx, id),
    coversTo,
    asOf: new Date(asOf).toISOString(),
  };
  return { proof, verificationBundle: { ...bundle, signature: signNonAccess(ctx.keys, proof, bundle) } };
}

/** A file that was destroyed, or that the actor may not see, answers as everywhere. */
async function requireUnopened(ctx: Context, actor: Actor, id: string) {
  const place = await requirePlace(ctx, actor, 1, id, { flag: 'read' });
  if (place.node.accessed_at !== null) throw accessed();
  const row = await ctx.db
    .selectFrom('file_accesses')
    .select('file_id')
    .where('container_id', '=', place.container.id)
    .where('file_id', '=', id)
    .executeTakeFirst();
  if (row !== undefined) throw accessed();
  return place;
}

/** A checkpoint that others cosigned may be older than what was covered now. The filter in its entry was right then, too. */
function coverIn({ cover, filter }: Proven, { size }: ProvenEntry): Cover {
  return size >= cover.coversTo ? cover : { coversTo: filter.covers_to, asOf: filter.as_of };
}

function timeIn({ offline: { entry, blockHeight } }: ProvenEntry): string {
  const parsed = parseEntry(utf8(entry), blockHeight);
  if ('fault' in parsed) throw noEntry();
  return parsed.time;
}

function accessed(): Problem {
  return new Problem('missing', 'FILE_ACCESSED', 'The file was opened, so there is no proof that it was not.');
}

function noEntry(): Problem {
  return new Problem('internal', 'LEDGER_DAMAGED', 'The ledger does not have the entry of the filter.');
}
