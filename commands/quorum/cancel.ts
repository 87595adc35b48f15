import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { proposalIdOf } from '../../src/cli/quorum/find-proposal.ts';
import { quorumProposals } from '../../src/contract/quorum/proposals.ts';

export default class Cancel extends ApiCommand {
  static override summary = 'Cancel a proposal of your own';
  static override description = 'While it is pending, or approved and not carried out.';
  static override examples = ['<%= config.bin %> quorum cancel 01a1fcb906fb'];
  static override args = {
    proposal: Args.string({ description: 'id of the proposal, or its first eight or more digits', required: true }),
  };
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Cancel);
    await using client = await this.connect(flags);
    const proposalId = await proposalIdOf(client, args.proposal);
    await confirmed(this.terminal, flags.yes, `Cancel the proposal ${proposalId}?`);
    const { proposal } = await perform(client, quorumProposals.cancelProposal, { proposalId });
    await this.answer(proposal, () => `Cancelled ${proposal.id}.`);
  }
}
