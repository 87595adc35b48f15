import { Args } from '@oclif/core';
import { findVault } from '../../src/cli/vault/find-vault.ts';
import { memberIdsOf } from '../../src/cli/vault/recipients.ts';
import { performOn } from '../../src/cli/vault/session.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/vault/vault-command.ts';
import { harmless } from '../../src/cli/harmless.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Share extends VaultCommand {
  static override summary = 'Share a vault with other members';
  static override description =
    'They read and write its entries, and open it with the password of their own account. Sharing, the audit log, emergency access and deletion stay yours.';
  static override examples = ['<%= config.bin %> vault share Work 5f0c9a3be1d2c4a6b8e7f901'];
  static override strict = false;
  static override args = {
    ...vaultArgument,
    member: Args.string({
      description: 'id of a member, or their name where you may look it up; again for more',
      required: true,
    }),
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Share);
    await using session = await this.session(flags);
    const vault = await findVault(session, args.vault);
    const recipientMemberIds = await memberIdsOf(session.client, (argv as string[]).slice(1));
    await performOn(session, vault, passvault.share, { vaultId: vault.id, recipientMemberIds });
    const shared = { id: vault.id, name: vault.name, sharedWith: recipientMemberIds };
    await this.answer(shared, () => harmless(`Shared ${vault.name} with ${recipientMemberIds.length}.`));
  }
}
