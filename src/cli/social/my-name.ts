import { perform, type Caller } from '../../client/perform.ts';
import { accounts } from '../../contract/accounts.ts';

/** The id of the caller, for operations that name a member. */
export async function myName(caller: Caller): Promise<string> {
  return (await perform(caller, accounts.verify, {})).user.id;
}
