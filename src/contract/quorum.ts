import { quorumAliases } from './quorum/aliases.ts';
import { quorumAudit } from './quorum/audit.ts';
import { quorumDocuments } from './quorum/documents.ts';
import { quorumEpochs } from './quorum/epochs.ts';
import { quorumMembers } from './quorum/members.ts';
import { quorumProposals } from './quorum/proposals.ts';
import { quorumReshares } from './quorum/reshares.ts';
import { quorumSessions } from './quorum/sessions.ts';

/** Threshold secret sharing and governance, prefix `/api/quorum`. */
export const quorum = {
  ...quorumMembers,
  ...quorumEpochs,
  ...quorumDocuments,
  ...quorumSessions,
  ...quorumReshares,
  ...quorumProposals,
  ...quorumAliases,
  ...quorumAudit,
};
