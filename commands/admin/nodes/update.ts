import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { nodeArgument } from '../../../src/cli/pool/node-argument.ts';
import { expiryOf } from '../../../src/cli/kit/expiry.ts';
import { findNode } from '../../../src/cli/pool/pool-node.ts';
import { pool } from '../../../src/contract/pool.ts';
import { Problem } from '../../../src/base/problem.ts';

export default class Update extends ApiCommand {
  static override summary = 'Change when the admission of a node expires, or its mail domain';
  static override examples = [
    '<%= config.bin %> admin nodes update 3fa9c1 --expires 90d',
    '<%= config.bin %> admin nodes update 3fa9c1 --expires never --mail-domain mail.example',
  ];
  static override args = nodeArgument;
  static override flags = {
    expires: Flags.string({ description: '90d, 12h, a date, or never', helpValue: 'WHEN' }),
    'mail-domain': Flags.string({
      description: 'domain whose mail the node serves, or none to remove it',
      helpValue: 'DOMAIN',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Update);
    const { expires, 'mail-domain': domain } = flags;
    if (expires === undefined && domain === undefined)
      throw new Problem('invalid', 'USAGE', 'Nothing to change. Give --expires or --mail-domain.');
    const change = {
      ...(expires !== undefined && { expiresAt: expiryOf(expires, Date.now()) ?? null }),
      ...(domain !== undefined && { mailDomain: domain === 'none' ? null : domain }),
    };
    await using client = await this.connect(flags);
    const { nodeId } = await findNode(client, args.node);
    const updated = await perform(client, pool.updateNode, { nodeId, ...change });
    await this.answer(
      updated,
      () => `Node ${nodeId} is updated.\nAccess list version ${updated.aclVersion} is active.`,
    );
  }
}
