import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import Register from '../../../commands/account/register.ts';
import { openHome, type Home } from '../home.ts';
import type { RunOptions } from '../run-command.ts';

type Command = Parameters<Home['run']>[0];
type Ran = ReturnType<Home['run']>;

/** Members of one node, each with a machine of their own, with their phrase at hand unless `env` says otherwise. */
export interface PeopleWithKeys<Name extends string> extends AsyncDisposable {
  readonly home: Home;
  readonly phrases: ReadonlyMap<string, string>;
  as(name: Name, command: Command, argv?: readonly string[], options?: RunOptions): Ran;
  /** the same on another machine of theirs */
  on(machine: string, name: Name, command: Command, argv: readonly string[], options?: RunOptions): Ran;
}

/** @param via what stands between them and the node, by its address */
export async function openPeopleWithKeys<Name extends string>(
  names: readonly Name[],
  password: string,
  via?: (url: string) => Promise<string>,
): Promise<PeopleWithKeys<Name>> {
  const home = await openHome('url');
  const phrases = new Map<string, string>();
  const server = await via?.(home.env['CONCLAVE_SERVER'] ?? '');
  const on: PeopleWithKeys<Name>['on'] = async (machine, name, command, argv, options = {}) => {
    const folder = join(home.folder, machine);
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o700);
    const own = { XDG_CONFIG_HOME: folder, XDG_RUNTIME_DIR: folder, TMPDIR: folder, CONCLAVE_PASSWORD: password };
    const elsewhere = server === undefined ? {} : { CONCLAVE_SERVER: server };
    const env = { ...own, ...elsewhere, CONCLAVE_KEY: phrases.get(name), ...options.env };
    return await home.run(command, argv, { ...options, env });
  };
  const as: PeopleWithKeys<Name>['as'] = async (name, command, argv = [], options = {}) =>
    await on(name, name, command, argv, options);
  for (const name of names) {
    const made = await as(name, Register, ['--username', name, '--email', `${name}@example.org`, '--json']);
    phrases.set(name, made.json().mnemonic);
  }
  return { home, phrases, as, on, [Symbol.asyncDispose]: async () => await home[Symbol.asyncDispose]() };
}
