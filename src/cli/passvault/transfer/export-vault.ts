import type { ReplyOf } from '../../../contract/operation.ts';
import type { VaultSummary } from '../../../contract/passvault/entry.ts';
import type { ExportFormat } from '../../../contract/passvault/transfer.ts';
import { passvault } from '../../../contract/passvault.ts';
import { Problem } from '../../../base/problem.ts';
import { inputFor } from '../../kit/input.ts';
import { isInteractive } from '../../kit/terminal.ts';
import { confirmed } from '../../kit/confirmation.ts';
import { vaultTitle } from '../../../base/vault-names.ts';
import { performOn, type VaultSession } from '../session.ts';

/** The values of `--format`; the last two are the names of the formats over HTTP. */
export const exportNames = ['bitwarden', 'csv', 'bitwarden_json', 'encrypted'] as const;

/** The flags that determine the format of an export. */
export interface ExportChoice {
  readonly format: string;
  readonly plaintext: boolean;
  readonly yes: boolean;
  readonly 'password-file'?: string | undefined;
}

/**
 * Chooses the format: encrypted, unless plain text is requested.
 *
 * @throws Problem invalid USAGE for contradictory flags. No flag is ignored, because the flags decide who can read the file.
 */
export function chosenExport({ format, plaintext, 'password-file': passwordFile }: ExportChoice): ExportFormat {
  if (plaintext && passwordFile !== undefined)
    throw usage('--plaintext and --password-file cannot be used together: a password encrypts the file.');
  if (plaintext && format === 'encrypted') throw usage('--plaintext and --format encrypted cannot be used together.');
  if (format !== 'csv') return plaintext ? 'bitwarden_json' : 'encrypted';
  if (passwordFile !== undefined)
    throw usage('CSV cannot be encrypted, so it has no --password-file. Use --format bitwarden.');
  if (!plaintext) throw usage('CSV cannot be encrypted. Use --plaintext, or --format bitwarden.');
  return 'csv';
}

/** On a terminal, plain text needs a confirmation. */
export async function exportVault(
  session: VaultSession,
  vault: VaultSummary,
  format: ExportFormat,
  { yes, 'password-file': passwordFile }: ExportChoice,
): Promise<ReplyOf<(typeof passvault)['export']>> {
  const vaultId = vault.id;
  if (format !== 'encrypted') {
    const question = `Write the passwords of ${vaultTitle(vault)} unencrypted?`;
    await confirmed(session.terminal, yes || !isInteractive(session.terminal), question);
    return await performOn(session, vault, passvault.export, { vaultId, format });
  }
  const input = await inputFor(
    session.terminal,
    passvault.exportProtected,
    { 'password-file': passwordFile },
    { given: { vaultId }, fresh: ['password'], variables: { password: 'CONCLAVE_EXPORT_PASSWORD' } },
  );
  return await performOn(session, vault, passvault.exportProtected, input);
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}
