import { Args } from '@oclif/core';
import { findOwnVault } from '../../src/cli/passvault/find-vault.ts';
import { memberNames, withNames } from '../../src/cli/passvault/sharing/recipients.ts';
import { performOn } from '../../src/cli/passvault/session.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Share extends VaultCommand {
  static override summary = 'Share a vault with other members';
  static override description =
    'The members can read and write its entries. They open the vault with the password of their own account. Only you can share it, see its audit log, set up emergency access, and delete it.';
  static override usage = 'vault share VAULT MEMBER...';
  static override examples = ['<%= config.bin %> vault share Work bob carol@example.org'];
  static override strict = false;
  static override args = {
    ...vaultArgument,
    member: Args.string({
      description: 'username, verified e-mail address or id of a member; repeat for more',
      required: true,
    }),
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Share);
    await using session = await this.session(flags);
    const vault = await findOwnVault(session, args.vault);
    const names = memberNames((argv as string[]).slice(1));
    const input = { vaultId: vault.id, recipientMemberIds: names };
    const { recipientMemberIds } = await withNames(names, performOn(session, vault, passvault.share, input));
    const shared = { id: vault.id, name: vault.name, sharedWith: recipientMemberIds };
    await this.answer(shared, () => escapeForTerminal(`Shared ${vault.name} with ${names.join(', ')}.`));
  }
}
