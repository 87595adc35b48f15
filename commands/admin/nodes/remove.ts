import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { nodeArgument } from '../../../src/cli/pool/node-argument.ts';
import { findNode } from '../../../src/cli/pool/pool-node.ts';
import { pool } from '../../../src/contract/pool.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Remove a node from the pool';
  static override examples = [
    '<%= config.bin %> admin nodes remove 3fa9c1',
    '<%= config.bin %> admin nodes remove 3fa9c1 --ban --yes',
  ];
  static override args = nodeArgument;
  static override flags = {
    ban: Flags.boolean({ description: 'ban the node: its requests are refused until the ban is lifted' }),
    yes: Flags.boolean({ description: 'do not ask for confirmation' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const { nodeId, mailDomain } = await findNode(client, args.node);
    const named = mailDomain === undefined ? nodeId : `${nodeId}, which serves mail for ${mailDomain}`;
    const { ban } = flags;
    await confirmed(this.terminal, flags.yes, `${ban ? 'Remove and ban' : 'Remove'} node ${named}?`);
    const removed = await perform(client, pool.removeNode, { nodeId, ...(ban && { ban }) });
    await this.answer(
      removed,
      () => `Node ${nodeId} is ${ban ? 'banned' : 'removed'}.\nAccess list version ${removed.aclVersion} is active.`,
    );
  }
}
