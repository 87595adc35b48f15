import type { quorum } from '../../contract/quorum.ts';
import { lazily } from '../../service-parts.ts';

export const quorumImplementation = lazily<typeof quorum>({
  addMember: () => import('./members/members.ts'),
  listMembers: () => import('./members/members.ts'),
  showMember: () => import('./members/members.ts'),
  removeMember: () => import('./members/members.ts'),
  linkMember: () => import('./members/members.ts'),
  status: () => import('./members/epochs.ts'),
  showEpoch: () => import('./members/epochs.ts'),
  listEpochs: () => import('./members/epochs.ts'),
  seal: () => import('./documents/sealing.ts'),
  unseal: () => import('./documents/unsealing.ts'),
  showDocument: () => import('./documents/documents.ts'),
  listDocuments: () => import('./documents/documents.ts'),
  canUnlock: () => import('./documents/documents.ts'),
  removeDocument: () => import('./documents/documents.ts'),
  openSession: () => import('./sessions/sessions.ts'),
  showSession: () => import('./sessions/sessions.ts'),
  listUnsealSessions: () => import('./sessions/sessions.ts'),
  endSession: () => import('./sessions/sessions.ts'),
  showMyShare: () => import('./sessions/contributions.ts'),
  contribute: () => import('./sessions/contributions.ts'),
  showContent: () => import('./sessions/content.ts'),
});
