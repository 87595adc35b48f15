import { Flags } from '@oclif/core';
import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { describeList } from '../../../../src/cli/pool/pool-details.ts';
import { pool } from '../../../../src/contract/pool.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show the signed access list, or show an earlier version of it';
  static override examples = [
    '<%= config.bin %> admin nodes acl show',
    '<%= config.bin %> admin nodes acl show --version 3 --json',
  ];
  static override flags = {
    version: Flags.integer({ description: 'show an earlier version', min: 1, helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const list = await perform(client, pool.acl, flags.version === undefined ? {} : { version: flags.version });
    await this.answer(list, (screen) => describeList(screen, list));
  }
}
