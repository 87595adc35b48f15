import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { nodeArgument } from '../../../src/cli/pool/node-argument.ts';
import { compareFingerprint, expiryOf, findPending } from '../../../src/cli/pool/pool-node.ts';
import { pool } from '../../../src/contract/pool.ts';

export default class Approve extends ApiCommand {
  static override summary = 'Admit a node that asks to join, after comparing its fingerprint';
  static override examples = [
    '<%= config.bin %> admin nodes approve 3fa9c1',
    '<%= config.bin %> admin nodes approve 3fa9c1 --expires 90d --fingerprint "ten words as the other node shows them …"',
  ];
  static override args = nodeArgument;
  static override flags = {
    fingerprint: Flags.string({
      description: 'what the other node shows: its words (at least 8) or hex (at least 22 digits)',
      helpValue: 'WORDS',
    }),
    expires: Flags.string({ description: 'when the admission ends by itself: 90d, 12h, or a date', helpValue: 'WHEN' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Approve);
    const expiresAt = flags.expires === undefined ? undefined : expiryOf(flags.expires, Date.now());
    await using client = await this.connect(flags);
    const node = await findPending(client, args.node);
    await compareFingerprint(this.terminal, node, flags.fingerprint);
    const { nodeId } = node;
    const approved = await perform(client, pool.approveNode, { nodeId, ...(expiresAt !== undefined && { expiresAt }) });
    await this.answer(
      approved,
      () => `Node ${nodeId} is admitted. The access list has version ${approved.aclVersion}.`,
    );
  }
}
