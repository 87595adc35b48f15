import { Args } from '@oclif/core';
import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { findToken } from '../../../../src/cli/pool/join-tokens.ts';
import { pool } from '../../../../src/contract/pool.ts';

export default class Revoke extends ApiCommand {
  static override summary = 'Revoke a join token; nodes that it admitted stay in the pool';
  static override examples = ['<%= config.bin %> admin nodes token revoke 5e0c91'];
  static override args = {
    token: Args.string({ description: 'id of the token (not the token itself), or its beginning', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Revoke);
    await using client = await this.connect(flags);
    const revoked = await perform(client, pool.revokeToken, { id: await findToken(client, args.token) });
    await this.answer(revoked, () => `Join token ${revoked.id} is revoked.`);
  }
}
