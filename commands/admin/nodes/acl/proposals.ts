import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { proposalTable } from '../../../../src/cli/pool/proposals.ts';
import { pool } from '../../../../src/contract/pool.ts';

export default class Proposals extends ApiCommand {
  static override summary = 'List proposed changes of the access list that need more signatures';
  static override examples = [
    '<%= config.bin %> admin nodes acl proposals',
    '<%= config.bin %> admin nodes acl proposals --json',
  ];

  async run(): Promise<void> {
    const { flags } = await this.parse(Proposals);
    await using client = await this.connect(flags);
    const { proposals } = await perform(client, pool.aclProposals, {});
    await this.answer({ proposals }, (screen) => proposalTable(screen, proposals));
  }
}
