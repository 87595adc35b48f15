import { listFlags, ListCommand, listing } from '../../../src/cli/kit/list-command.ts';
import { auditColumns } from '../../../src/cli/quorum/audit-verdict.ts';
import { quorumAudit } from '../../../src/contract/quorum/audit.ts';

export default class List extends ListCommand {
  static override summary = 'Read the audit trail of the quorum, newest first';
  static override description = 'For members of the quorum and administrators.';
  static override examples = ['<%= config.bin %> quorum audit list --action VOTE_CAST'];
  static override flags = listFlags(quorumAudit.listAudit);

  protected override readonly shows = listing(quorumAudit.listAudit, 'records', auditColumns);
}
