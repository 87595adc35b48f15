import type { Client, ClientOptions } from '../../client/client.ts';
import { members } from '../../contract/accounts/members.ts';
import { escapeLinesForTerminal } from '../kit/escape-for-terminal.ts';
import { inputFor } from '../kit/input.ts';
import type { Terminal } from '../kit/terminal.ts';
import {
  administratorQuestions,
  createAdministrator,
  hasAdministrator,
  randomPassword,
} from './first-administrator.ts';

type Connect = (options?: Pick<ClientOptions, 'create'>) => Promise<Client>;

/**
 * Makes a store and its first administrator where there is none, and asks nothing: what no variable gives is generated. The password and the
 * recovery phrase go to a file, because the output of a service is in its log.
 */
export async function makeMissingStore(terminal: Terminal, connect: Connect): Promise<void> {
  if (await hasAdministrator(connect)) return;
  const otherwise = { username: 'admin', email: 'admin@localhost', password: randomPassword() };
  const input = await inputFor(terminal, members.createAdministrator, {}, { ...administratorQuestions, otherwise });
  await using client = await connect({ create: true });
  const { file = '' } = await createAdministrator(client, input, true);
  const where = `The password and the recovery phrase are in ${file}. Read it, then delete it.`;
  terminal.stderr.write(`${escapeLinesForTerminal(`${input.username} is the administrator. ${where}`)}\n`);
}
