import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { allNodes } from '../../../src/cli/pool/pool-pages.ts';
import { nodeTables } from '../../../src/cli/pool/pool-details.ts';

export default class List extends ApiCommand {
  static override summary = 'List the nodes of the pool, and the nodes that it refused';
  static override examples = ['<%= config.bin %> admin nodes list', '<%= config.bin %> admin nodes list --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const found = await allNodes(client);
    await this.answer(found, (screen) => nodeTables(screen, found.nodes, found.refused));
  }
}
