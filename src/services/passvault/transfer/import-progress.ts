import type { Actor } from '../../../service/actor.ts';
import type { Context, ProgressNote } from '../../../service/context.ts';
import type { ImportProgress, ImportStage } from '../../../contract/passvault/transfer.ts';
import { roleIn } from '../vaults/access.ts';

export type ImportNote = ProgressNote<ImportStage>;

/** Begins an import. Only the same member can ask for its progress. */
export function beginImport(ctx: Context, actor: Actor, vaultId: string): ImportNote {
  return ctx.progress.begin(nameOf(actor, vaultId));
}

/**
 * The progress of the actor's import into a vault, if it runs in this process. The vault may be locked. The request doesn't count as use of
 * the vault, so waiting doesn't keep it open.
 * @throws Problem missing VAULT_NOT_FOUND
 */
export async function importProgress(
  ctx: Context,
  actor: Actor,
  { vaultId }: { vaultId: string },
): Promise<{ running: ImportProgress | null }> {
  await roleIn(ctx, actor, vaultId);
  const progress = ctx.progress.of(nameOf(actor, vaultId));
  return { running: progress === undefined ? null : { ...progress, stage: progress.stage as ImportStage } };
}

function nameOf({ memberId }: Actor, vaultId: string): string {
  return `passvault-import/${vaultId}/${memberId}`;
}
