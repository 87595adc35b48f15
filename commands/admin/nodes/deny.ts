import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { flagsOf } from '../../../src/cli/kit/flags.ts';
import { nodeArgument } from '../../../src/cli/pool/node-argument.ts';
import { findPending } from '../../../src/cli/pool/pool-node.ts';
import { pool } from '../../../src/contract/pool.ts';

export default class Deny extends ApiCommand {
  static override summary = 'Deny a join request, and send the node the reason';
  static override examples = [
    '<%= config.bin %> admin nodes deny 3fa9c1 --reason "we do not know you"',
    '<%= config.bin %> admin nodes deny 3fa9c1 --ban',
  ];
  static override args = nodeArgument;
  static override flags = flagsOf(pool.denyNode, { omit: ['nodeId'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Deny);
    await using client = await this.connect(flags);
    const { nodeId } = await findPending(client, args.node);
    const input = await this.inputFor(pool.denyNode, flags, { given: { nodeId } });
    const denied = await perform(client, pool.denyNode, input);
    const banned = flags.ban === true && denied.proposal === undefined;
    await this.answer(denied, () => `Node ${nodeId} is ${banned ? 'denied and banned' : 'denied'}.`);
    if (denied.proposal !== undefined)
      this.say(
        `The access list ${flags.ban === true ? 'bans it' : 'remembers that'} once enough administrators sign: conclave admin nodes acl sign ${denied.proposal.slice(0, 12)}`,
      );
  }
}
