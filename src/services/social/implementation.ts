import type { social } from '../../contract/social.ts';
import { lazily } from '../../service-parts.ts';

export const socialImplementation = lazily<typeof social>({
  uploadMedia: () => import('./media/uploading.ts'),
  showMedia: () => import('./media/reading.ts'),
  updateMedia: () => import('./media/changing.ts'),
  deleteMedia: () => import('./media/changing.ts'),
});
