import { Flags } from '@oclif/core';
import type { keyPairFrom } from '../../client/member-secret.ts';
import { perform, type Caller } from '../../client/perform.ts';
import { accounts } from '../../contract/accounts.ts';
import { Problem } from '../../base/problem.ts';
import { missingInput } from '../kit/missing-input.ts';
import { prompts } from '../kit/prompts.ts';
import { fileVariableOf, secretReader, variableOf } from '../kit/secrets.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';

const name = 'key';
const variable = variableOf(name);

export type OwnKeys = Awaited<ReturnType<typeof keyPairFrom>>;

/** Where the key of a member comes from, when it isn't typed. Only client-encrypted containers need it. */
export const keyFlag = {
  'key-file': Flags.string({
    description: `for a client-encrypted container, file with your recovery phrase, or private key in hex (- for standard input); also ${variable}, ${fileVariableOf(variable)}`,
    helpValue: 'FILE',
  }),
};

/** A caller that may have kept the member's key on this machine. */
export type KeyCaller = Caller & { keptKey?(): Promise<string | undefined> };

/**
 * The key pair of the member who is signed in. Neither it nor the phrase leaves this process.
 * @throws Problem invalid INPUT_MISSING, KEY_INVALID
 */
export async function ownKeys(terminal: Terminal, caller: KeyCaller, file: string | undefined): Promise<OwnKeys> {
  const { isKeyOf, keyPairFrom: keysFrom } = await import('../../client/member-secret.ts');
  const keys = await keysFrom(await secretOf(terminal, caller, file));
  const { user } = await perform(caller, accounts.verify, {});
  if (isKeyOf(keys, user.id)) return keys;
  throw new Problem('invalid', 'KEY_INVALID', `This is not the key of ${user.username}, who is signed in.`);
}

async function secretOf(terminal: Terminal, caller: KeyCaller, file: string | undefined): Promise<string> {
  const given = await secretReader(terminal).read(name, file, variable);
  const kept = given ?? (await caller.keptKey?.());
  if (kept !== undefined) return kept;
  if (!isInteractive(terminal)) throw missingInput({ path: name, by: `--key-file or ${variable}` });
  const message =
    'Recovery phrase (the container is encrypted by its members; to be asked once: conclave files key --keep)';
  return await prompts(terminal).secret({ message });
}
