import Register from '../../../commands/account/register.ts';
import Login from '../../../commands/login.ts';
import { openClient } from '../../../src/client/client.ts';
import { perform } from '../../../src/client/perform.ts';
import { quorumMembers } from '../../../src/contract/quorum/members.ts';
import { openHome, rootPassword, type Home, type HomeOptions, type WayIn } from '../home.ts';
import type { Run, RunOptions } from '../run-command.ts';

export interface QuorumHome extends AsyncDisposable {
  readonly home: Home;
  /** tokens by username; `root` is the administrator */
  readonly tokens: Readonly<Record<string, string>>;
  /** recovery phrases of the accounts, by username */
  readonly accountPhrases: Readonly<Record<string, string>>;
  /** files with the recovery phrases of the quorum, by username */
  readonly phrases: Readonly<Record<string, string>>;
  /** ids of members of the quorum, by username */
  readonly ids: Readonly<Record<string, string>>;
  /** the options to run a command as somebody; each has a folder of sign-ins */
  as(name: string, env?: NodeJS.ProcessEnv): { readonly env: NodeJS.ProcessEnv };
  /** runs a command as somebody */
  run(name: string, command: Parameters<Home['run']>[0], argv?: readonly string[], options?: RunOptions): Promise<Run>;
}

/** A quorum whose members are accounts with these names. */
export async function openQuorumHome(
  way: WayIn,
  names: readonly string[],
  homeOptions: HomeOptions = {},
): Promise<QuorumHome> {
  const home = await openHome(way, homeOptions);
  const tokens: Record<string, string> = {};
  const accountPhrases: Record<string, string> = {};
  const phrases: Record<string, string> = {};
  const ids: Record<string, string> = {};
  const login = async (name: string, password: string) =>
    (await home.run(Login, [name, '--print-token'], { env: { CONCLAVE_PASSWORD: password } })).stdout.trim();
  tokens['root'] = await login('root', rootPassword);
  for (const name of names) {
    const password = `the long secret of ${name}`;
    const registered = await home.run(Register, ['--username', name, '--email', `${name}@home.test`, '--json'], {
      env: { CONCLAVE_PASSWORD: password },
    });
    const { mnemonic: accountPhrase, memberId: accountId } = registered.json();
    accountPhrases[name] = accountPhrase;
    tokens[name] = await login(name, password);
    await using client = await openClient({
      env: { ...home.env, CONCLAVE_TOKEN: tokens['root'] },
      userAgent: 'test',
      command: 'test',
      server: home.env['CONCLAVE_SERVER'],
    });
    const input = { name, email: `${name}@home.test`, accountId };
    const { member, mnemonic } = await perform(client, quorumMembers.addMember, input);
    ids[name] = member.id;
    phrases[name] = await home.file(`${name}.phrase`, `${mnemonic}\n`);
  }
  const as: QuorumHome['as'] = (name, env = {}) => ({
    env: { CONCLAVE_TOKEN: tokens[name], XDG_CONFIG_HOME: `${home.folder}/${name}`, ...env },
  });
  return {
    home,
    tokens,
    accountPhrases,
    phrases,
    ids,
    as,
    run: async (name, command, argv = [], options = {}) => await home.run(command, argv, { ...as(name), ...options }),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}
