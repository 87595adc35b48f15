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
});
