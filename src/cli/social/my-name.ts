import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { accounts } from '../../contract/accounts.ts';

/** The id of the caller, for operations that name a member. */
export async function myName(client: Client): Promise<string> {
  return (await perform(client, accounts.verify, {})).user.id;
}
