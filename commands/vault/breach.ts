import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { fieldValue } from '../../src/cli/passvault/entries/field-value.ts';
import { readNamedEntry } from '../../src/cli/passvault/entries/find-entry.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../src/contract/passvault.ts';

const operation = passvault.checkBreach;

export default class Breach extends VaultCommand {
  static override summary = 'Check whether a password is in known breaches';
  static override description =
    'Checks the password of an entry, or one that you type or give in a file. Your server sends only the first five digits of its SHA-1 hash, and nothing if it has the list itself.';
  static override examples = [
    '<%= config.bin %> vault breach Work/GitHub',
    '<%= config.bin %> vault breach --password-file -',
  ];
  static override args = {
    entry: Args.string({ description: '<vault>/<entry>; without it, the command asks for a password' }),
  };
  static override flags = flagsOf(operation);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Breach);
    await using session = await this.session(flags);
    const input = args.entry === undefined ? await this.inputFor(operation, flags) : await passwordOf(args.entry);
    const reply = await this.waitFor('Asking', perform(session.client, operation, input));
    await this.answer(reply, () =>
      reply.breached ? `Breached: found ${reply.count} times. Change it.` : 'Not in any known breach.',
    );

    async function passwordOf(name: string): Promise<{ password: string }> {
      const { entry } = await readNamedEntry(session, name);
      const { value: password } = await fieldValue(entry, 'password', Date.now());
      return { password };
    }
  }
}
