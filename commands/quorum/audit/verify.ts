import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { verdictText } from '../../../src/cli/quorum/audit-verdict.ts';
import { quorumAudit } from '../../../src/contract/quorum/audit.ts';

export default class Verify extends ApiCommand {
  static override summary =
    'Verify the audit trail, and every row of the quorum by it; exit code 1 if something is wrong';
  static override description =
    'Entries of the ledger that were verified before are not read again. To check the whole ledger as well, run: conclave ledger verify --full';
  static override examples = ['<%= config.bin %> quorum audit verify'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Verify);
    await using client = await this.connect(flags);
    const asked = perform(client, quorumAudit.verifyAudit, {});
    const { verification } = await this.waitFor('Verifying the audit trail', asked);
    await this.answer(verification, (screen) => verdictText(screen, verification));
    if (!verification.valid) this.exit(1);
  }
}
