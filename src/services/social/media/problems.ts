import { Problem } from '../../../base/problem.ts';

export function mediaNotFound(): Problem {
  return new Problem('missing', 'MEDIA_NOT_FOUND', 'There is no such picture, video or sound.');
}
