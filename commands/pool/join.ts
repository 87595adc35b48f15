import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { joinDetails } from '../../src/cli/pool/pool-details.ts';
import { fingerprintLine } from '../../src/cli/pool/pool-node.ts';
import { refuseEnded, untilReached, waitForDecision } from '../../src/cli/pool/pool-watch.ts';
import { details } from '../../src/cli/kit/table.ts';
import { pool } from '../../src/contract/pool.ts';

const tokenVariable = { token: 'CONCLAVE_JOIN_TOKEN' };

export default class Join extends ApiCommand {
  static override summary = 'Ask to join the pool of another node';
  static override description =
    'The server of this node repeats the request in the background until an administrator of the pool decides, or for 7 days.';
  static override examples = [
    '<%= config.bin %> pool join node.example:7879 --message "the node in the cellar"',
    '<%= config.bin %> pool join /ip4/192.0.2.1/tcp/7879 --wait --json',
    '<%= config.bin %> pool join node.example:7879 --token-file token.txt',
  ];
  static override args = {
    address: Args.string({ description: 'address of the other node: host:port or a multiaddr', required: true }),
  };
  static override flags = {
    ...flagsOf(pool.join, { omit: ['address'], variables: tokenVariable }),
    wait: Flags.boolean({ description: 'wait for the decision; exit code 5 if it is denied' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Join);
    await using client = await this.connect(flags);
    const given = { address: args.address };
    const input = await this.inputFor(pool.join, flags, { given, argument: 'address', variables: tokenVariable });
    const asked = await this.waitFor('Asking', perform(client, pool.join, input));
    const { node } = asked;
    refuseEnded(asked.join);
    const approve = `conclave admin nodes approve ${node.nodeId} --fingerprint "${fingerprintLine(node.fingerprint)}"`;
    const decided =
      input.token === undefined ? `An administrator of the pool decides. They run:\n${approve}` : untilReached;
    if (asked.join.status !== 'approved') this.say(decided);
    if (node.addresses.length === 0)
      this.warnOf('The network of this node is off. It asks when conclave serve runs with network.enabled.');
    const waits = flags.wait && node.addresses.length > 0 && asked.join.status !== 'approved';
    const join = waits
      ? await this.waitFor('Waiting for the decision', waitForDecision(client, asked.join.id))
      : asked.join;
    await this.answer({ node, join, approve }, (screen) =>
      details(screen, [
        ['Node', node.nodeId],
        ['Fingerprint', fingerprintLine(node.fingerprint)],
        ...joinDetails(screen, join),
      ]),
    );
  }
}
