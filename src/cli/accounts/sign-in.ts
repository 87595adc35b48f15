import { Flags } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { accounts } from '../../contract/accounts.ts';
import { Problem } from '../../problem.ts';
import { claimsOf } from '../../client/token-claims.ts';
import { moment, type Screen } from '../kit/screen.ts';

/** Of commands that sign somebody in. */
export const trustFlag = {
  trust: Flags.boolean({
    description: 'take the key that the server has now, where it is not the one from the first sign-in',
  }),
};

/** Ends the session that a new sign-in takes the place of, so that no forgotten one stays open. */
export async function endEarlier(client: Client): Promise<void> {
  const earlier = await client.kept();
  if (earlier === undefined) return;
  try {
    await perform({ ...client, tokenFor: async () => earlier.token }, accounts.logout, {});
  } catch {
    // It has ended already, or can't be reached: it isn't what was asked for.
  }
}

/** Keeps a new session for later commands, with what they need to know of the account. */
export async function keepSession(client: Client, token: string): Promise<void> {
  await client.keep(token);
  try {
    const { settings } = await perform({ ...client, tokenFor: async () => token }, accounts.settings, {});
    await client.noteTimezone(settings.timezone);
  } catch {
    // Times are shown in the zone of this machine then: no reason to fail.
  }
}

/** Ends the session that this caller has now; one that has ended by itself will do. */
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

/** What a command that signed somebody in answers; the token itself stays in the file. */
export function signedInAs(
  token: string,
  client: Client,
): { memberId: string; username: string; server: string; expiresAt: string } {
  const { memberId = '', username = '', exp = 0 } = claimsOf(token) ?? {};
  return { memberId, username, server: client.connection.server, expiresAt: new Date(exp * 1000).toISOString() };
}

export function describeSignIn(screen: Screen, client: Client, token: string): string {
  const { username, expiresAt } = signedInAs(token, client);
  return `Signed in at ${client.place} as ${username}, until ${moment(screen, expiresAt)}.`;
}

/** What follows from a sign-in where `--server` said, for whoever didn't expect it. */
export function laterCommands({ server }: { readonly server?: string | undefined }): string[] {
  return server === undefined
    ? []
    : ['Later commands use this server. For the store on this machine: conclave server use local'];
}
