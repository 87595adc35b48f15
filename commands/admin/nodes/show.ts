import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { nodeArgument } from '../../../src/cli/pool/node-argument.ts';
import { describeNode } from '../../../src/cli/pool/pool-details.ts';
import { findNode } from '../../../src/cli/pool/pool-node.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show a node: a member of the pool, a former one, or one that asks to join';
  static override examples = ['<%= config.bin %> admin nodes show 3fa9c1'];
  static override args = nodeArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const node = await findNode(client, args.node);
    await this.answer(node, (screen) => describeNode(screen, node));
  }
}
