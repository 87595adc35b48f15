import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { findTrusteeship } from '../../../src/cli/passvault/sharing/find-trusteeship.ts';
import { recoveryShareOf } from '../../../src/cli/passvault/sharing/recovery-shares.ts';
import { VaultCommand } from '../../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../../src/contract/passvault.ts';

export default class Share extends VaultCommand {
  static override summary = 'Print your share as a trustee of a vault, for a recovery';
  static override description =
    'Give the printed share to the person who recovers the vault, in a file or a message. It is encrypted to the key of the server. It works only together with as many other shares as the threshold needs. First make sure who asks.';
  static override examples = [
    '<%= config.bin %> vault emergency share > my-share.json',
    '<%= config.bin %> vault emergency share alice > my-share.json',
  ];
  static override args = {
    vault: Args.string({
      description: 'username of its owner, or beginning of its id; not needed if there is only one',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Share);
    await using session = await this.session(flags);
    const vaultId = await findTrusteeship(session, args.vault);
    const { share } = await perform(session.client, passvault.emergencyShare, { vaultId });
    const handedOver = recoveryShareOf(share);
    this.say(`Your share of ${share.vaultName}: ${share.threshold} of ${share.totalShares} are needed.`);
    await this.answer(handedOver, () => JSON.stringify(handedOver));
  }
}
