import Register from '../../../commands/account/register.ts';
import Login from '../../../commands/login.ts';
import { openHome, type Home, type WayIn } from '../home.ts';
import type { Run, RunOptions } from '../run-command.ts';

/** Members who write to each other: the mailbox of `ada` is ada@home.example. */
export interface MailPeople extends AsyncDisposable {
  readonly home: Home;
  /** by username */
  readonly tokens: Readonly<Record<string, string>>;
  /** runs a command as somebody; each has a folder of sign-ins */
  run(name: string, command: Parameters<Home['run']>[0], argv?: readonly string[], options?: RunOptions): Promise<Run>;
}

export async function openMailPeople(way: WayIn, names: readonly string[]): Promise<MailPeople> {
  const domain = { CONCLAVE_MAIL_DOMAIN: 'home.example' };
  const home = await openHome(way, { serveEnv: domain });
  const tokens: Record<string, string> = {};
  for (const name of names) {
    const env = { ...domain, CONCLAVE_PASSWORD: `the long secret of ${name}` };
    await home.run(Register, ['--username', name, '--email', `${name}@home.test`], { env });
    tokens[name] = (await home.run(Login, [name, '--print-token'], { env })).stdout.trim();
  }
  return {
    home,
    tokens,
    run: async (name, command, argv = [], options = {}) => {
      const own = { ...domain, CONCLAVE_TOKEN: tokens[name], XDG_CONFIG_HOME: `${home.folder}/${name}` };
      return await home.run(command, argv, { ...options, env: { ...own, ...options.env } });
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}
