import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { metricsText } from '../../src/cli/quorum/member-views.ts';
import { quorumAudit } from '../../src/contract/quorum/audit.ts';

export default class Metrics extends ApiCommand {
  static override summary = 'Show the numbers of the quorum';
  static override description = 'For members of the quorum and administrators.';
  static override examples = ['<%= config.bin %> quorum metrics --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Metrics);
    await using client = await this.connect(flags);
    const { metrics } = await perform(client, quorumAudit.metrics, {});
    await this.answer(metrics, (screen) => metricsText(screen, metrics));
  }
}
