import { Flags } from '@oclif/core';
import { historyTable } from '../../src/cli/passvault/entries/entry-details.ts';
import { readNamedEntry } from '../../src/cli/passvault/entries/find-entry.ts';
import { entryArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class History extends VaultCommand {
  static override summary = 'List the earlier passwords of an entry, newest first';
  static override examples = ['<%= config.bin %> vault history Work/GitHub --show'];
  static override args = entryArgument;
  static override flags = { show: Flags.boolean({ description: 'show the passwords; --json always does' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(History);
    await using session = await this.session(flags);
    const { entry } = await readNamedEntry(session, args.entry);
    const history = entry.passwordHistory ?? [];
    await this.answer({ entryId: entry.id, history }, (screen) => historyTable(screen, entry, flags));
    if (history.length === 0) this.say('There are no earlier passwords.');
  }
}
