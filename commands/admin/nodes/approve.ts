import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { nodeArgument } from '../../../src/cli/pool/node-argument.ts';
import { expiryOf } from '../../../src/cli/kit/expiry.ts';
import { compareFingerprint, findPending } from '../../../src/cli/pool/pool-node.ts';
import { pool } from '../../../src/contract/pool.ts';

export default class Approve extends ApiCommand {
  static override summary = 'Approve a join request, after comparing the fingerprint of the node';
  static override examples = [
    '<%= config.bin %> admin nodes approve 3fa9c1',
    '<%= config.bin %> admin nodes approve 3fa9c1 --expires 90d --fingerprint "ten words as the other node shows them …"',
  ];
  static override args = nodeArgument;
  static override flags = {
    fingerprint: Flags.string({
      description: 'fingerprint that the other node shows: at least 8 words, or at least 22 hex digits',
      helpValue: 'WORDS',
    }),
    expires: Flags.string({ description: 'when the admission expires: 90d, 12h, or a date', helpValue: 'WHEN' }),
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
      () => `Node ${nodeId} is admitted.\nAccess list version ${approved.aclVersion} is active.`,
    );
  }
}
