import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { statusText } from '../../src/cli/quorum/member-views.ts';
import { peopleOf } from '../../src/cli/quorum/people.ts';
import { quorumEpochs } from '../../src/contract/quorum/epochs.ts';

export default class Status extends ApiCommand {
  static override summary = 'Show the members, the threshold and the mode of the quorum';
  static override examples = ['<%= config.bin %> quorum status'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Status);
    await using client = await this.connect(flags);
    const { status } = await perform(client, quorumEpochs.status, {});
    const people = await peopleOf(client);
    await this.answer(status, (screen) => statusText(screen, status, people));
  }
}
