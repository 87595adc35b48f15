import { Args, Flags } from '@oclif/core';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { findOwnVault } from '../../../src/cli/passvault/find-vault.ts';
import { memberNames, withNames } from '../../../src/cli/passvault/sharing/recipients.ts';
import { performOn } from '../../../src/cli/passvault/session.ts';
import { vaultArgument, VaultCommand } from '../../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../../src/contract/passvault.ts';

export default class Setup extends VaultCommand {
  static override summary = 'Name the trustees who can recover a vault together';
  static override description =
    'Each trustee gets a share, which is useless alone. As many trustees as the threshold can recover the vault together, with or without you. Each trustee prints their share with: conclave vault emergency share. If you set up emergency access again, earlier shares stop working. To be notified before a recovery, set a waiting period on the server: vaults.emergency_wait, for example 7 days.';
  static override usage = 'vault emergency setup VAULT MEMBER... --threshold N';
  static override examples = ['<%= config.bin %> vault emergency setup Work --threshold 2 alice bob carol'];
  static override strict = false;
  static override args = {
    ...vaultArgument,
    member: Args.string({
      description: 'username, verified e-mail address or id of a trustee; repeat for more',
      required: true,
    }),
  };
  static override flags = {
    threshold: Flags.integer({
      description: 'how many trustees a recovery needs',
      min: 1,
      max: 255,
      required: true,
      helpValue: 'N',
    }),
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Setup);
    await using session = await this.session(flags);
    const vault = await findOwnVault(session, args.vault);
    const trustees = memberNames((argv as string[]).slice(1));
    const input = { vaultId: vault.id, threshold: flags.threshold, trustees };
    const reply = await withNames(trustees, performOn(session, vault, passvault.configureEmergencyAccess, input));
    await this.answer({ vaultId: vault.id, ...reply }, () =>
      escapeForTerminal(`Any ${reply.threshold} of ${reply.totalShares} trustees can recover ${vault.name}.`),
    );
  }
}
