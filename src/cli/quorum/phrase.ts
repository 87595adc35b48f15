import { Flags } from '@oclif/core';
import type { memberKeys } from '../../client/quorum/member-key.ts';
import { missingInput } from '../kit/missing-input.ts';
import { prompts } from '../kit/prompts.ts';
import { fileVariableOf, secretReader } from '../kit/secrets.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';

const variable = 'CONCLAVE_QUORUM_MNEMONIC';

export type MemberKeys = Awaited<ReturnType<typeof memberKeys>>;

/** Where the recovery phrase of a member of the quorum comes from, when it isn't typed. */
export const phraseFlag = {
  'mnemonic-file': Flags.string({
    description: `file with your recovery phrase of the quorum (- for standard input); also ${variable}, ${fileVariableOf(variable)}`,
    helpValue: 'FILE',
  }),
};

/**
 * The key pair of the member that the person is, from their recovery phrase. Neither leaves this process.
 * @throws Problem invalid INPUT_MISSING, MNEMONIC_INVALID
 */
export async function ownKeys(terminal: Terminal, file: string | undefined): Promise<MemberKeys> {
  const { memberKeys: keysOf } = await import('../../client/quorum/member-key.ts');
  const given = await secretReader(terminal).read('mnemonic', file, variable);
  if (given !== undefined) return await keysOf(given);
  if (!isInteractive(terminal)) throw missingInput({ path: 'mnemonic', by: `--mnemonic-file or ${variable}` });
  return await keysOf(await prompts(terminal).secret({ message: 'Recovery phrase of the quorum' }));
}
