import { quorumMembers } from '../../contract/quorum/members.ts';
import { quorumEpochs } from '../../contract/quorum/epochs.ts';
import { quorumDocuments } from '../../contract/quorum/documents.ts';
import { quorumSessions } from '../../contract/quorum/sessions.ts';
import { quorumReshares } from '../../contract/quorum/reshares.ts';
import { quorumProposals } from '../../contract/quorum/proposals.ts';
import { quorumAliases } from '../../contract/quorum/aliases.ts';
import { quorumAudit } from '../../contract/quorum/audit.ts';
import { implement } from '../../service/implement.ts';

export const quorumImplementation = {
  ...implement(quorumMembers, () => import('./members/members.ts')),
  ...implement(quorumEpochs, () => import('./members/epochs.ts')),
  ...implement(
    quorumDocuments,
    () => import('./documents/sealing.ts'),
    () => import('./documents/unsealing.ts'),
    () => import('./documents/documents.ts'),
  ),
  ...implement(
    quorumSessions,
    () => import('./sessions/sessions.ts'),
    () => import('./sessions/contributions.ts'),
    () => import('./sessions/content.ts'),
  ),
  ...implement(
    quorumReshares,
    () => import('./reshares/reshares.ts'),
    () => import('./reshares/new-shares.ts'),
    () => import('./reshares/confirming.ts'),
  ),
  ...implement(
    quorumProposals,
    () => import('./proposals/creating.ts'),
    () => import('./proposals/proposals.ts'),
    () => import('./proposals/votes.ts'),
  ),
  ...implement(quorumAliases, () => import('./aliases/aliases.ts')),
  ...implement(
    quorumAudit,
    () => import('./audit/verify.ts'),
    () => import('./audit/trail.ts'),
    () => import('./audit/metrics.ts'),
  ),
};
