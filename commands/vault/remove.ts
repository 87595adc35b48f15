import { Flags } from '@oclif/core';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { findEntry } from '../../src/cli/passvault/entries/find-entry.ts';
import { vaultTitle } from '../../src/base/vault-names.ts';
import { performOn } from '../../src/cli/passvault/session.ts';
import { entryArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Remove extends VaultCommand {
  static override summary = 'Delete an entry with its attachments';
  static override description =
    'To hide an entry from lists instead, archive it: conclave vault edit Work/GitHub archived=yes';
  static override examples = ['<%= config.bin %> vault remove Work/GitHub --yes'];
  static override args = entryArgument;
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using session = await this.session(flags);
    const { vault, found } = await findEntry(session, args.entry);
    const name = escapeForTerminal(`${vaultTitle(vault)}/${found.title}`);
    await confirmed(this.terminal, flags.yes, `Delete ${name} for ever?`);
    await performOn(session, vault, passvault.deleteEntry, { vaultId: vault.id, entryId: found.id });
    await this.answer({ deleted: found.id, title: found.title }, () => `Deleted ${name}.`);
  }
}
