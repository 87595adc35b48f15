import { Flags } from '@oclif/core';
import { perform } from '../../../../src/client/perform.ts';
import { verifyFile } from '../../../../src/cli/pool/access-list-file.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { describeChecks } from '../../../../src/cli/pool/node-details.ts';
import { pool } from '../../../../src/contract/pool.ts';
import { Problem } from '../../../../src/base/problem.ts';

export default class Verify extends ApiCommand {
  static override summary = 'Verify every version of the access list, on a node or in an exported file';
  static override examples = [
    '<%= config.bin %> admin nodes acl verify',
    '<%= config.bin %> admin nodes acl verify --file access-lists.json',
  ];
  static override flags = {
    file: Flags.string({ description: 'exported file; no node is asked', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Verify);
    if (flags.file !== undefined) {
      const found = await verifyFile(flags.file);
      await this.answer(found, () => `${found.versions} versions of pool ${found.poolId} have valid signatures.`);
      this.say(`Not proven: ${found.unproven.join('; ')}.`);
      return;
    }
    await using client = await this.connect(flags);
    const found = await perform(client, pool.verifyAcl, {});
    await this.answer(found, (screen) => describeChecks(screen, { ok: found.valid, checks: found.checks }));
    if (!found.valid) throw new Problem('internal', 'VERIFY_FAILED', 'The access list is not valid.');
  }
}
