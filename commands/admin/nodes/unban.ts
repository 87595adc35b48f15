import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { nodeArgument } from '../../../src/cli/pool/node-argument.ts';
import { findNode } from '../../../src/cli/pool/pool-node.ts';
import { pool } from '../../../src/contract/pool.ts';

export default class Unban extends ApiCommand {
  static override summary = 'Lift the ban of a node; it may ask to join again';
  static override examples = ['<%= config.bin %> admin nodes unban 3fa9c1'];
  static override args = nodeArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unban);
    await using client = await this.connect(flags);
    const { nodeId } = await findNode(client, args.node);
    const lifted = await perform(client, pool.unbanNode, { nodeId });
    await this.answer(
      lifted,
      () => `The ban of node ${nodeId} is lifted.\nAccess list version ${lifted.aclVersion} is active.`,
    );
  }
}
