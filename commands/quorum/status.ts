import type { Client } from '../../src/client/client.ts';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { statusText, type WholeStatus } from '../../src/cli/quorum/member-views.ts';
import { peopleOf } from '../../src/cli/quorum/people.ts';
import { quorumAudit } from '../../src/contract/quorum/audit.ts';
import { quorumEpochs, type QuorumStatus } from '../../src/contract/quorum/epochs.ts';

export default class Status extends ApiCommand {
  static override summary = 'Show the members, the threshold and the mode of the quorum';
  static override examples = ['<%= config.bin %> quorum status'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Status);
    await using client = await this.connect(flags);
    const { status } = await perform(client, quorumEpochs.status, {});
    const people = await peopleOf(client);
    const whole = await wholeOf(client, status);
    await this.answer(whole, (screen) => statusText(screen, whole, people));
  }
}

/** The numbers are for members of the quorum and administrators, who alone are told of changed holders. */
async function wholeOf(client: Client, status: QuorumStatus): Promise<WholeStatus> {
  if (status.holdersChanged === undefined) return status;
  const { metrics } = await perform(client, quorumAudit.metrics, {});
  return { ...status, pendingProposals: metrics.proposals.pending, outOfReach: metrics.documents.outOfReach };
}
