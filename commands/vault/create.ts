import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { vaultTable } from '../../src/cli/passvault/vault-tables.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Create extends ApiCommand {
  static override summary = 'Create a vault; it is open in this session';
  static override description =
    'The master password opens it and nothing else does: a forgotten one is replaced only by emergency access, see: conclave vault emergency setup.';
  static override examples = ['<%= config.bin %> vault create Work'];
  static override args = { name: Args.string({ description: 'name of the vault' }) };
  static override flags = flagsOf(passvault.createVault, { omit: ['name'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    await using client = await this.connect(flags);
    // Who isn't signed in hears so before thinking of a password.
    await perform(client, passvault.listVaults, {});
    const options = { given: args, argument: 'name', fresh: ['master-password'] };
    const input = await this.inputFor(passvault.createVault, flags, options);
    const { vault } = await this.waitFor('Making the vault', perform(client, passvault.createVault, input));
    await this.answer(vault, (screen) => vaultTable(screen, [vault]));
  }
}
