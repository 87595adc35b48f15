import { Args, Flags } from '@oclif/core';
import { findVault } from '../../src/cli/passvault/find-vault.ts';
import { findEntries } from '../../src/cli/passvault/entries/listing.ts';
import { typesByName } from '../../src/cli/passvault/entries/new-entry.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { foundTable } from '../../src/cli/passvault/vault-tables.ts';

export default class Find extends VaultCommand {
  static override summary = 'Find entries by part of the title, user name, address or tag';
  static override description = 'Searches all open vaults, or those that --vault names.';
  static override examples = [
    '<%= config.bin %> vault find git',
    '<%= config.bin %> vault find --vault Work --tag servers',
  ];
  static override args = { query: Args.string({ description: 'text to search for', default: '' }) };
  static override flags = {
    vault: Flags.string({
      description: 'search this vault; repeat for more',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    tag: Flags.string({ description: 'show only entries with this tag', helpValue: 'TAG' }),
    type: Flags.string({ description: 'show only entries of this type', options: Object.keys(typesByName) }),
    favorite: Flags.boolean({ description: 'favourites' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Find);
    await using session = await this.session(flags);
    const named = flags.vault && (await Promise.all(flags.vault.map((name) => findVault(session, name))));
    const { found, locked } = await findEntries(session, args.query, flags, named);
    await this.answer({ results: found }, (screen) => foundTable(screen, found));
    if (locked.length > 0) this.say(`Not searched, because locked: ${locked.map(({ name }) => name).join(', ')}.`);
  }
}
