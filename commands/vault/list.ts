import { Args, Flags } from '@oclif/core';
import { listEntries } from '../../src/cli/passvault/entries/listing.ts';
import { allVaults, findVault } from '../../src/cli/passvault/find-vault.ts';
import { typesByName } from '../../src/cli/passvault/entries/new-entry.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { entryTable, vaultTable } from '../../src/cli/passvault/vault-tables.ts';

export default class List extends VaultCommand {
  static override summary = 'List your vaults, or the entries of one';
  static override examples = [
    '<%= config.bin %> vault list',
    '<%= config.bin %> vault list Work --tag servers --type login',
  ];
  static override args = { vault: Args.string({ description: 'name of a vault, or beginning of its id' }) };
  static override flags = {
    tag: Flags.string({ description: 'show only entries with this tag', helpValue: 'TAG' }),
    type: Flags.string({ description: 'show only entries of this type', options: Object.keys(typesByName) }),
    favorite: Flags.boolean({ description: 'favourites' }),
    archived: Flags.boolean({ description: 'show archived entries as well' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(List);
    await using session = await this.session(flags);
    if (args.vault === undefined) {
      const vaults = await allVaults(session);
      await this.answer({ vaults }, (screen) => vaultTable(screen, vaults));
      return await this.tell(vaults);
    }
    const vault = await findVault(session, args.vault);
    const entries = await listEntries(session, vault, flags);
    await this.answer({ vault: { id: vault.id, name: vault.name }, entries }, (screen) => entryTable(screen, entries));
  }
}
