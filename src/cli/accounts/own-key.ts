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

/** Where the key of a member comes from, when it isn't typed. @param what needs it, and nothing else; undefined: the command always does */
function keyFlagFor(what?: string) {
  const before = what === undefined ? '' : `for ${what}, `;
  return {
    'key-file': Flags.string({
      description: `${before}file with your recovery phrase, or private key in hex (- for standard input); also ${variable}, ${fileVariableOf(variable)}`,
      helpValue: 'FILE',
    }),
  };
}

export const keyFlag = keyFlagFor('a client-encrypted container');
/** Of commands that are about the key itself. */
export const anyKeyFlag = keyFlagFor();
export const chatKeyFlag = keyFlagFor('a conversation that only its members can read');

const once = 'to be asked once: conclave files key --keep';
/** What needs the key, for the question. */
const needs = {
  container: `the container is encrypted by its members; ${once}`,
  conversation: `only its members can read the conversation; ${once}`,
  itself: 'it opens containers and conversations that are encrypted by their members, and does not leave this machine',
} as const;
type Need = keyof typeof needs;

/** A caller that may have kept the member's key on this machine. */
export type KeyCaller = Caller & { keptKey?(): Promise<string | undefined> };

/**
 * The key pair of the member who is signed in. Neither it nor the phrase leaves this process.
 * @throws Problem invalid INPUT_MISSING, KEY_INVALID
 */
export async function ownKeys(
  terminal: Terminal,
  caller: KeyCaller,
  file: string | undefined,
  need: Need = 'container',
): Promise<OwnKeys> {
  return await checkedKeys(caller, (await givenSecret(terminal, caller, file)) ?? (await askedSecret(terminal, need)));
}

/** The same, if it is there without asking. @throws Problem invalid KEY_INVALID */
export async function ownKeysIfGiven(
  terminal: Terminal,
  caller: KeyCaller,
  file: string | undefined,
): Promise<OwnKeys | undefined> {
  const secret = await givenSecret(terminal, caller, file);
  return secret === undefined ? undefined : await checkedKeys(caller, secret);
}

async function checkedKeys(caller: Caller, secret: string): Promise<OwnKeys> {
  const { isKeyOf, keyPairFrom: keysFrom } = await import('../../client/member-secret.ts');
  const keys = await keysFrom(secret);
  const { user } = await perform(caller, accounts.verify, {});
  if (isKeyOf(keys, user.id)) return keys;
  throw new Problem('invalid', 'KEY_INVALID', `This is not the key of ${user.username}, who is signed in.`);
}

async function givenSecret(terminal: Terminal, caller: KeyCaller, file: string | undefined) {
  return (await secretReader(terminal).read(name, file, variable)) ?? (await caller.keptKey?.());
}

async function askedSecret(terminal: Terminal, need: Need): Promise<string> {
  if (!isInteractive(terminal)) throw missingInput({ path: name, by: `--key-file or ${variable}` });
  const message = `Recovery phrase (${needs[need]})`;
  return await prompts(terminal).secret({ message });
}
