import { Flags } from '@oclif/core';
import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../../../src/cli/kit/list-command.ts';
import { evidenceTable, historyTable } from '../../../../src/cli/pool/pool-details.ts';
import { historyPage } from '../../../../src/cli/pool/pool-pages.ts';
import { pool } from '../../../../src/contract/pool.ts';

export default class History extends ApiCommand {
  static override summary = 'List the versions of the access list, newest first';
  static override examples = [
    '<%= config.bin %> admin nodes acl history',
    '<%= config.bin %> admin nodes acl history --evidence --json',
  ];
  static override flags = {
    evidence: Flags.boolean({ description: 'list the signed versions that contradict an active one' }),
    ...pageFlags(100),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(History);
    await using client = await this.connect(flags);
    if (flags.evidence) {
      const { evidence } = await perform(client, pool.aclEvidence, {});
      await this.answer({ evidence }, (screen) => evidenceTable(screen, evidence));
      return;
    }
    const found = await historyPage(client, shownBy(flags));
    await this.answer(found, (screen) => historyTable(screen, found.versions));
    if (found.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
