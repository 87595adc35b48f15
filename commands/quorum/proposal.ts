import { Args } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { proposalIdOf, proposalWithPeople } from '../../src/cli/quorum/find-proposal.ts';
import { proposalText } from '../../src/cli/quorum/proposal-views.ts';

export default class ProposalCommand extends ApiCommand {
  static override summary = 'Show a proposal, its votes, and who has not voted';
  static override description = 'The signature of every vote is verified. Votes that do not count are marked.';
  static override examples = ['<%= config.bin %> quorum proposal 01a1fcb906fb'];
  static override args = {
    proposal: Args.string({ description: 'id of the proposal, or its first eight or more digits', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProposalCommand);
    await using client = await this.connect(flags);
    const { shown, people } = await proposalWithPeople(client, await proposalIdOf(client, args.proposal));
    await this.answer(shown, (screen) => proposalText(screen, shown, people));
  }
}
