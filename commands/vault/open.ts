import { Args } from '@oclif/core';
import { allVaults, findVault, vaultTitle, theOnly } from '../../src/cli/passvault/find-vault.ts';
import { openVault } from '../../src/cli/passvault/session.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class Open extends VaultCommand {
  static override summary = 'Open a vault in this session';
  static override description =
    'It stays open for your later commands until 15 minutes go by without one, until conclave vault lock, or until you sign out. Nothing is kept on this machine for that beside your sign-in. Who has a vault from somebody else opens it with the password of their own account.';
  static override examples = [
    '<%= config.bin %> vault open Work',
    '<%= config.bin %> vault open Work --master-password-file ./password',
  ];
  static override args = {
    vault: Args.string({ description: 'name of the vault, or beginning of its id; not needed where there is one' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Open);
    await using session = await this.session(flags);
    const vault = args.vault === undefined ? theOnly(await allVaults(session)) : await findVault(session, args.vault);
    await openVault(session, vault);
    await this.answer({ id: vault.id, name: vault.name, open: true }, () => `${vaultTitle(vault)} is open.`);
  }
}
