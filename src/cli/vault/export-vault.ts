import type { ReplyOf } from '../../contract/operation.ts';
import type { VaultSummary } from '../../contract/passvault/entry.ts';
import type { ExportFormat } from '../../contract/passvault/transfer.ts';
import { passvault } from '../../contract/passvault.ts';
import { inputFor } from '../input.ts';
import { performOn, type VaultSession } from './session.ts';

export async function exportVault(
  session: VaultSession,
  vault: VaultSummary,
  format: ExportFormat,
  passwordFile: string | undefined,
): Promise<ReplyOf<(typeof passvault)['export']>> {
  const vaultId = vault.id;
  if (format !== 'encrypted') return await performOn(session, vault, passvault.export, { vaultId, format });
  const input = await inputFor(
    session.terminal,
    passvault.exportProtected,
    { 'password-file': passwordFile },
    { given: { vaultId }, fresh: ['password'], variables: { password: 'CONCLAVE_EXPORT_PASSWORD' } },
  );
  return await performOn(session, vault, passvault.exportProtected, input);
}
