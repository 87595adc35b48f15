import { listFlags, ListCommand, listing } from '../../src/cli/kit/list-command.ts';
import { epochColumns } from '../../src/cli/quorum/member-views.ts';
import { quorumEpochs } from '../../src/contract/quorum/epochs.ts';

export default class Epochs extends ListCommand {
  static override summary = 'List the epochs of the quorum, newest first';
  static override description = 'Each change of members, threshold, inner quorum or mode begins the next one.';
  static override examples = ['<%= config.bin %> quorum epochs'];
  static override flags = listFlags(quorumEpochs.listEpochs);

  protected override readonly shows = listing(quorumEpochs.listEpochs, 'epochs', epochColumns);
}
