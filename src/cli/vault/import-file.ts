import { buffer } from 'node:stream/consumers';
import type { ReplyOf } from '../../contract/operation.ts';
import type { VaultSummary } from '../../contract/passvault/entry.ts';
import { IMPORT_BYTES } from '../../contract/passvault/transfer.ts';
import { passvault } from '../../contract/passvault.ts';
import { Problem } from '../../problem.ts';
import { prompts } from '../prompts.ts';
import { secretReader } from '../secrets.ts';
import { isInteractive } from '../terminal.ts';
import { harmless } from '../harmless.ts';
import type { Teller } from '../waiting.ts';
import { withImportProgress } from './import-progress.ts';
import { readInputFile } from './input-file.ts';
import { openBefore, performOn, type VaultSession } from './session.ts';

export interface ImportWishes {
  readonly format: string;
  readonly skipDuplicates: boolean;
  readonly includeRecycleBin: boolean;
  readonly dryRun: boolean;
  readonly passwordFile: string | undefined;
  readonly teller: Teller;
}

const needsPassword = new Set(['IMPORT_PASSWORD_REQUIRED', 'IMPORT_PASSWORD_WRONG']);
const tries = 3;

/** Sends a file to be imported. A protected one's password is asked for when the server has said that there is one. */
export async function importFile(
  session: VaultSession,
  vault: VaultSummary,
  file: string,
  wishes: ImportWishes,
): Promise<ReplyOf<(typeof passvault)['import']>> {
  const { passwordFile, teller, ...wanted } = wishes;
  const bytes = file === '-' ? await buffer(session.terminal.stdin) : await readInputFile(file, IMPORT_BYTES);
  const fileContent = bytes.toString('base64');
  await teller.aside(() => openBefore(session, vault));
  let password = await secretReader(session.terminal).read('password', passwordFile, 'CONCLAVE_IMPORT_PASSWORD');
  const asking = isInteractive(session.terminal) && password === undefined;
  for (let left = tries; ; left -= 1) {
    try {
      const input = {
        ...wanted,
        vaultId: vault.id,
        fileContent,
        ...(password !== undefined && { password }),
      };
      const work = performOn(session, vault, passvault.import, input);
      if (!isInteractive(session.terminal)) return await work;
      const what = `Importing into ${harmless(vault.name)}`;
      return await withImportProgress(session.client, vault.id, teller, what, work);
    } catch (error) {
      if (!(error instanceof Problem && needsPassword.has(error.code)) || !asking || left === 0) throw error;
      const message = password === undefined ? 'Password of the file' : 'That is not it. Password of the file';
      password = await teller.aside(() => prompts(session.terminal).secret({ message }));
    }
  }
}
