import { randomInt } from 'node:crypto';
import { chmod, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import { perform, type Caller } from '../../client/perform.ts';
import { members } from '../../contract/accounts/members.ts';
import type { RawInputOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import type { FlagOptions } from '../kit/flags.ts';
import type { InputOptions } from '../kit/input.ts';

/** Options for the questions that `init` asks for the input of `members.create-administrator`. */
export const administratorQuestions: InputOptions & FlagOptions = {
  variables: {
    username: 'CONCLAVE_ADMIN_USERNAME',
    email: 'CONCLAVE_ADMIN_EMAIL',
    password: 'CONCLAVE_ADMIN_PASSWORD',
    mnemonic: 'CONCLAVE_ADMIN_MNEMONIC',
  },
  fresh: ['password'],
  instead: { password: '--generate-password' },
};

/** The file with a generated password. A person who can read the data directory reads it once. */
function credentialsFile(dataDir: string): string {
  return join(dataDir, 'first-administrator.txt');
}

/** 24 characters of an alphabet of 31 without look-alikes are 118 bits. */
export function randomPassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const group = () => Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}

/** Whether the store exists and has an administrator. */
export async function hasAdministrator(connect: () => Promise<Client>): Promise<boolean> {
  try {
    await using client = await connect();
    const { members: found } = await perform(client, members.list, { type: 'Admin', limit: 1 });
    return found.length > 0;
  } catch (error) {
    if (error instanceof Problem && (error.code === 'STORE_MISSING' || error.code === 'NODE_SECRET_MISSING'))
      return false;
    throw error;
  }
}

export function alreadyInitialised(): Problem {
  return new Problem(
    'conflict',
    'ALREADY_INITIALISED',
    'This store already has an administrator. Nothing was changed.',
  );
}

export interface FirstAdministrator {
  readonly dataDir: string;
  readonly memberId: string;
  readonly mnemonic: string | undefined;
  /** the file with password and recovery phrase; undefined if the password was not generated */
  readonly file: string | undefined;
}

/**
 * Creates the administrator. A generated password is written to disk before the account exists. Otherwise a power cut between the two
 * would leave an account with an unknown password.
 */
export async function createAdministrator(
  client: Caller & { readonly connection: Pick<Client['connection'], 'dataDir'> },
  input: RawInputOf<typeof members.createAdministrator>,
  generated: boolean,
): Promise<FirstAdministrator> {
  const { dataDir = '' } = client.connection;
  if (!generated) {
    const { data } = await perform(client, members.createAdministrator, input);
    return { dataDir, memberId: data.memberId, mnemonic: data.mnemonic, file: undefined };
  }
  const path = credentialsFile(dataDir);
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  // The answer to the request can get lost, so the account may exist. The file stays, because nobody could sign in without it.
  let isOnlyCopy = false;
  try {
    await chmod(path, 0o600);
    await file.writeFile(
      `The first administrator of this node. Change the password, keep the phrase on paper, then delete this file.\n\n`,
    );
    await file.writeFile(`username: ${input.username}\ne-mail: ${input.email}\npassword: ${input.password}\n`);
    await file.sync();
    isOnlyCopy = true;
    const { data } = await perform(client, members.createAdministrator, input).catch((error: unknown) => {
      isOnlyCopy = !isRefusal(error);
      throw error;
    });
    if (data.mnemonic !== undefined) await file.writeFile(`recovery phrase: ${data.mnemonic}\n`);
    await file.sync();
    return { dataDir, memberId: data.memberId, mnemonic: data.mnemonic, file: path };
  } catch (error) {
    if (!isOnlyCopy) await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Whether the node refused the request, which means that there is no account. */
function isRefusal(error: unknown): boolean {
  return error instanceof Problem && !['internal', 'network'].includes(error.kind);
}
