import { collectPages } from '../../../src/client/pages.ts';
import { appPasswordTable } from '../../../src/cli/accounts/app-password-table.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { accounts } from '../../../src/contract/accounts.ts';

export default class List extends ApiCommand {
  static override summary = 'List your app passwords, without their secrets';
  static override examples = [
    '<%= config.bin %> account app-password list',
    '<%= config.bin %> account app-password list --json',
  ];

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const { items: appPasswords } = await collectPages(client, accounts.listAppPasswords, {}, 'appPasswords');
    await this.answer({ appPasswords }, (screen) => appPasswordTable(screen, appPasswords));
  }
}
