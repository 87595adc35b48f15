import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { ownKeys, phraseFlag } from '../../../src/cli/quorum/phrase.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import { quorumEpochs } from '../../../src/contract/quorum/epochs.ts';
import { quorumMembers } from '../../../src/contract/quorum/members.ts';

export default class Link extends ApiCommand {
  static override summary = 'Link your account to the member of the quorum that you are';
  static override description = 'Your recovery phrase of the quorum signs it on this machine.';
  static override examples = ['<%= config.bin %> quorum members link --mnemonic-file phrase.txt'];
  static override flags = { ...phraseFlag };

  async run(): Promise<void> {
    const { flags } = await this.parse(Link);
    await using client = await this.connect(flags);
    const { status } = await perform(client, quorumEpochs.status, {});
    const { user } = await perform(client, accounts.verify, {});
    const keys = await ownKeys(this.terminal, flags['mnemonic-file']);
    const { signedLink } = await import('../../../src/client/quorum/link.ts');
    const { member } = await perform(client, quorumMembers.linkMember, signedLink(status.nodeId, user.id, keys));
    const doubt =
      member.linkUnverified === true
        ? ' The key is that of your account, so the link stays unverified until an administrator confirms your e-mail address.'
        : '';
    await this.answer(member, () => escapeForTerminal(`You are ${member.metadata.name} in the quorum.${doubt}`));
  }
}
