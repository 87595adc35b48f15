import { deferred } from './deferred.ts';

/** A place where the first two wait for each other. Whoever comes later goes on. */
export function bothThere(): () => Promise<void> {
  const second = deferred();
  let came = 0;
  return async () => {
    came += 1;
    if (came === 2) second.resolve();
    await second.promise;
  };
}
