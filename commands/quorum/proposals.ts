import { listFlags, ListCommand, listing } from '../../src/cli/kit/list-command.ts';
import { proposalColumns } from '../../src/cli/quorum/proposal-views.ts';
import { quorumProposals } from '../../src/contract/quorum/proposals.ts';

export default class Proposals extends ListCommand {
  static override summary = 'List proposals, newest first';
  static override description = 'For members of the quorum and administrators.';
  static override examples = ['<%= config.bin %> quorum proposals --status pending'];
  static override flags = listFlags(quorumProposals.listProposals);

  protected override readonly shows = listing(quorumProposals.listProposals, 'proposals', proposalColumns);
}
