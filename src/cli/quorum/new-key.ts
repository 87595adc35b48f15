import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { accounts } from '../../contract/accounts.ts';
import { members } from '../../contract/accounts/members.ts';
import { quorumEpochs } from '../../contract/quorum/epochs.ts';
import { Problem } from '../../base/problem.ts';
import type { Terminal } from '../kit/terminal.ts';
import { keptPhrase } from './new-phrase.ts';

/**
 * The key of the account that is signed in.
 * @returns compressed, hex
 */
export async function accountKey(client: Client): Promise<string> {
  const { user } = await perform(client, accounts.verify, {});
  return (await perform(client, members.show, { memberId: user.id })).member.publicKey;
}

/**
 * The key of a new phrase, which is made only if administrators still add members: nobody should write down a phrase for nothing.
 * @throws Problem forbidden PROPOSAL_REQUIRED; as `keptPhrase`
 */
export async function newKey(client: Client, terminal: Terminal): Promise<string> {
  const { status } = await perform(client, quorumEpochs.status, {});
  if (status.mode !== 'bootstrap')
    throw new Problem(
      'forbidden',
      'PROPOSAL_REQUIRED',
      'The quorum decides about its members itself. To propose one, run: conclave quorum propose ADD_MEMBER',
    );
  return await keptPhrase(terminal);
}
