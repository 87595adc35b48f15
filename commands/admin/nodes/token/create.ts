import { Flags } from '@oclif/core';
import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { expiryOf } from '../../../../src/cli/kit/expiry.ts';
import { moment } from '../../../../src/cli/kit/screen.ts';
import { pool } from '../../../../src/contract/pool.ts';

export default class Create extends ApiCommand {
  static override summary = 'Make a join token: a node that has it is admitted without a decision';
  static override description =
    'Only this node admits by the token, so that it can count. The token is a secret. It is printed once, and not stored.';
  static override examples = [
    '<%= config.bin %> admin nodes token create --ttl 1h --uses 1 > token.txt',
    '<%= config.bin %> admin nodes token create --ttl 2d --uses 20 --expires 90d --json',
  ];
  static override flags = {
    ttl: Flags.string({
      description: 'how long the token is valid: 1h, 2d; at most 30d',
      default: '1h',
      helpValue: 'TIME',
    }),
    uses: Flags.integer({ description: 'how many nodes it admits', default: 1, min: 1, helpValue: 'N' }),
    expires: Flags.string({ description: 'when the admissions by it expire: 90d, 12h, or a date', helpValue: 'WHEN' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Create);
    const now = Date.now();
    const admittedUntil = flags.expires === undefined ? undefined : expiryOf(flags.expires, now);
    await using client = await this.connect(flags);
    const made = await perform(client, pool.createToken, {
      expiresAt: expiryOf(flags.ttl, now, '--ttl') ?? '',
      uses: flags.uses,
      ...(admittedUntil !== undefined && { admittedUntil }),
    });
    await this.answer(made, () => made.token);
    const { id, uses, expiresAt } = made.joinToken;
    // The token may go to a file.
    const screen = await this.screen(this.terminal.stderr);
    const nodes = uses === 1 ? 'one node' : `${uses} nodes`;
    this.say(
      `Join token ${id} admits ${nodes} until ${moment(screen, expiresAt)}.\nOn the other machine:\nconclave pool join ADDRESS --token-file FILE`,
    );
  }
}
