import { Args } from '@oclif/core';
import { vaultTitle } from '../../src/base/vault-names.ts';
import { allVaults, findVault, theOnly } from '../../src/cli/passvault/find-vault.ts';
import { openVault } from '../../src/cli/passvault/session.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class Open extends VaultCommand {
  static override summary = 'Open a vault in this session';
  static override description =
    'The vault stays open for your later commands until 15 minutes pass without one, you lock it, or you sign out. This machine stores nothing for that beside your sign-in. A vault that somebody shares with you opens with the password of your own account.';
  static override examples = [
    '<%= config.bin %> vault open Work',
    '<%= config.bin %> vault open Work --master-password-file ./password',
  ];
  static override args = {
    vault: Args.string({ description: 'name of the vault, or beginning of its id; not needed if there is only one' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Open);
    await using session = await this.session(flags);
    const vault = args.vault === undefined ? theOnly(await allVaults(session)) : await findVault(session, args.vault);
    await openVault(session, vault);
    await this.answer({ id: vault.id, name: vault.name, open: true }, () => `${vaultTitle(vault)} is open.`);
  }
}
