import { buffer } from 'node:stream/consumers';
import type { ReplyOf } from '../../../contract/operation.ts';
import type { VaultSummary, EntryType } from '../../../contract/passvault/entry.ts';
import { passvaultLimits } from '../../../contract/passvault/limits.ts';
import { importNameOf } from '../../../contract/passvault/transfer.ts';
import { passvault } from '../../../contract/passvault.ts';
import type { ProblemCode } from '../../../base/problem-codes.ts';
import { Problem } from '../../../base/problem.ts';
import { prompts } from '../../kit/prompts.ts';
import { secretReader } from '../../kit/secrets.ts';
import { isInteractive } from '../../kit/terminal.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import type { Teller } from '../../kit/waiting.ts';
import { vaultTitle } from '../../../base/vault-names.ts';
import { withImportProgress } from './import-progress.ts';
import { askColumns, parseColumns } from './import-columns.ts';
import { readInputFile } from './input-file.ts';
import { headerOf } from '../table-header.ts';
import { openBefore, performOn, type VaultSession } from '../session.ts';
import type { Screen } from '../../kit/screen.ts';
import { table } from '../../kit/table.ts';

export interface ImportWishes {
  readonly format: string;
  readonly skipDuplicates: boolean;
  readonly includeRecycleBin: boolean;
  readonly dryRun: boolean;
  readonly passwordFile: string | undefined;
  /** the values of `--columns` as given */
  readonly columns: readonly string[];
  readonly teller: Teller;
}

const needsPassword: ReadonlySet<ProblemCode> = new Set(['IMPORT_PASSWORD_REQUIRED', 'IMPORT_PASSWORD_WRONG'] as const);
const tries = 3;

/** Sends a file to be imported. If the server reports that the file is protected, the command asks for its password. */
export async function importFile(
  session: VaultSession,
  vault: VaultSummary,
  file: string,
  wishes: ImportWishes,
): Promise<ReplyOf<(typeof passvault)['import']>> {
  const { passwordFile, teller, columns: given, ...wanted } = wishes;
  let columns = parseColumns(given);
  const bytes =
    file === '-' ? await buffer(session.terminal.stdin) : await readInputFile(file, passvaultLimits.importBytes);
  const fileContent = bytes.toString('base64');
  await teller.aside(() => openBefore(session, vault));
  let password = await secretReader(session.terminal).read('password', passwordFile, 'CONCLAVE_IMPORT_PASSWORD');
  const atTerminal = isInteractive(session.terminal) && file !== '-';
  const asking = isInteractive(session.terminal) && password === undefined;
  for (let left = tries; ; left -= 1) {
    try {
      const input = {
        ...wanted,
        vaultId: vault.id,
        fileContent,
        ...(columns !== undefined && { columns }),
        ...(password !== undefined && { password }),
      };
      const work = performOn(session, vault, passvault.import, input);
      if (!isInteractive(session.terminal)) return await work;
      const what = `Importing into ${escapeForTerminal(vaultTitle(vault))}`;
      return await withImportProgress(session.client, vault.id, teller, what, work);
    } catch (error) {
      if (isUnknown(error) && columns === undefined && ['auto', 'csv'].includes(wanted.format)) {
        columns = atTerminal ? await teller.aside(() => askColumns(session.terminal, bytes)) : undefined;
        if (columns === undefined) throw withColumnsFlag(error, bytes);
        left += 1;
        continue;
      }
      if (!(error instanceof Problem && needsPassword.has(error.code)) || !asking || left === 0) throw error;
      const message = password === undefined ? 'Password of the file' : 'Wrong password. Password of the file';
      password = await teller.aside(() => prompts(session.terminal).secret({ message }));
    }
  }
}

function isUnknown(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'UNSUPPORTED_FORMAT';
}

/** For an unknown CSV file, the message names the flag for its columns. All other messages come from the server. */
function withColumnsFlag(error: Problem, bytes: Buffer): Problem {
  if (headerOf(bytes) === undefined) return error;
  const message = `${error.message} For example: --columns title=Name,username=Login,password=Password`;
  return new Problem(error.kind, error.code, message, { cause: error });
}

const named: Readonly<Record<EntryType, readonly [one: string, more: string]>> = {
  login: ['login', 'logins'],
  credit_card: ['card', 'cards'],
  secure_note: ['note', 'notes'],
};

type Imported = ReplyOf<(typeof passvault)['import']>;

export function describeImport(screen: Screen, vaultName: string, reply: Imported): string {
  const { imported, types, skipped, errors, notices, format, dryRun } = reply;
  const wrong = table(screen, errors, [
    { title: 'RECORD', of: ({ row }) => String(row), whole: true },
    { title: 'WHY NOT IMPORTED', of: ({ reason }) => reason, whole: true },
  ]);
  const noted = table(screen, notices, [
    { title: 'RECORD', of: ({ row }) => (row === 0 ? 'all' : String(row)), whole: true },
    { title: 'IMPORTED WITH CHANGES', of: ({ reason }) => reason, whole: true },
  ]);
  const verb = dryRun ? 'would be imported' : 'imported';
  const summary = escapeForTerminal(
    `${imported} ${verb} into ${vaultName} (${importNameOf[format]}), ${skipped} skipped, ${errors.length} not readable.`,
  );
  const kinds = Object.entries(named).flatMap(([type, name]) => {
    const count = types[type as EntryType];
    return count === 0 ? [] : [`${count} ${name[count === 1 ? 0 : 1]}`];
  });
  const parts = [errors.length > 0 && wrong, notices.length > 0 && noted, summary];
  if (kinds.length > 0) parts.push(`${dryRun ? 'They would be' : 'They are'} ${kinds.join(', ')}.`);
  return parts.filter((part) => part !== false).join('\n');
}
