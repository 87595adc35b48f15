import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { allNodes } from '../../../src/cli/pool/pool-pages.ts';
import { nodeTable } from '../../../src/cli/pool/pool-details.ts';

export default class List extends ApiCommand {
  static override summary = 'List the nodes of the pool';
  static override examples = ['<%= config.bin %> admin nodes list', '<%= config.bin %> admin nodes list --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const nodes = await allNodes(client);
    await this.answer({ nodes }, (screen) => nodeTable(screen, nodes));
  }
}
