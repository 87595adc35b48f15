import { Args } from '@oclif/core';
import { collectPages } from '../../../src/client/pages.ts';
import { perform } from '../../../src/client/perform.ts';
import { findAppPassword } from '../../../src/cli/accounts/app-password-table.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { accounts } from '../../../src/contract/accounts.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Remove an app password; its program is signed out at once';
  static override examples = [
    '<%= config.bin %> account app-password remove Telephone',
    '<%= config.bin %> account app-password remove 019aa4',
  ];
  static override args = {
    name: Args.string({ description: 'its name, or the beginning of its id', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const { items } = await collectPages(client, accounts.listAppPasswords, {}, 'appPasswords');
    const { id, name } = findAppPassword(args.name, items);
    await perform(client, accounts.removeAppPassword, { id });
    await this.answer({ removed: id }, () => `Removed app password ${escapeForTerminal(name)}.`);
  }
}
