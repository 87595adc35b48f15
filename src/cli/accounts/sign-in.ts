import { Flags } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { accounts } from '../../contract/accounts.ts';
import { Problem } from '../../base/problem.ts';
import { claimsOf } from '../../client/token-claims.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { wrapSaid } from '../kit/wrap-words.ts';

/** A flag of commands that sign a member in. */
export const trustFlag = {
  trust: Flags.boolean({
    description: 'accept the key that the server has now, if it is not the one from the first sign-in',
  }),
};

/** Ends the session that a new sign-in replaces, so it does not stay open. */
export async function endEarlier(client: Client): Promise<void> {
  const earlier = await client.kept();
  if (earlier === undefined) return;
  try {
    await perform({ ...client, tokenFor: async () => earlier.token }, accounts.logout, {});
  } catch {
    // The old session has ended already, or the server cannot be reached. The new sign-in must not fail for that.
  }
}

/** Stores a new session for later commands, with the account data that they need. @param byKey whether it began without the password */
export async function keepSession(client: Client, token: string, byKey = false): Promise<void> {
  await client.keep(token, byKey);
  try {
    const { settings } = await perform({ ...client, tokenFor: async () => token }, accounts.settings, {});
    await client.noteTimezone(settings.timezone);
  } catch {
    // Without this setting, times are shown in the time zone of this machine.
  }
}

/** Ends the current session of the caller. A session that has already ended is no error. */
export async function endSession(client: Client): Promise<void> {
  const kept = await client.kept();
  try {
    const token = await client.tokenFor(accounts.logout);
    await perform({ ...client, tokenFor: async () => token }, accounts.logout, {});
    if (token !== undefined) await client.forget(token);
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'UNAUTHORIZED' && kept !== undefined)) throw error;
  }
}

/** The answer of commands that sign in. It does not contain the token. */
export function signedInAs(
  token: string,
  client: Client,
): { memberId: string; username: string; server: string; expiresAt: string } {
  const { memberId = '', username = '', exp = 0 } = claimsOf(token) ?? {};
  return { memberId, username, server: client.connection.server, expiresAt: new Date(exp * 1000).toISOString() };
}

export function describeSignIn(screen: Screen, client: Client, token: string): string {
  const { username, expiresAt } = signedInAs(token, client);
  const text = `Signed in to ${client.place} as ${username}, until ${moment(screen, expiresAt)}.`;
  return wrapSaid(text, screen.width);
}

/** Says that a sign-in with `--server` changes the server of later commands. */
export function laterCommands({ server }: { readonly server?: string | undefined }): string[] {
  return server === undefined
    ? []
    : ['Later commands use this server. To use the store on this machine: conclave server use local'];
}
